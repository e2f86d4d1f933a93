"""Tables whose columns are signals, and maps: what instruments write, and what only looks so."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows

RNG = np.random.default_rng(11)
AXIS = np.round(178.2 + np.cumsum(np.linspace(0.5, 0.4, 80)), 3)
PLACE = (AXIS - AXIS[0]) / np.ptp(AXIS)
PEAKS = np.stack([np.exp(-(((PLACE - centre) / 0.08) ** 2)) for centre in (0.2, 0.5, 0.85)])
SIGNALS = np.round(RNG.uniform(0.5, 1.5, (12, 3)) @ PEAKS + RNG.normal(0.3, 0.02, (12, 80)), 4)


def pairs(signal, form="{:.3f},{:.4f}\n", axis=AXIS):
    return "".join(form.format(x, y) for x, y in zip(axis, signal, strict=True))


def side_by_side(head, signals=SIGNALS, axis=AXIS):
    rows = np.column_stack([axis, signals.T])
    return head + "".join(",".join(f"{v:.4f}" for v in row) + "\n" for row in rows)


ONE = {
    "wire": "#Wave\t\t#Intensity\r\n" + pairs(SIGNALS[0][::-1], "{:.3f}\t{:.4f}\r\n", AXIS[::-1]),
    "markers": "Date: Mon May 2\nXAxis mode: Wavelengths\n>>>>>Begin Spectral Data<<<<<\n"
    + pairs(SIGNALS[0], "{:.3f}\t{:.4f}\n")
    + ">>>>>End Spectral Data<<<<<\n",
    "comments": "##NAMES=Quartz\n##FILETYPE=Raman RAW\n\n" + pairs(SIGNALS[0]) + "##END=\n\n",
    "quoted title": '"Sample 1 - RawData"\n"Wavelength nm.","Abs."\n' + pairs(SIGNALS[0]),
    "decimal commas": "nm;A\n" + pairs(SIGNALS[0], "{:.3f};{:.4f}\n").replace(".", ","),
    "remarks below": "TITLE\tx\nNPOINTS\t80\nXYDATA\n"
    + pairs(SIGNALS[0], "{:.3f}\t{:.4f}\n")
    + "\n##### Extended Information\n[Comments]\nSample name\tx\nModel Name\tFT/IR\n",
    "blanks": pairs(SIGNALS[0], "   {:8.3f}    {:10.4f}\n"),
}


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_one_signal_a_file(tmp_path, text):
    path = tmp_path / "x.txt"
    path.write_bytes(text.encode())
    with read_rows(str(path), ReadOptions(orientation="signals")) as rows:
        falls = text is ONE["wire"]
        assert_array_equal(rows.read(), SIGNALS[:1, :: -1 if falls else 1])
        names = [float(name.replace(",", ".")) for name in rows.feature_names]
        assert_array_equal(names, AXIS[:: -1 if falls else 1])
        assert "for the axis of a signal" in rows.warnings[0]
        write_rows(str(tmp_path / "out.txt"), rows.read() + 1.0, rows.layout.with_digits(4))
    old, new = (p.read_bytes().decode().splitlines() for p in (path, tmp_path / "out.txt"))
    assert len(old) == len(new)
    changed = [place for place, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    assert len(changed) == 80
    mark = "\t" if "\t" in old[changed[0]] else ";" if ";" in old[changed[0]] else ","
    if text is not ONE["blanks"]:
        assert all(old[i].split(mark)[0] == new[i].split(mark)[0] for i in changed)


@pytest.mark.parametrize(
    "head",
    [
        "Wavelength," + ",".join(f"s{i}" for i in range(12)) + "\n",
        "",
        "," + ",".join("abcdefghijkl") + "\n",
    ],
    ids=["named", "none", "pandas"],
)
@pytest.mark.parametrize("transpose", [False, True])
def test_signals_side_by_side(tmp_path, head, transpose):
    (tmp_path / "x.csv").write_text(side_by_side(head))
    with read_rows(str(tmp_path / "x.csv"), ReadOptions(transpose=transpose)) as rows:
        assert_allclose(rows.read(), SIGNALS)
        assert [float(name) for name in rows.feature_names] == AXIS.tolist()


def test_an_axis_that_is_repeated_before_each_signal(tmp_path):
    rows = np.column_stack([column for one in SIGNALS[:4] for column in (AXIS, one)])
    text = "S1,,S2,,S3,,S4,,\n" + "Wavelength (nm),Abs," * 4 + "\n"
    text += "".join(",".join(f"{v:.4f}" for v in row) + ",\n" for row in rows)
    (tmp_path / "x.csv").write_text(text + "\nS1\nOperator Name : nobody\n\n")
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert_allclose(rows.read(), SIGNALS[:4])
        assert [float(name) for name in rows.feature_names] == AXIS.tolist()
        assert "columns 3, 5, 7 repeat" in rows.warnings[0]


def test_an_axis_may_be_rounded_and_must_go_on(tmp_path):
    path = tmp_path / "x.csv"
    for places, good in ((1, True), (0, False)):
        axis = np.round(1000.0 - 20.0 * PLACE, places)
        axis[40] = axis[41]
        path.write_text(pairs(SIGNALS[0], axis=axis))
        with read_rows(str(path), ReadOptions(orientation="signals")) as rows:
            assert rows.shape == ((1, 80) if good else (80, 2))


def test_frames_along_an_axis_that_bends_are_signals(tmp_path):
    """As kinetic series of a spectrograph; its pixels lie along a cubic, times along no curve."""
    path = tmp_path / "a.asc"
    pixels = np.arange(200.0)
    frames = np.round(500.0 + 200.0 * np.sin(pixels / 20.0) + RNG.normal(0.0, 9.0, (30, 200)))
    frames *= 1.0 + 0.2 * np.sin(np.arange(30.0) / 5.0)[:, None]
    axis = np.round(187.3 + 1.38 * pixels - 3e-5 * pixels**2, 4)
    for name, places, turned in (
        ("", axis, True),
        ("time (s),", axis, False),
        ("", np.round(1.38 * pixels, 4), False),
        ("", np.round(1.38 * pixels + RNG.normal(0.0, 0.01, 200), 4), False),
    ):
        above = name + ",".join(f"f{frame}" for frame in range(30)) + "\n" if name else ""
        path.write_text(side_by_side(above, frames, places))
        with read_rows(str(path), ReadOptions()) as rows:
            assert rows.shape == ((30, 200) if turned else (200, 31))


@pytest.mark.parametrize("size", [200.0, 0.0])
def test_quantities_of_other_sizes_along_an_axis_are_no_signals_of_one_kind(tmp_path, size):
    """As of X-ray absorption and impedance: cleaned together the small ones would be lost."""
    path = tmp_path / "a.txt"
    unlike = SIGNALS[:4] * np.array([1.0, 1.0, size, 1.0])[:, None]
    path.write_text(side_by_side("wavelength,i0,i1,sum,mu\n", unlike))
    with pytest.raises(InputError, match=r"different quantities along it .*column 4 ") as caught:
        read_rows(str(path), ReadOptions())
    assert "--columns" in str(caught.value)
    assert "--window auto" in str(caught.value)
    lines = side_by_side("wavelength,i0,i1,sum,mu\n", unlike).splitlines()
    words = "abcdefgh"
    named = [f"{words[k % 8]}{words[k // 8 % 8]}x,{line}\n" for k, line in enumerate(lines)]
    (tmp_path / "named.txt").write_text("".join(["name" + named[0][3:], *named[1:]]))
    with pytest.raises(InputError, match="column 2 looks like an axis"):
        read_rows(str(tmp_path / "named.txt"), ReadOptions())
    for options, shape in (
        (ReadOptions(columns="1,2,3,5"), (3, 80)),
        (ReadOptions(transpose=True), (4, 80)),
        (ReadOptions(recording=True), (80, 5)),
    ):
        with read_rows(str(path), options) as rows:
            assert rows.shape == shape
    path.write_text(side_by_side("wavelength,a,b,c,d\n", SIGNALS[:4] * np.array([[1, 2, 4, 5]]).T))
    with read_rows(str(path), ReadOptions()) as rows:
        assert rows.shape == (4, 80)


def test_a_recording_and_a_numbered_stack_are_no_signals_along_an_axis(tmp_path):
    times = 0.004 * np.arange(80)
    smooth = SIGNALS[:, 0] + 0.1 * np.arange(80)[:, None]
    tables = {
        "time": side_by_side("time,a,b,c,d\n", SIGNALS[:4], times),
        "years": side_by_side("year,a,b,c,d\n", SIGNALS[:4], 1940.0 + np.arange(80)),
        "numbers": side_by_side(
            "id," + ",".join("abcdefghijkl") + "\n", smooth.T, 1001.0 + np.arange(80)
        ),
        "two columns": pairs(SIGNALS[0]),
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text)
        with read_rows(str(tmp_path / f"{name}.csv")) as rows:
            assert rows.shape[0] == 80, name
    (tmp_path / "one.csv").write_text(ONE["wire"])
    for options in (
        ReadOptions(orientation="rows"),
        ReadOptions(recording=True),
        ReadOptions(width=2),
    ):
        with read_rows(str(tmp_path / "one.csv"), options) as rows:
            assert rows.shape == (80, 2)


MAP = "".join(
    f"{i % 4 * 1.5}\t{i // 4 * 2.5}\t" + "\t".join(f"{v:.4f}" for v in one) + "\n"
    for i, one in enumerate(SIGNALS)
)
AXIS_LINE = "\t".join(f"{a:.3f}" for a in AXIS) + "\n"


@pytest.mark.parametrize("corner", ["", "\t\t", "#Range=\t100...300\n#Unit=\t1/cm\n\t\t", "X\tY\t"])
def test_maps(tmp_path, corner):
    (tmp_path / "x.txt").write_text(corner + AXIS_LINE + MAP)
    with read_rows(str(tmp_path / "x.txt")) as rows:
        assert_array_equal(rows.read(), SIGNALS)
        assert [float(name) for name in rows.feature_names] == AXIS.tolist()
        assert "columns 1, 2 for labels" in rows.warnings[0]
        write_rows(str(tmp_path / "out.txt"), rows.read(), rows.layout.with_digits(4))
    assert (tmp_path / "out.txt").read_text() == corner + AXIS_LINE + MAP


def test_signals_below_each_other_with_names_or_places(tmp_path):
    for places in (["1.5\t2.5", "1.5\t5.0"], ["a", "b"]):
        text = "".join(
            pairs(one, place + "\t{:.3f}\t{:.4f}\n")
            for place, one in zip(places, SIGNALS, strict=False)
        )
        (tmp_path / "x.txt").write_text(text)
        with read_rows(str(tmp_path / "x.txt")) as rows:
            assert_array_equal(rows.read(), SIGNALS[:2])
            assert [float(name) for name in rows.feature_names] == AXIS.tolist()
        nearly = text.replace(f"{AXIS[70]:.3f}", f"{AXIS[70] + 0.001:.3f}", 1)
        (tmp_path / "x.txt").write_text(nearly)
        with read_rows(str(tmp_path / "x.txt")) as rows:
            assert_array_equal(rows.read(), SIGNALS[:2])
            assert "of a step apart, and were taken for the same" in " ".join(rows.warnings)
            write_rows(
                str(tmp_path / "out.txt"), rows.read(), rows.layout.with_digits(4), force=True
            )
        assert (tmp_path / "out.txt").read_text() == nearly
        moved = text.replace(f"{AXIS[70]:.3f}", f"{AXIS[70] + 0.2:.3f}", 1)
        (tmp_path / "x.txt").write_text(moved)
        with pytest.raises(InputError, match="their axis is not the same for all"):
            read_rows(str(tmp_path / "x.txt"))


def test_properties_before_an_axis_are_labels(tmp_path):
    head = "ID,Protein," + ",".join(f"{a:.3f}" for a in AXIS) + "\n"
    rows = "".join(
        f"s{i},{10 + i}," + ",".join(map(str, one)) + "\n" for i, one in enumerate(SIGNALS)
    )
    (tmp_path / "x.csv").write_text(head + rows)
    with read_rows(str(tmp_path / "x.csv")) as found:
        assert_array_equal(found.read(), SIGNALS)


@pytest.mark.parametrize("name", ["{}", "{} cm-1", "spec.{}"])
@pytest.mark.parametrize("properties", [("Protein",), ("Protein", "class")])
def test_properties_behind_an_axis_are_labels(tmp_path, name, properties):
    """As tables for calibrations have them, under whatever names R and spreadsheets gave."""
    axis = [name.format(f"{a:.3f}") for a in AXIS]
    text = (
        ",".join(["ID", *axis, *properties])
        + "\n"
        + "".join(
            ",".join(
                [f"s{i}", *map(str, one), str(10 + i % 7), *(["ab"[i % 2]] * (len(properties) - 1))]
            )
            + "\n"
            for i, one in enumerate(SIGNALS)
        )
    )
    (tmp_path / "x.csv").write_text(text)
    with read_rows(str(tmp_path / "x.csv")) as found:
        assert_array_equal(found.read(), SIGNALS)
        assert found.feature_names == tuple(axis)
        write_rows(str(tmp_path / "out.csv"), found.read(), found.layout)
    assert [line.split(",")[-1] for line in (tmp_path / "out.csv").read_text().splitlines()] == [
        line.split(",")[-1] for line in text.splitlines()
    ]
    path = tmp_path / "comma.csv"
    path.write_text(text.replace(",", ";").replace(".", ","))
    with read_rows(str(path)) as found:
        assert_array_equal(found.read(), SIGNALS)
    columns = f"2-{len(AXIS) + 2}"
    with read_rows(str(tmp_path / "x.csv"), ReadOptions(columns=columns)) as found:
        assert found.shape == (len(SIGNALS), len(AXIS) + 1)  # as they are chosen


@pytest.mark.parametrize(("place", "labels"), [(0, 0), (12, 1)])
def test_what_rises_before_numbered_columns_may_be_times(tmp_path, place, labels):
    values = np.random.default_rng(3).normal(size=(40, 12))
    values = np.insert(values, place, np.sort(values[:, 0]), axis=1)
    names = ",".join(np.insert([f"x{i}" for i in range(12)], place, "what").tolist())
    np.savetxt(tmp_path / "x.csv", values, "%.5f", ",", header=names, comments="")
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert rows.shape == (40, 13 - labels)


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["y", *(f"pixel{i}" for i in range(12))], 1),
        ([*(str(i) for i in range(12)), "target"], 1),
        ([*(f"x{i}" for i in range(5)), "target"], 0),  # may as well be measured
        ([*(f"x{i}" for i in range(6)), "y", *(f"x{i}" for i in range(6, 12))], 0),
        ([*(f"x{i * i % 7}{i}" for i in range(12)), "target"], 0),
        ([*(f"x{i + 10}{'0' * 400}" for i in range(12)), "y"], 0),
        (["y", *(f"{i // 4}x{i % 4}" for i in range(12))], 0),
    ],
)
def test_a_column_beside_numbered_ones_is_a_label(tmp_path, names, labels):
    values = np.random.default_rng(3).normal(size=(40, len(names)))
    np.savetxt(tmp_path / "x.csv", values, "%.3f", ",", header=",".join(names), comments="")
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert rows.shape == (40, len(names) - labels)
        assert any("as the others are numbered" in line for line in rows.warnings) == bool(labels)
    with read_rows(str(tmp_path / "x.csv"), ReadOptions(width=len(names))) as rows:
        assert rows.shape == (40, len(names))  # as a model knows them


def test_classes_of_rows_are_asked_about_or_refused(tmp_path):
    for form in ("{c}\t{row}\n", "{row}\t{c}\n"):
        text = "".join(
            form.format(c=i % 2 + 1, row="\t".join(map("{:.4f}".format, one)))
            for i, one in enumerate(SIGNALS)
        )
        (tmp_path / "x.tsv").write_text(text)
        with read_rows(str(tmp_path / "x.tsv")) as rows:
            assert "the class of each row" in rows.warnings[0]
    letters = (f"{'abcdefghij'[i % 10]}{'abcdefghij'[i // 10]}" for i in range(len(SIGNALS[0])))
    names = ",".join(["what", "group", *letters])
    text = "".join(
        f"walk,{i % 2 + 1}," + ",".join(map("{:.4f}".format, one)) + "\n"
        for i, one in enumerate(SIGNALS)
    )
    (tmp_path / "x.csv").write_text(f"{names}\n{text}")
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert "column 2 'group' holds 2 whole numbers" in rows.warnings[-1]
        assert rows.warnings[-1].endswith("give --labels 1,2")


def test_names_with_units_are_those_of_a_signal_below_remarks(tmp_path):
    time = np.linspace(0.0, 5.0, 61)
    text = "".join(f"{t:.4f};{y:.3f}\n" for t, y in zip(time, np.cos(time), strict=True))
    (tmp_path / "x.csv").write_text(
        f"Sample;run 3\nDate;2024-03-01\nTime (min);Signal (mAU)\n{text}"
    )
    with read_rows(str(tmp_path / "x.csv"), ReadOptions(width=61)) as rows:
        table = rows.layout.table
    assert (table.label_names, table.names) == (("Time (min)",), ("Signal (mAU)",))
    (tmp_path / "x.csv").write_text(f"Time;Signal\n(min);(mAU)\n{text}")
    with read_rows(str(tmp_path / "x.csv"), ReadOptions(width=61)) as rows:
        assert rows.layout.table.names == ("Signal",)
    (tmp_path / "x.ts").write_text(
        "@data\n" + "".join(",".join(map("{:.4f}".format, one)) + ":1\n" for one in SIGNALS)
    )
    with pytest.raises(InputError, match=":1', not a number"):
        read_rows(str(tmp_path / "x.ts"))


def test_several_values_to_a_line_of_jcamp_are_refused(tmp_path):
    text = "##TITLE=x\n##JCAMP-DX=4.24\n##XYDATA=(X++(Y..Y))\n400 1 2 3\n406 4 5 6\n##END=\n"
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(InputError, match="is a JCAMP-DX file"):
        read_rows(str(tmp_path / "x.txt"))


def test_pairs_with_axes_of_their_own_are_refused(tmp_path):
    path = tmp_path / "pairs.csv"
    even = 400.0 + np.arange(80)

    def read(other):
        rows = np.column_stack([even, SIGNALS[0], other, SIGNALS[1]])
        body = "".join(",".join(f"{v:.4f}" for v in row) + "\n" for row in rows)
        path.write_text("Wavelength (nm),Abs,x,Abs\n" + body)
        with read_rows(str(path), ReadOptions()) as found:
            return found.shape

    with pytest.raises(InputError, match="column 3 looks like an axis, other than that in the fi"):
        read(even + 0.5)
    assert read(even) == (2, 80)  # the same again
    decay = np.exp(-np.arange(80) / 30.0)
    assert read(decay) == (3, 80)  # smooth as it is
    with pytest.raises(InputError, match="different quantities along it"):
        read(300.0 * decay)


@pytest.mark.parametrize("before", ["", "row,"])
@pytest.mark.parametrize("behind", ["", "0.02"])
def test_signals_below_each_other_by_their_names_alone(tmp_path, before, behind):
    error = ",intensity_err" if behind else ""
    lines = [before.replace("row", '""') + "sample,wl,intensity" + error]
    for place, (name, x) in enumerate((i, k) for i in range(12) for k in range(80)):
        count = f"{place + 1}," if before else ""
        tail = f",{behind}" if behind else ""
        lines.append(f"{count}s{name},{AXIS[x]},{SIGNALS[name, x]}{tail}")
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert_array_equal(rows.read(), SIGNALS)
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == (tmp_path / "x.csv").read_text()


@pytest.mark.parametrize("name", ["flux_err", "sigma(I)", "Std. error", "uncertainty", "x.xye"])
def test_uncertainties_are_kept_and_not_cleaned(tmp_path, name):
    path = tmp_path / ("x.xye" if name == "x.xye" else "x.csv")
    rows = zip(AXIS[::-1], SIGNALS[0, ::-1], np.sqrt(SIGNALS[0, ::-1]), strict=True)
    head = "" if name == "x.xye" else f"wavelength,flux,{name}\n"
    path.write_text(head + "".join("{:.3f},{:.4f},{:.4f}\n".format(*row) for row in rows))
    with read_rows(str(path)) as read:
        assert_array_equal(read.read(), SIGNALS[:1, ::-1])
        assert "for uncertainties of others" in read.warnings[0]
    with read_rows(str(path), ReadOptions(recording=True)) as read:
        assert read.shape == (80, 2)
    with read_rows(str(path), ReadOptions(columns="1-3", recording=True)) as read:
        assert read.shape == (80, 3)


def test_names_such_as_uncertainties_have_are_signals_where_nothing_else_is(tmp_path):
    (tmp_path / "x.csv").write_text(side_by_side("wavelength,sd,se\n", SIGNALS[:2]))
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert rows.shape == (2, 80)


def test_times_and_temperatures_of_each_cycle_are_no_wells(tmp_path):
    wells = [f"{letter}{count}" for letter in "AB" for count in range(1, 7)]
    cycles = ",".join(str(cycle + 1) for cycle in range(80))
    times, warm = (
        ",".join(f"{form(i):g}" for i in range(80)) for form in (lambda i: 300 * i, np.cos)
    )
    body = "".join(
        f"{well}," + ",".join(f"{v:.4f}" for v in row) + "\n"
        for well, row in zip(wells, SIGNALS, strict=True)
    )
    head = f"Cycle Nr.,{cycles}\nTime [s],{times}\nTemp. [C],{warm}\n"
    (tmp_path / "x.csv").write_text(head + body)
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert_array_equal(rows.read(), SIGNALS)
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == head + body
    named = body.replace("A1,", "A (1),", 1).replace("A2,", "A (2),", 1)
    (tmp_path / "x.csv").write_text(f"name,{cycles}\n{named}")
    with read_rows(str(tmp_path / "x.csv")) as rows:
        assert rows.shape == (12, 80)


def test_groups_of_numbered_columns_are_all_data(tmp_path):
    names = [f"{letter}{count}" for letter in "AB" for count in range(1, 13)]
    rows = RNG.normal(size=(40, 24))
    np.savetxt(tmp_path / "x.csv", rows, "%.4f", ",", header=",".join(names), comments="")
    with read_rows(str(tmp_path / "x.csv")) as read:
        assert read.shape == (40, 24)
