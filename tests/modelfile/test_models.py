"""Saving and loading: what goes in comes out, equal fits give equal bytes, flaws are named."""

import os
import re
import subprocess
import sys

import joblib
import numpy as np
import pytest

from ikpca_cli import __version__
from ikpca_cli.errors import ModelError, OutputError, UsageError
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.kpca import KernelPCA
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.modelfile import model_bytes
from ikpca_cli.modelfile.model_file import FORMAT, read_model
from ikpca_cli.modelfile.storage import load_model, save_model

ROWS = np.random.default_rng(3).normal(size=(30, 4))


def fitted(method):
    models = {
        "ikpca": IKPCA(2, n_rff=12, gamma=0.1, ridge=0.1, noise_std=0.5, seed=2**80),
        "kpca": KernelPCA(2, gamma=0.1, ridge=0.1, noise_std=0.5),
        "pca": PCA(2, noise_std=0.5),
    }
    return models[method].fit(ROWS)


@pytest.fixture(params=["ikpca", "kpca", "pca"])
def model(request):
    return fitted(request.param)


@pytest.fixture
def saved(tmp_path):
    """Return a function that saves an envelope, changed by a function, and gives its path."""

    def save(change=lambda envelope: None, method="ikpca", **options):
        path = str(tmp_path / "model.joblib")
        save_model(path, fitted(method), force=True)
        envelope = joblib.load(path)
        del envelope["checksum"]  # as older files, so that what else is checked is seen
        change(envelope)
        joblib.dump(envelope, path, **options)
        return path

    return save


def refusal(path):
    with pytest.raises(ModelError) as caught:
        load_model(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert text.isprintable()
    return text.removeprefix(f"{path}: ")


def test_a_model_comes_back(tmp_path, model):
    path = tmp_path / "model.joblib"
    save_model(path, model)
    back = load_model(path)
    assert back.summary() == model.summary() | {"noise_evidence": None, "noise_doubt": None}
    assert type(back) is type(model)
    assert back.get_params() == model.get_params()
    state, expected = back.get_state(), model.get_state()
    assert state.keys() == expected.keys()
    for name in state:
        np.testing.assert_array_equal(state[name], expected[name], strict=True)
    np.testing.assert_allclose(back.denoise(ROWS), model.denoise(ROWS), rtol=1e-11, atol=1e-12)


def test_read_model_tells_what_a_file_holds(tmp_path, model):
    path = tmp_path / "model.joblib"
    save_model(str(path), model)
    file = read_model(str(path))
    assert (file.path, file.size, file.format) == (str(path), path.stat().st_size, FORMAT)
    assert file.method == model.method
    assert file.params == model.get_params()
    assert file.state.keys() == model.STATE.keys()
    assert file.versions == {
        "ikpca": __version__,
        "joblib": joblib.__version__,
        "numpy": np.__version__,
        "scipy": file.versions["scipy"],
    }


def test_the_same_fit_gives_the_same_bytes(tmp_path, model):
    first, second = tmp_path / "1.joblib", tmp_path / "2.joblib"
    save_model(str(first), model)
    save_model(str(second), fitted(model.method))
    assert first.read_bytes() == second.read_bytes()


def test_a_loaded_model_saves_to_the_same_bytes(tmp_path, model):
    first, second = tmp_path / "1.joblib", tmp_path / "2.joblib"
    save_model(str(first), model)
    save_model(str(second), load_model(str(first)))
    assert first.read_bytes() == second.read_bytes()


def test_equal_values_give_the_same_bytes_whatever_their_types(tmp_path):
    first, second = tmp_path / "1.joblib", tmp_path / "2.joblib"
    model = fitted("ikpca")
    model.ridge = model.solver = "auto"
    save_model(str(first), model)
    model.W_ = np.asfortranarray(model.W_).astype(">f8")
    model.components_ = np.array(model.components_, np.dtype("f8", metadata={"note": "mine"}))
    model.gamma_ = np.float64(model.gamma_)
    model.n_samples_ = np.int32(model.n_samples_)
    model.solver = "".join(["au", "to"])  # another object than the ridge, so joblib would repeat it
    save_model(str(second), model)
    assert first.read_bytes() == second.read_bytes()


def test_the_same_fit_gives_the_same_bytes_in_another_process(tmp_path):
    first, second = tmp_path / "1.joblib", tmp_path / "2.joblib"
    save_model(str(first), PCA(2, noise_std=0.5).fit(ROWS))
    code = (
        "import sys, numpy as np\n"
        "from ikpca_cli.estimators.pca import PCA\n"
        "from ikpca_cli.modelfile.storage import save_model\n"
        "rows = np.random.default_rng(3).normal(size=(30, 4))\n"
        "save_model(sys.argv[1], PCA(2, noise_std=0.5).fit(rows))\n"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", code, str(second)], check=True, env=environment)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("told", [np.array([1.0, 2.0]), "1", None, 1.0, True])
def test_a_checksum_that_is_none_is_refused(saved, told):
    path = saved(lambda envelope: envelope.update(checksum=told))
    assert "its numbers are not those that were written" in refusal(path)


@pytest.mark.parametrize("method", ["ikpca", "kpca", "pca"])
def test_a_number_that_was_changed_on_the_way_is_told(tmp_path, method):
    path = tmp_path / "model.joblib"
    model = fitted(method)
    save_model(str(path), model)
    whole = path.read_bytes()
    number = np.float64(model.mean_[0]).tobytes()
    assert whole.count(number) >= 1
    path.write_bytes(whole.replace(number, np.float64(model.mean_[0] + 0.5).tobytes(), 1))
    with pytest.raises(ModelError, match="its numbers are not those that were written"):
        load_model(str(path))


def test_joblib_itself_reads_a_model(tmp_path):
    path = str(tmp_path / "model.joblib")
    model = fitted("ikpca")
    save_model(path, model)
    envelope = joblib.load(path)
    assert list(envelope) == ["ikpca_format", "method", "params", "state", "versions", "checksum"]
    np.testing.assert_array_equal(envelope["state"]["W_"], model.W_, strict=True)


def test_a_model_goes_through_a_pipe(tmp_path):
    code = (
        "import numpy as np\n"
        "from ikpca_cli.estimators.pca import PCA\n"
        "from ikpca_cli.modelfile.storage import save_model\n"
        "rows = np.random.default_rng(3).normal(size=(30, 4))\n"
        "save_model('-', PCA(2, noise_std=0.5).fit(rows))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
    path = tmp_path / "model.joblib"
    save_model(str(path), PCA(2, noise_std=0.5).fit(ROWS))
    assert run.stdout == path.read_bytes()


def test_an_existing_file_is_kept_without_force(tmp_path):
    path = tmp_path / "model.joblib"
    path.write_text("mine")
    with pytest.raises(OutputError, match="force=True"):
        save_model(str(path), fitted("pca"))
    assert path.read_text() == "mine"
    save_model(str(path), fitted("pca"), force=True)
    assert load_model(str(path)).n_components_ == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean_", np.array([1.0, np.nan, 0.0, 0.0])),
        ("total_variance_", np.inf),
        ("explained_variance_", np.zeros(0)),
        ("components_", np.zeros((2, 3))),
        ("seed", 2**127),
        ("kernel", "two\nlines"),
        ("kernel", "é" * 128),
        ("kernel", ["gaussian"]),
    ],
)
def test_a_model_that_could_not_be_loaded_is_not_written(tmp_path, name, value):
    path = tmp_path / "model.joblib"
    model = fitted("ikpca")
    if name in model.fitted_params_:
        model.fitted_params_[name] = value
    else:
        setattr(model, name, value)
    with pytest.raises(ModelError, match=f"^{path}: the model was not written: .*{name}"):
        save_model(str(path), model)
    assert not path.exists()


@pytest.mark.parametrize("method", ["ikpca", "kpca", "pca"])
def test_the_other_byte_order_is_the_same_model(saved, method):
    def swap(envelope):
        for name, value in envelope["state"].items():
            if isinstance(value, np.ndarray):
                envelope["state"][name] = value.astype(value.dtype.newbyteorder(">"))

    state = load_model(saved(swap, method)).get_state()
    for name, value in fitted(method).get_state().items():
        np.testing.assert_array_equal(state[name], value, strict=True)


@pytest.mark.parametrize("order", "<>")
def test_float32_stays_float32(saved, order):
    def narrow(envelope):
        for name, value in envelope["state"].items():
            if isinstance(value, np.ndarray):
                envelope["state"][name] = value.astype(f"{order}f4")

    model = load_model(saved(narrow))
    assert model.W_.dtype == np.float32
    assert model.W_.dtype.isnative
    np.testing.assert_array_equal(model.W_, fitted("ikpca").W_.astype("f4"))
    np.testing.assert_allclose(model.denoise(ROWS), fitted("ikpca").denoise(ROWS), rtol=1e-3)


def test_one_array_in_another_precision_is_refused(saved):
    def narrow(envelope):
        envelope["state"]["W_"] = envelope["state"]["W_"].astype("f4")

    assert "single and in double precision" in refusal(saved(narrow))


@pytest.mark.parametrize("protocol", [4, 5])
def test_both_protocols_load(saved, protocol):
    assert load_model(saved(protocol=protocol)).seed == 2**80


def test_arrays_cannot_be_changed(saved, model):
    for value in load_model(saved(method=model.method)).get_state().values():
        assert not isinstance(value, np.ndarray) or not value.flags.writeable


def test_a_large_file_is_mapped_and_may_be_replaced(saved, monkeypatch):
    path = saved()
    monkeypatch.setattr(model_bytes, "MAP_FROM", 1)
    model = load_model(path)
    before = model.denoise(ROWS)
    save_model(path, PCA(1, noise_std=0.5).fit(10.0 * ROWS), force=True)
    np.testing.assert_array_equal(model.denoise(ROWS), before)
    owner = model.W_
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert type(owner.obj).__name__ == "mmap"


def test_a_parameter_that_an_older_version_did_not_know_has_its_default(saved):
    model = load_model(saved(lambda envelope: envelope["params"].pop("solver")))
    assert model.solver == "auto"


# What is refused ------------------------------------------------------------------------------


def test_every_beginning_of_a_model_is_incomplete(saved, tmp_path):
    with open(saved(), "rb") as handle:
        whole = handle.read()
    path = tmp_path / "cut.joblib"
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        assert refusal(str(path)).startswith("is incomplete (truncated); fit the model again")


def test_bytes_after_the_end_are_refused(saved):
    path = saved()
    with open(path, "ab") as handle:
        handle.write(b"more")
    assert "4 bytes follow its end" in refusal(path)


def test_a_newer_format_names_the_version_it_needs(saved):
    def update(envelope):
        envelope["ikpca_format"] = 7
        envelope["versions"]["ikpca"] = "2.5.0"
        envelope["extra"] = {"rows": np.ones(3)}

    assert refusal(saved(update)) == (
        f"was written by a newer ikpca (format 7, this one reads {FORMAT}); "
        "it needs ikpca >= 2.5.0: upgrade ikpca"
    )


def test_a_model_in_the_place_of_the_path_is_told(model):
    with pytest.raises(UsageError, match="the path comes first"):
        save_model(model, "model.joblib")


@pytest.mark.parametrize("number", [1, 2])
def test_a_model_is_not_of_a_format_before_its_own(saved, number):
    text = refusal(saved(lambda envelope: envelope.update(ikpca_format=number)))
    assert f"it holds what no model of format {number} does" in text


def test_an_unknown_method_names_the_version_it_needs(saved):
    def update(envelope):
        envelope["method"] = "tomorrow"
        envelope["versions"]["ikpca"] = "2.5.0"

    assert "'tomorrow' is not known to ikpca" in refusal(saved(update))
    assert "needs ikpca >= 2.5.0" in refusal(saved(update))


@pytest.mark.parametrize("number", [0, -1, 1.0, True, "1", None])
def test_a_format_that_is_no_positive_integer_is_no_model(saved, number):
    text = refusal(saved(lambda envelope: envelope.update(ikpca_format=number)))
    assert text.startswith("is not an ikpca model")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda e: e.pop("params"), "its parts are not"),
        (lambda e: e.update(more=1), "its parts are not"),
        (lambda e: e.pop("versions"), "does not say which versions"),
        (lambda e: e.update(versions={"numpy": "2"}), "does not say which versions"),
        (lambda e: e["versions"].update(ikpca="1\x1b[31m"), "the version of 'ikpca' is not"),
        (lambda e: e["versions"].update({"\x1b[31m": 1}), r"version of '\\x1b\[31m' is not"),
        (lambda e: e.update(method=1), "its method is not a short plain text"),
        (lambda e: e.update(params=None), "its parameters are missing"),
        (lambda e: e["params"].update(depth=3), "ikpca has no parameter 'depth'"),
        (lambda e: e["params"].update(gamma=np.inf), "parameter gamma is not a finite number"),
        (lambda e: e["params"].update(gamma=True), "parameter gamma True is not allowed"),
        (lambda e: e["params"].update(gamma=(1.0,)), "parameter gamma is not a finite number"),
        (lambda e: e["params"].update(gamma=np.ones(2)), "parameter gamma is not a finite number"),
        (lambda e: e["params"].update(kernel="\x9b31m"), "parameter kernel is not a short plain"),
        (lambda e: e.update(state=None), "the fitted values are not those of ikpca"),
        (lambda e: e["state"].pop("W_"), "the fitted values are not those of ikpca"),
        (lambda e: e["state"].update(V_=1.0), "the fitted values are not those of ikpca"),
        (lambda e: e["state"].update(W_=1.0), "W_ is not an array of 2 dimensions"),
        (lambda e: e["state"].update(W_=None), "its arrays are neither those of random features"),
        (lambda e: e["state"].update(b_=np.ones((12, 1))), "b_ is not an array of 1 dimensions"),
        (lambda e: e["state"].update(b_=np.ones(11)), "b_ is 11, where r = 12 elsewhere"),
        (lambda e: e["state"].update(W_=np.ones((12, 5))), "W_ is 12 x 5, where p = 4 elsewhere"),
        (lambda e: e["state"]["W_"].__setitem__((11, 3), np.nan), "W_ holds numbers that are not"),
        (lambda e: e["state"]["b_"].__setitem__(0, -np.inf), "b_ holds numbers that are not"),
        (lambda e: e["state"].update(gamma_=np.ones(1)), "gamma_ is not a finite number"),
        (lambda e: e["state"].update(gamma_=None), "gamma_ is not a finite number"),
        (lambda e: e["state"].update(gamma_="0.1"), "gamma_ is not a finite number"),
        (lambda e: e["state"].update(gamma_=True), "gamma_ is not a finite number"),
        (lambda e: e["state"].update(n_samples_=2**64), "n_samples_ is an integer of 64 bits"),
        (lambda e: e["state"].update(n_samples_=7.5), "n_samples_ is 7.5, and has to be a whole"),
        (lambda e: e["state"].update(noise_std_=0.0), "noise_std_ is 0, and has to be positive"),
        (lambda e: e["state"].update(noise_rms_=1e-300), "noise_rms_ is 1e-300, as no fit"),
        (lambda e: e["state"].update(mean_=np.full(4, -1e300)), r"mean_ is 1e\+300, as no fit"),
        (lambda e: e["state"].update(mean_=np.full(4, 1e99)), r"mean_ is 1e\+99, as no fit"),
    ],
)
def test_a_damaged_model_says_what_is_wrong(saved, change, reason):
    text = refusal(saved(change))
    assert re.match(f"is damaged: .*{reason}", text)
    assert text.endswith("; fit the model again or get an intact copy")


def test_a_value_that_may_be_none_is_loaded_as_none(saved):
    assert load_model(saved(lambda e: e["state"].update(noise_std_=None))).noise_std_ is None


def test_what_the_method_itself_refuses_is_one_line(saved, monkeypatch):
    def refuse(params, state):
        raise ValueError("two\nlines")

    path = saved()
    monkeypatch.setattr(IKPCA, "from_state", refuse)
    assert refusal(path).startswith("is damaged: two lines; ")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"1.0,2.0\n3.0,4.0\n", "a text file, such as CSV"),
        ("x^2;größe\r\n1,5;2,5\r\n".encode(), "a text file, such as CSV"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}", "a numpy array (.npy)"),
        (b"PK\x03\x04\x14\x00", "a zip archive or numpy .npz file"),
        (b"\x89HDF\r\n\x1a\n\x00", "an HDF5 file"),
        (b"MATLAB 5.0 MAT-file, Platform\x00\x01", "a MATLAB file"),
        (b"\x00\x01\x02", "some other binary file"),
        (b"\x80\x03}q\x00.", "a foreign or damaged joblib file (it is not a joblib file)"),
        (b"\x80\x04}\x94.", "a joblib file of something else"),
        (b"\x80\x04K\x01.", "a joblib file of something else"),
    ],
)
def test_other_files_are_told_apart(tmp_path, content, kind):
    path = tmp_path / "model.joblib"
    path.write_bytes(content)
    assert refusal(str(path)) == (
        f"is not an ikpca model but {kind}; give the file that `ikpca fit`, or save_model, wrote"
    )


@pytest.mark.parametrize("method", ["zlib", "gzip", "bz2", "lzma", "xz"])
def test_compressed_models_are_refused(saved, method):
    assert "a compressed file, not written by ikpca" in refusal(saved(compress=(method, 3)))


def test_files_that_cannot_be_read(tmp_path):
    assert refusal(str(tmp_path / "none")).startswith("there is no such file; ")
    assert refusal(str(tmp_path)).startswith("is a folder; ")
    (tmp_path / "empty").touch()
    assert refusal(str(tmp_path / "empty")).startswith("is empty; ")
    assert refusal(str(tmp_path / "empty" / "x")).startswith("cannot be read: not a directory; ")


def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(str(tmp_path / "pipe")).startswith("is not a regular file; ")
    assert refusal("/dev/zero").startswith("is not a regular file; ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_of_another_user(tmp_path):
    path = tmp_path / "secret"
    path.touch(mode=0)
    assert refusal(str(path)).startswith("cannot be read: permission denied; ")


def test_reading_does_not_import_joblib(saved):
    code = (
        "import sys\n"
        "from ikpca_cli.modelfile.model_file import read_model\n"
        "read_model(sys.argv[1])\n"
        "assert 'joblib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, saved(method="pca")], check=True)
