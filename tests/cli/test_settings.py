"""Defaults from a file and from the environment, and their order."""

from __future__ import annotations

import json

import pytest

from ikpca_cli import load_model


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A configuration folder of nobody's."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config/ikpca").mkdir(parents=True)
    return tmp_path


def fitted(cli, *words):
    return json.loads(cli("fit", "ecg_train.npy", "--force", *words, "--format", "json").stdout)


def test_the_command_line_comes_before_the_environment_and_that_before_a_file(
    cli, samples, home, monkeypatch
):
    (samples / "ikpca.toml").write_text('[fit]\nmethod = "pca"\ncomponents = 4\n')
    assert fitted(cli)["n_components"] == 4
    monkeypatch.setenv("IKPCA_FIT_COMPONENTS", "5")
    assert fitted(cli)["n_components"] == 5
    assert fitted(cli, "--components", "6")["n_components"] == 6
    assert fitted(cli)["method"] == "pca"


def test_a_variable_is_called_as_the_option(cli, samples, home, monkeypatch):
    monkeypatch.setenv("IKPCA_FIT_METHOD", "pca")
    monkeypatch.setenv("IKPCA_FIT_FORMAT", "json")
    monkeypatch.setenv("IKPCA_VERSION", "1")
    monkeypatch.setenv("IKPCA_HOME", "/opt/ikpca")
    result = cli("fit", "ecg_train.npy")
    assert json.loads(result.stdout)["method"] == "pca"
    assert result.stderr == ""


def test_a_misspelt_variable_is_refused(cli, samples, home, monkeypatch):
    monkeypatch.setenv("IKPCA_FIT_SEAD", "1")
    result = cli("fit", "ecg_train.npy", code=2)
    assert result.stderr.startswith("error: the environment variable IKPCA_FIT_SEAD is no option")
    assert "did you mean IKPCA_FIT_SEED?" in result.stderr
    assert not (samples / "model.joblib").exists()
    cli("guide")  # which has nothing to do with it


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("seed", "x", "should be a valid integer"),
        ("jobs", "0", "should be greater than or equal to 1"),
        ("format", "xml", "'xml' is not one of"),
        ("quiet", "maybe", "should be a valid boolean"),
    ],
)
def test_a_value_is_refused_with_its_place(cli, home, monkeypatch, option, value, reason):
    monkeypatch.setenv(f"IKPCA_FIT_{option.upper()}", value)
    line = cli("fit", "ecg_train.npy", code=2).stderr
    assert value in line
    assert f", in the environment as IKPCA_FIT_{option.upper()}: {reason}" in line
    assert "Input" not in line
    monkeypatch.delenv(f"IKPCA_FIT_{option.upper()}")
    if option != "quiet":
        line = cli("fit", "ecg_train.npy", f"--{option}", value, code=2).stderr
        assert f"'--{option}'" in line
        assert "environment" not in line


def test_a_variable_without_its_command_is_warned_of(cli, samples, home, monkeypatch):
    monkeypatch.setenv("IKPCA_METHOD", "pca")
    result = cli("fit", "ecg_train.npy", "--method", "pca")
    assert "warning: the environment variable IKPCA_METHOD does nothing" in result.stderr
    assert "IKPCA_FIT_METHOD" in result.stderr


def test_the_folders_file_comes_before_the_users(cli, samples, home):
    (home / "config/ikpca/ikpca.toml").write_text('[fit]\nmethod = "pca"\ncomponents = 2\n')
    assert fitted(cli)["n_components"] == 2
    (samples / "ikpca.toml").write_text('[fit]\nmethod = "pca"\ncomponents = 3\n')
    result = cli("fit", "ecg_train.npy", "--force")
    assert result.stderr == "defaults from ikpca.toml: method = pca, components = 3\n"


def test_what_stands_before_all_tables_is_for_each_command_that_has_it(cli, samples, home):
    (samples / "ikpca.toml").write_text('format = "json"\n[fit]\nmethod = "pca"\n')
    result = cli("fit", "ecg_train.npy")
    json.loads(result.stdout)
    assert result.stderr == "defaults from ikpca.toml: format = json, method = pca\n"
    json.loads(cli("info", "model.joblib").stdout)
    assert "defaults" not in cli("guide").stderr


def test_marks_of_a_locale_are_for_tables_alone(cli, samples, home):
    (samples / "ikpca.toml").write_text('delimiter = ";"\ndecimal = ","\n[fit]\nmethod = "pca"\n')
    cli("fit", "ecg_train.npy")
    assert load_model("model.joblib").reading_ == {"delimiter": ";", "decimal": ","}
    result = cli("denoise", "model.joblib", "ecg_noisy.npy", "--digits", "2")
    assert "--digits is for text: numbers keep all of theirs" in result.stderr
    line = cli("denoise", "model.joblib", "ecg_noisy.npy", "-f", "--decimal", ".", code=2).stderr
    assert "--decimal: ecg_noisy.npy is no text table" in line


def test_flags_and_lists(cli, samples, home):
    (samples / "ikpca.toml").write_text(
        '[fit]\nforce = true\nmethod = "pca"\n[compare]\nmethods = "pca"\ncomponents = ["2", "3"]\n'
    )
    for _ in range(2):
        said = cli("fit", "ecg_train.npy").stderr
        assert said == "defaults from ikpca.toml: force = true, method = pca\n"
    words = ["compare", "ecg_train.npy", "ecg_noisy.npy", "--clean", "ecg_clean.npy"]
    found = json.loads(cli(*words, "--format", "json").stdout)["results"]
    assert [row["n_components"] for row in found] == [2, 3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[fot]\n", "[fot] is no command: there are fit, denoise"),
        ("[fit]\nnoise = 1\n", "[fit] has no option noise: see ikpca fit --help"),
        ("noise-level = 1\n", "no command has an option noise-level"),
        ("[fit]\ngamma = {a = 1}\n", "gamma = {'a': 1}: give a number"),
        ("[fit]\nseed = true\n", "seed = true: it is no flag"),
        ("[fit]\ngamma = [1, false]\n", "gamma = false: it is no flag"),
        ("[fit\n", "is no TOML"),
    ],
)
def test_a_file_that_cannot_be_right_is_refused(cli, samples, home, text, said):
    (samples / "ikpca.toml").write_text(text)
    result = cli("fit", "ecg_train.npy", code=1)
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("error: ikpca.toml: ")
    assert said in result.stderr
    assert not (samples / "model.joblib").exists()


def test_a_file_may_begin_with_the_mark_of_an_editor(cli, samples, home):
    (samples / "ikpca.toml").write_text("\ufeff[info]\nexplain = true\n", encoding="utf-8")
    assert "defaults from ikpca.toml: explain = true" in cli("info").stderr
