"""Hostile model files: whatever they ask for, they get one line of refusal."""

import os
import pickle
import struct
import tracemalloc
from pathlib import Path

import joblib
import numpy as np
import pytest

from ikpca_cli.errors import ModelError
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.kpca import KernelPCA
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.modelfile.plain_joblib import MAX_OPCODES, OVERHEAD
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.recordings.fitting import fit_windows

TRACE = "ikpca_was_here"
HEAD = pickle.PROTO + b"\x04"
FOREIGN = "is not an ikpca model but a foreign or damaged joblib file"  # not a plain value
SHARED = Path(__file__).parents[3] / "shared" / "cases"


class Call:
    """Pickles to a call of a function."""

    def __init__(self, function, *args):
        self.function, self.args = function, args

    def __reduce__(self):
        return self.function, self.args


class Stateful(Call):
    """Pickles to a call whose result is given a state."""

    def __reduce__(self):
        return self.function, self.args, {"state": 1}


def text(value):
    content = value.encode()
    return pickle.SHORT_BINUNICODE + bytes([len(content)]) + content


def name(module, attribute):
    return text(module) + text(attribute) + pickle.STACK_GLOBAL


def number(value):
    if -(2**31) <= value < 2**31:
        return pickle.BININT + struct.pack("<i", value)
    content = value.to_bytes(16, "little", signed=True)
    return pickle.LONG1 + bytes([len(content)]) + content


WRAPPER = name("joblib.numpy_pickle", "NumpyArrayWrapper") + pickle.EMPTY_TUPLE + pickle.NEWOBJ
NDARRAY = name("numpy", "ndarray")
DTYPE = name("numpy", "dtype")
TRUE, FALSE, NONE = pickle.NEWTRUE, pickle.NEWFALSE, pickle.NONE


def dtype(code="f8", order="<", *, callee=DTYPE, flags=FALSE + TRUE, version=3, tail=None):
    tail = NONE * 3 + number(-1) * 2 + number(0) if tail is None else tail
    call = callee + text(code) + flags + pickle.TUPLE3 + pickle.REDUCE
    state = pickle.MARK + number(version) + text(order) + tail + pickle.TUPLE
    return call + state + pickle.BUILD


def array(content=b"\0" * 16, **changes):
    """Return the opcodes and bytes of an array of two float64, with attributes changed."""
    attributes = {
        "subclass": NDARRAY,
        "shape": number(2) + pickle.TUPLE1,
        "order": text("C"),
        "dtype": dtype(),
        "allow_mmap": TRUE,
        "numpy_array_alignment_bytes": number(16),
    } | changes
    items = b"".join(text(key) + value for key, value in attributes.items() if value is not None)
    state = pickle.EMPTY_DICT + pickle.MARK + items + pickle.SETITEMS
    return WRAPPER + state + pickle.BUILD + b"\x01\xff" + content


def shape(*lengths):
    return pickle.MARK + b"".join(map(number, lengths)) + pickle.TUPLE


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "hostile.joblib"


def refusal(path):
    """Return the one line that refuses a file; nothing may have been run or much allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(ModelError) as caught:
            load_model(str(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < OVERHEAD + 2 * path.stat().st_size
    assert not Path(TRACE).exists()
    line = str(caught.value)
    assert line.startswith(f"{path}: is ")
    assert line.isprintable()
    return line


def test_the_building_blocks_are_what_joblib_reads(path):
    path.write_bytes(HEAD + array(np.array([1.0, 2.0]).tobytes()) + pickle.STOP)
    np.testing.assert_array_equal(joblib.load(path), [1.0, 2.0])


CALLS = {
    "os.system": Call(os.system, f"touch {TRACE}"),
    "eval": Call(eval, f"open({TRACE!r}, 'w')"),
    "exec": Call(exec, f"open({TRACE!r}, 'w')"),
    "open": Call(open, TRACE, "w"),
    "getattr": Call(getattr, "text", "upper"),
    "numpy.testing": Call(np.testing._private.utils.runstring, f"open({TRACE!r}, 'w')", {}),
    "numpy.memmap": Call(np.memmap, TRACE, "u1", "w+", 0, (4,)),
    "numpy.fromfile": Call(np.fromfile, "/etc/hostname"),
    "joblib.load": Call(joblib.load, "other.joblib"),
    "dtype of anything": Call(np.dtype, [("a", "O")]),
    "ndarray of a size": Call(np.ndarray, (2**40,)),
    "bytes of a size": Call(bytes, 2**40),
    "a state": Stateful(Call, print),
}


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls(path, call, protocol):
    path.write_bytes(pickle.dumps({"ikpca_format": 1, "method": call}, protocol))
    kind = FOREIGN if protocol >= 2 else "is not an ikpca model but "
    assert kind in refusal(path)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls_and_object_arrays_by_joblib(path, call):
    for value in (call, np.array([call, None], dtype=object), {"state": np.array(call)}):
        envelope = {"ikpca_format": 1, "method": "ikpca", "state": value}
        joblib.dump(envelope, path)
        assert FOREIGN in refusal(path)
        joblib.dump(envelope, path, compress=3)
        assert "a compressed file" in refusal(path)


def test_a_call_inside_a_real_model(path):
    rows = np.random.default_rng(0).normal(size=(20, 3))
    save_model(str(path), IKPCA(1, n_rff=12, gamma=1.0, ridge=1.0, noise_std=0.1).fit(rows))
    envelope = joblib.load(path)
    for part in ("params", "state", "versions"):
        joblib.dump(envelope | {part: envelope[part] | {"more": CALLS["os.system"]}}, path)
        assert "'posix.system'" in refusal(path)


def test_a_recorded_attack_by_reduce(path):
    path.write_bytes(
        b"\x80\x04\x95\x2f\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94"
        b"\x8c\x14touch ikpca_was_here\x94\x85\x94R\x94."
    )
    assert "it names 'posix.system'" in refusal(path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases are not here")
@pytest.mark.parametrize(
    ("case", "answer"),
    [
        ("hostile", "not an ikpca model"),
        ("hostile_object_array", "not an ikpca model"),
        ("not_a_model", "not an ikpca model"),
        ("truncated", "is incomplete"),
        ("empty", "is empty"),
    ],
)
def test_shared_cases(path, case, answer):
    path.write_bytes((SHARED / f"{case}.joblib").read_bytes())
    assert answer in refusal(path)


OPCODES = {
    "persistent id": b"Pid\n",
    "persistent id from the stack": text("id") + b"Q",
    "extension registry": b"\x82\x01",
    "extension registry, 2 bytes": b"\x83\x01\x01",
    "extension registry, 4 bytes": b"\x84\x01\x01\x01\x01",
    "global by lines": b"cposix\nsystem\n",
    "instance by lines": b"(iposix\nsystem\n",
    "object from the stack": b"(" + text("x") + b"o",
    "object with keywords": text("x") + b")}\x92",
    "list": b"]",
    "set": b"\x8f",
    "bytes": b"C\x01x",
    "bytes of 8 exabytes": b"\x8e" + b"\xff" * 7 + b"\x7f",
    "bytearray of 8 exabytes": b"\x96" + b"\xff" * 7 + b"\x7f",
    "text of 8 exabytes": b"\x8d" + b"\xff" * 7 + b"\x7f",
    "text of 4 GB": b"X\xff\xff\xff\xff",
    "out-of-band buffer": b"\x97",
    "integer of 2 GB": b"\x8b\xff\xff\xff\x7f",
    "integer of 255 bytes": b"\x8a\xff" + b"\x01" * 255,
    "integer by line": b"I9999999999\n",
    "memo by line": b"g99999999999999\n",
    "memo of 4 billion": b"j\xff\xff\xff\xff",
    "memo not there": b"h\x00",
    "put of 4 billion": b"}r\xff\xff\xff\xff",
    "duplicate": b"}2",
    "pop": b"}0",
    "protocol again": b"\x80\x04",
    "unknown": b"\xff",
    "nothing": b"",
    "mark alone": b"(",
    "tuple without a mark": b"t",
    "tuple of values not there": b"N\x87",
    "items without a mark": b"}u",
    "odd items": b"}(Nu",
    "items of what is no dict": b"N(" + text("a") + b"Nu",
    "items of a dict under a mark": b"}(" + text("a") + b"NNs",
    "item with a key that is no text": b"}" + number(1) + b"Ns",
    "item with a key that is a tuple": b"}" + pickle.EMPTY_TUPLE + b"Ns",
    "item twice": b"}(" + 2 * (text("a") + b"N") + b"u",
    "text that is not UTF-8": b"\x8c\x01\xff",
    "name that is no text": number(1) + text("system") + b"\x93",
    "name of arrays": array() + array() + b"\x93",
    "name of ours": name("ikpca_cli.estimators.methods", "METHODS"),
    "name with dots": name("numpy", "dtype.__class__"),
    "name with control characters": name("a\nb\x1b[31m", "c"),
    "build on a dict": b"}}b",
    "build on a name": NDARRAY + b"}b",
    "build without anything": b"b",
    "two values": b"}}",
}


@pytest.mark.parametrize("opcodes", OPCODES.values(), ids=OPCODES)
def test_opcodes(path, opcodes):
    path.write_bytes(HEAD + opcodes + pickle.STOP)
    assert FOREIGN in refusal(path)


ARRAYS = {
    "matrix": array(subclass=name("numpy", "matrix")),
    "memmap": array(subclass=name("numpy", "memmap")),
    "dtype as subclass": array(subclass=name("numpy", "dtype")),
    "no subclass": array(subclass=NONE),
    "array as subclass": array(subclass=array()),
    "Fortran order": array(order=text("F")),
    "array as order": array(order=array()),
    "no order": array(order=None),
    "one attribute more": array(filename=text("/etc/passwd")),
    "attributes that are an array": WRAPPER + array() + b"b",
    "attributes that are none": WRAPPER + b"Nb",
    "wrapper in its own attributes": WRAPPER + pickle.MEMOIZE + b"}" + text("dtype") + b"h\0sb",
    "made with arguments": name("joblib.numpy_pickle", "NumpyArrayWrapper") + b"N\x85\x81",
    "made from an array": array() + b")\x81",
    "made with an array": name("joblib.numpy_pickle", "NumpyArrayWrapper") + array() + b"\x81",
    "called": name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")R",
    "ndarray made": NDARRAY + number(2**40) + b"\x85\x81",
    "ndarray called": NDARRAY + number(2**40) + b"\x85R",
    "older wrapper": name("joblib.numpy_pickle_compat", "NDArrayWrapper") + b")\x81}b",
    "zip wrapper": name("joblib.numpy_pickle_compat", "ZNDArrayWrapper") + b")\x81}b",
    "objects": array(dtype=dtype("O8", "|")),
    "objects by another state": array(dtype=dtype("f8", "|")),
    "text": array(dtype=dtype("U2")),
    "bytes": array(dtype=dtype("S8", "|")),
    "void": array(dtype=dtype("V8", "|")),
    "complex": array(dtype=dtype("c16")),
    "integers": array(dtype=dtype("i8")),
    "half": array(dtype=dtype("f2")),
    "code that is long": array(dtype=dtype("f8," * 80)),
    "fields": array(dtype=dtype(tail=NONE + shape(1) + b"}" + number(8) + number(1) + number(0))),
    "subarray": array(dtype=dtype(tail=shape(2**40) + NONE * 2 + number(-1) * 2 + number(0))),
    "metadata": array(dtype=dtype(version=4, tail=NONE * 3 + number(-1) * 2 + number(0) + b"}")),
    "flags": array(dtype=dtype(flags=TRUE + TRUE)),
    "flags that are arrays": array(dtype=dtype(flags=array() + array())),
    "dtype called with an array": name("numpy", "dtype") + array() + b"R",
    "state that is an array": name("numpy", "dtype")
    + text("f8")
    + FALSE
    + TRUE
    + b"\x87R"
    + array()
    + b"b",
    "dtype without a state": array(
        dtype=name("numpy", "dtype") + text("f8") + FALSE + TRUE + b"\x87R"
    ),
    "dtype of another name": array(dtype=dtype(callee=NDARRAY)),
    "dtype that is none": array(dtype=NONE),
    "dtype that is a text": array(dtype=text("f8")),
    "no dimension": array(shape=pickle.EMPTY_TUPLE),
    "five dimensions": array(b"\0" * 8, shape=shape(1, 1, 1, 1, 1)),
    "ten thousand dimensions": array(shape=pickle.MARK + b"K\x01" * 5_000 + pickle.TUPLE),
    "length 0": array(shape=shape(0)),
    "length -1": array(shape=shape(-1)),
    "two negative lengths": array(shape=shape(-1, -2)),
    "length 0 by 2**100": array(shape=shape(0, 2**100)),
    "length true": array(shape=b"\x88\x85"),
    "length 2.0": array(shape=pickle.BINFLOAT + struct.pack(">d", 2.0) + b"\x85"),
    "length none": array(shape=b"N\x85"),
    "length array": array(shape=array() + b"\x85"),
    "lengths in a dict": array(shape=b"}"),
}
ENDLESS = {
    "2**40": shape(2**40),
    "2**63": shape(2**63),
    "2**126": shape(2**126),
    "a product of 0 in 64 bits": shape(2**32, 2**32),
    "a product of 16 in 64 bits": shape(2**63 + 1, 2),
    "three": shape(3),
}


@pytest.mark.parametrize("value", ARRAYS.values(), ids=ARRAYS)
def test_arrays(path, value):
    path.write_bytes(HEAD + value + pickle.STOP)
    assert FOREIGN in refusal(path)


@pytest.mark.parametrize("lengths", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("code", ["f4", "f8"])
def test_arrays_longer_than_the_file(path, lengths, code):
    content = b"\0" * (8 if code == "f4" else 16)
    path.write_bytes(HEAD + array(content, shape=lengths, dtype=dtype(code)) + pickle.STOP)
    assert "is incomplete (truncated)" in refusal(path)


def test_padding_beyond_the_end(path):
    path.write_bytes(HEAD + array()[:-18] + b"\xff" + b"\0" * 100)
    assert "is incomplete (truncated)" in refusal(path)


def test_a_frame_beyond_the_end(path):
    path.write_bytes(HEAD + pickle.FRAME + b"\xff" * 8 + b"}.")
    assert "is incomplete (truncated)" in refusal(path)


def model_with(value):
    """Return a file whose envelope is right but for what stands for all of its parts."""
    head = text("ikpca_format") + number(1) + text("method") + text("ikpca")
    versions = text("versions") + b"}" + text("ikpca") + text("1") + b"s"
    rest = text("params") + value + text("state") + value
    return HEAD + pickle.EMPTY_DICT + pickle.MARK + head + versions + rest + b"u."


NESTED = {
    "tuples": b")" + b"\x85" * 9_900,
    "dicts": (b"}" + text("a")) * 3_000 + b"N" + b"s" * 3_000,
    "marks": b"(" * 9_900,
    "marked tuples": b"(" * 4_000 + b"t" * 4_000,
    "doubling tuples": b")\x94"
    + b"".join(
        b"j" + struct.pack("<I", i) + b"j" + struct.pack("<I", i) + b"\x86\x94"
        for i in range(2_000)
    ),
    "doubling dicts": b"}\x94"
    + b"".join(
        b"}("
        + text("a")
        + b"j"
        + struct.pack("<I", i)
        + text("b")
        + b"j"
        + struct.pack("<I", i)
        + b"u\x94"
        for i in range(1_000)
    ),
    "a dict in itself": b"}\x94" + text("a") + b"h\0s",
    "texts of four bytes a letter": (b"\x8c\xff" + "𝄞".encode() + b"a" * 251) * 9_900,
}


@pytest.mark.parametrize("value", NESTED.values(), ids=NESTED)
def test_nesting_and_references(path, value):
    path.write_bytes(HEAD + value + pickle.STOP)
    refusal(path)
    path.write_bytes(model_with(value))
    refusal(path)


def test_more_steps_than_any_model_needs(path):
    frame = pickle.FRAME + b"\0" * 8
    path.write_bytes(HEAD + frame * (MAX_OPCODES - 2) + b"N.")
    assert "something else" in refusal(path)
    path.write_bytes(HEAD + frame * (MAX_OPCODES - 1) + b"N.")
    assert FOREIGN in refusal(path)


def test_a_wrapper_without_its_array_is_no_value(path):
    wrapper = WRAPPER + pickle.MEMOIZE
    path.write_bytes(model_with(wrapper))
    assert "is damaged: its parameters are missing" in refusal(path)


def test_a_wrapper_may_not_read_an_array_twice(path):
    """Its second array is what follows in the file, or nothing; bytes are never shared."""
    attributes = array()[len(WRAPPER) :]
    twice = WRAPPER + b"\x94" + attributes + b"h\0" + attributes[:-16]
    path.write_bytes(HEAD + twice)
    assert "is incomplete (truncated)" in refusal(path)


def test_a_sparse_file_of_a_terabyte(path):
    with path.open("wb") as handle:
        handle.write(HEAD + b"}")
        handle.truncate(2**40)
    assert FOREIGN in refusal(path)


def test_a_name_cannot_bring_control_characters_to_the_terminal(path):
    path.write_bytes(HEAD + name("\x1b]0;title\x07\n", "\u202e") + pickle.STOP)
    assert "it names '\\x1b]0;title\\x07\\n.\\u202e'" in refusal(path)


IMPOSSIBLE = {
    "gamma_": -1e300,
    "n_samples_": 0,
    "total_variance_": 0.0,
    "noise_std_": -0.1,
    "ridge_": -2.0,
    "latent_gamma_": 0.0,
    "distance_limit_": -1.0,
    "spike_share_": -1.0,
    "explained_variance_": "first negative",
    "weights_": "first negative",
}


@pytest.fixture(params=[IKPCA, PCA])
def changed(request, tmp_path):
    """Write a sound model with one fitted value in the place of its own."""
    rows = np.random.default_rng(0).normal(size=(20, 4))
    path = str(tmp_path / "m.joblib")
    save_model(path, request.param(noise_std=1.0).fit(rows + 9 * rows[:, :1]))
    content = joblib.load(path)
    del content["checksum"]

    def write(name, value):
        content["state"][name] = value
        joblib.dump(content, path, protocol=4)
        return path

    return write


@pytest.mark.parametrize("codes", [[1.0], [255.0], [300.0], [65.0]])
def test_names_that_are_no_text_are_refused_before_any_row(changed, codes):
    with pytest.raises(ModelError, match=r"m.joblib: is damaged: .*(name|codec)"):
        load_model(changed("feature_codes_", np.array(codes)))


def test_a_whole_number_does_for_a_strength(changed):
    model = load_model(changed("strength_", 1))
    assert np.isfinite(model.denoise(np.eye(4))).all()


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_numbers_that_no_fit_could_have_made_are_refused(tmp_path, name):
    rows = np.random.default_rng(0).normal(size=(20, 4))
    model = KernelPCA(n_components=2, gamma=0.1, ridge=1.0, noise_std=0.5).fit(rows)
    path = tmp_path / "m.joblib"
    save_model(str(path), model)
    content = joblib.load(path)
    del content["checksum"]  # so that what else is checked is seen
    value = IMPOSSIBLE[name]
    if isinstance(value, str):
        value = np.array(content["state"][name])
        value[0] = -1.0
    content["state"][name] = value
    joblib.dump(content, path, protocol=4)
    with pytest.raises(ModelError, match=rf"m.joblib: is damaged: {name} is .*(negative|positive)"):
        load_model(str(path))


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("state", "shares_", 0.0),
        ("state", "shares_", -1.0),
        ("state", "shares_", 2.0),
        ("state", "directions_", 1e70),
        ("windows", "scale0", 1e300),
        ("windows", "stretching", 1e-300),
    ],
)
def test_windows_that_no_fit_could_have_made_are_refused(path, part, name, value):
    wave = np.sin(np.arange(400) / 7.0) + np.random.default_rng(0).normal(scale=0.2, size=400)
    save_model(str(path), fit_windows(Mixture(), [wave[:, None]], window=(16,)), force=True)
    content = joblib.load(path)
    del content["checksum"]
    content[part][name] = value + 0.0 * content[part][name]
    joblib.dump(content, path, protocol=4)
    assert "is damaged: " in refusal(path)
