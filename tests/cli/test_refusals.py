"""Bad input and wrong usage: every command answers with one plain line and no output."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.estimators.methods import METHODS


@pytest.fixture
def ready(cli, tmp_path):
    """A model, good rows, and files of every bad kind."""
    rng = np.random.default_rng(9)
    good = np.outer(rng.normal(size=30), np.arange(4.0)) + rng.normal(0, 0.1, (30, 4))
    np.save("good.npy", good)
    cli("fit", "good.npy", "--method", "pca", "-o", "pca.joblib")
    holes = good.copy()
    holes[2, 1] = np.nan
    np.save("holes.npy", holes)
    np.save("wide.npy", np.hstack([good, good]))
    np.save("vector.npy", good[0])
    np.save("nothing.npy", np.empty((0, 4)))
    np.save("words.npy", np.array([["a", "b"], ["c", "d"]]))
    np.save("single.npy", good[:1])
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "text.csv").write_text("1,2,3,4\n5,abc,7,8\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


BAD_ROWS = {
    "missing.npy": "no such file",
    "folder": "folder",
    "holes.npy": "row 3, column 2",
    "vector.npy": "(4,)",
    "nothing.npy": "",
    "words.npy": "",
    "empty.csv": "empty",
    "text.csv": "row 2, column 2",
}
COMMANDS = {
    "fit": ["fit", "{}"],
    "denoise": ["denoise", "pca.joblib", "{}"],
    "evaluate": ["evaluate", "pca.joblib", "{}", "--clean", "mean"],
    "evaluate-clean": ["evaluate", "pca.joblib", "good.npy", "--clean", "{}"],
    "compare": ["compare", "{}", "good.npy", "--clean", "mean"],
    "compare-noisy": ["compare", "good.npy", "{}", "--clean", "mean"],
    "compare-clean": ["compare", "good.npy", "good.npy", "--clean", "{}"],
}


def refused(cli, args, code, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    result = cli(*args, code=code)
    lines = result.stderr.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: ")
    assert result.stdout == ""
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    return lines[0]


@pytest.mark.parametrize("name", BAD_ROWS)
@pytest.mark.parametrize("command", COMMANDS)
def test_bad_rows(cli, ready, command, name):
    line = refused(cli, [word.format(name) for word in COMMANDS[command]], 1, ready)
    assert name in line
    assert BAD_ROWS[name] in line


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"fit"}))
def test_wrong_width(cli, ready, command):
    line = refused(cli, [word.format("wide.npy") for word in COMMANDS[command]], 1, ready)
    assert "good.npy" in line or "wide.npy" in line
    assert "8" in line
    assert "4" in line


def test_an_output_that_exists_is_refused_before_methods_are_compared(cli, ready, monkeypatch):
    monkeypatch.setattr("ikpca_cli.cli.ranked.settled", None)
    args = ["fit", "good.npy", "--method", "auto", "-o", "pca.joblib"]
    assert "pca.joblib: exists already" in refused(cli, args, 1, ready)


def test_rows_that_are_columns_are_told_by_what_to_do(cli, ready):
    np.save("turned.npy", np.load("good.npy")[:7].T)
    line = refused(cli, ["denoise", "pca.joblib", "turned.npy"], 1, ready)
    assert line.endswith("(--transpose if samples are columns)")
    np.save("rows.npy", np.load("good.npy")[:7])
    line = refused(cli, ["denoise", "pca.joblib", "rows.npy", "--transpose"], 1, ready)
    assert line.endswith("(without --transpose if samples are rows)")


@pytest.mark.parametrize("method", METHODS)
def test_too_few_rows(cli, ready, method):
    line = refused(cli, ["fit", "single.npy", "--method", method], 1, ready)
    assert "single.npy has 1 row: at least 2 are needed" in line


@pytest.mark.parametrize("method", METHODS)
def test_components_above_rank(cli, ready, method):
    line = refused(cli, ["fit", "good.npy", "--method", method, "--components", 5000], 2, ready)
    assert "5000 components are too many" in line
    assert "at most" in line


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["fit", "good.npy", "--rff", 3], "3 random features are fewer than the 4 columns"),
        (["compare", "good.npy", "--noise", 1, "--train-size", 0], "give another --train-size"),
        (["compare", "good.npy", "--noise", 1, "--test-size", 1.5], "--train-size or --test-size"),
        (
            [
                "compare",
                "good.npy",
                "--noise",
                "1",
                "--noise-std",
                "1",
                "--methods",
                "pca",
                "--components",
                "99",
            ],
            "no method has so many here, pca at most 4: give fewer",
        ),
        (["fit", "good.npy", "--rff", 0], "--rff '0' is not allowed: use a whole number of 1"),
        (["fit", "good.npy", "--components", 0], "--components '0'"),
        (["fit", "good.npy", "--components", "many"], "--components 'many'"),
        (["fit", "good.npy", "--components", 2.5], "--components '2.5'"),
        (
            ["fit", "good.npy", "--gamma", "wide"],
            "--gamma 'wide' is not allowed: use a number",
        ),
        (["fit", "good.npy", "--gamma", -1], "--gamma '-1'"),
        (["fit", "good.npy", "--gamma", "nan"], "--gamma 'nan'"),
        (["fit", "good.npy", "--ridge", "inf"], "--ridge 'inf'"),
        (["fit", "good.npy", "--noise-std", 0], "--noise-std '0'"),
        (["fit", "good.npy", "--method", "lda"], "choose from ikpca, kpca, pca"),
        (
            ["fit", "good.npy", "--kernel", "cosine"],
            "--kernel 'cosine' is not allowed: use 'gau",
        ),
        (["fit", "good.npy", "--method", "pca", "--rff", 50], "--rff does not apply"),
        (["fit", "good.npy", "--method", "pca", "--kernel", "gaussian"], "--kernel does not"),
        (["fit", "good.npy", "--method", "ikpca", "--latent-gamma", 1], "--latent-gamma does not"),
        (["compare", "good.npy", "good.npy"], "leave good.npy out"),
        (["compare", "good.npy", "good.npy", "--clean", "mean", "--train-size", 3], "leave NOISY"),
        (["compare", "good.npy", "--clean", "mean", "--train-size", 31], "31 rows"),
        (["compare", "good.npy", "--clean", "mean", "--train-size", 30], "0 rows"),
        (["compare", "good.npy", "--clean", "mean", "--train-size", 2.5], "size 2.5"),
        (["compare", "good.npy", "--clean", "mean", "--methods", "pca,lda"], "unknown method"),
        (["compare", "good.npy", "--clean", "mean", "--gamma", "lda:3"], "'lda' is none of"),
        (["compare", "good.npy", "--clean", "mean", "--gamma", "pca:3"], "does not apply"),
        (["compare", "good.npy", "--clean", "mean", "--methods", "pca", "--gamma", 3], "--gamma"),
        (
            ["compare", "good.npy", "--clean", "mean", "--methods", "pca", "--gamma", "kpca:3"],
            "name it in --methods",
        ),
        (["compare", "good.npy", "--clean", "mean", "--components", "1,,2"], "--components ''"),
        (["denoise", "pca.joblib", "good.npy", "good.npy"], "is named twice"),
        (["denoise", "pca.joblib", "good.npy", "wide.npy", "-o", "x"], "use --output-dir"),
        (["denoise", "pca.joblib", "good.npy", "-o", "x", "--output-dir", "y"], "exclude"),
        (
            ["denoise", "pca.joblib", "good.npy", "--output-dir", ""],
            "--output-dir has an empty name",
        ),
        (["denoise", "pca.joblib", "good.npy", "--skip-existing", "--force"], "give one of them"),
        (["fit", "good.npy", "--decimal", ","], "--decimal: good.npy is no text table"),
        (["denoise", "pca.joblib", "good.npy", "-o", "x.parquet"], "end it in .npy"),
        (["denoise", "pca.joblib", "good.npy", "-o", "x.h5::a"], "leave out ::a"),
        (["fit", "good.npy", "--method", "lda"], "choose from ikpca, kpca, pca, mixture, auto"),
        (["fit", "good.npy", "-o", "clean.npy"], "name it clean.joblib"),
        (["fit", "good.npy", "-o", "clean.csv.gz"], "a model goes there"),
    ],
)
def test_wrong_usage(cli, ready, args, reason):
    assert reason in refused(cli, args, 2, ready)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["fit"], "missing argument 'TRAIN'; see "),
        (["beats", "good.npy"], "missing option '--output' / '-o'; see "),
        (["fit", "good.npy", "--sead", 3], "--sead"),
        (["fit", "good.npy", "--seed", "x"], "'--seed'"),
        (["denoise", "pca.joblib", "good.npy", "-o"], "'-o'"),
        (["fitt", "good.npy"], "'fitt'"),
        (["--fit"], "--fit"),
    ],
)
def test_what_is_no_command_line_is_refused_in_one_line(cli, ready, args, reason):
    line = refused(cli, args, 2, ready)
    assert reason in line
    assert line.endswith(" --help")


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["fit", "good.npy", "-o", "pca.joblib"], "pca.joblib: exists already; use --force"),
        (["fit", "good.npy", "-o", "good.npy", "--force"], "good.npy: is the input"),
        (["fit", "good.npy", "-o", "no/such/m.joblib"], "does not exist; create it"),
        (["fit", "good.npy", "-o", "wide.npy/m.joblib"], "wide.npy is a file, no folder"),
        (["fit", "good.npy", "-o", "folder"], "is a folder"),
        (["fit", "good.npy", "-o", ""], "an output has an empty name"),
        (["denoise", "pca.joblib", "good.npy", "-o", "good.npy", "-f"], "is the input"),
        (["denoise", "pca.joblib", "good.npy", "-o", "pca.joblib", "-f"], "is the input"),
        (["denoise", "pca.joblib", "good.npy", "-o", "wide.npy"], "exists already"),
        (["denoise", "good.npy", "good.npy"], "good.npy: is not an ikpca model"),
        (["denoise", "text.csv", "good.npy"], "text.csv: is not an ikpca model"),
        (["denoise", "pca.joblib", "no/such.npy"], "no/such.npy: there is no such file"),
        (["denoise", "pca.joblib", ""], "an input has an empty name"),
        (["evaluate", "missing.joblib", "good.npy", "--clean", "mean"], "missing.joblib"),
        (["info", "empty.csv"], "empty.csv"),
    ],
)
def test_outputs_and_models(cli, ready, args, reason):
    assert reason in refused(cli, args, 1, ready)


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_links_to_the_input_are_refused(cli, ready, link):
    getattr(ready / "alias.npy", link)(ready / "good.npy")
    line = refused(cli, ["denoise", "pca.joblib", "good.npy", "-o", "alias.npy", "-f"], 1, ready)
    assert "is the input" in line


def test_kernel_matrix_that_does_not_fit(cli, ready, monkeypatch):
    monkeypatch.setattr("ikpca_cli.data.memory.available_bytes", lambda: 24 * 10**9)
    np.save("many.npy", np.random.default_rng(1).normal(size=(50_000, 2)))
    line = refused(cli, ["fit", "many.npy", "--method", "kpca"], 1, ready)
    assert "20 GB kernel matrix" in line
    cli("fit", "many.npy", "--rff", 100, "--gamma", 0.5, "--ridge", 1, "--components", 5)


def test_missing_arguments_are_usage_errors(cli, ready):
    for args in (
        ["fit"],
        ["denoise", "pca.joblib"],
        ["compare"],
        ["info"],
        ["fit", "good.npy", "--nonsense"],
        ["polish"],
    ):
        assert cli(*args, code=2).stdout == ""


def test_debug_brings_the_details(ready):
    from typer.testing import CliRunner

    from ikpca_cli.cli.app import app

    result = CliRunner().invoke(app, ["fit", "missing.npy", "--debug"])
    assert result.exit_code == 1
    assert "Traceback" in result.stderr


def test_an_unforeseen_failure_is_one_line(cli, ready, monkeypatch):
    def fail(*_args, **_kwargs):
        raise ZeroDivisionError("surprise\nin two lines")

    monkeypatch.setattr("ikpca_cli.estimators.pca.PCA.fit", fail)
    line = refused(cli, ["fit", "good.npy", "--method", "pca"], 1, ready)
    assert line.startswith(
        "error: ZeroDivisionError: surprise in two lines; run again with --debug"
    )


def test_samples_of_more_axes_are_refused_with_their_shape(cli):
    np.save("narrow.npy", np.random.default_rng(0).normal(size=(60, 6)))
    np.save("deep.npy", np.ones((5, 2, 3, 3)))
    cli("fit", "narrow.npy", "--method", "pca", "--components", 2)
    (line,) = cli("denoise", "model.joblib", "deep.npy", code=1).stderr.splitlines()
    assert "has 18 columns (samples of 2 x 3 x 3; cut them, or fit a model on such ones)" in line


def test_a_file_is_no_folder_for_outputs(cli, ready):
    line = refused(cli, ["denoise", "pca.joblib", "good.npy", "--output-dir", "good.npy"], 1, ready)
    assert line == "error: good.npy: cannot be made: file exists; name another folder"
