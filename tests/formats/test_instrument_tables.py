"""Tables as loggers, oscilloscopes and archives write them, and what is said of their faults."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows

ROWS = np.random.default_rng(np.random.SeedSequence([14, 2])).normal(5.0, 1.0, (60, 8))


def lines(rows=ROWS, form="%.3f", between=","):
    return [between.join(form % value for value in row) for row in rows]


@pytest.fixture
def said(tmp_path):
    """Return what is said of a text that is read, without the name of its file."""

    def read(text, **options):
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with read_rows(str(path), ReadOptions(**options)) as rows:
            return " ".join(rows.warnings).replace(f"{path}: ", "")

    return read


@pytest.fixture
def refused(said):
    def read(text, **options):
        with pytest.raises(InputError) as caught:
            said(text, **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return read


def joined(*parts):
    return "\n".join(line for part in parts for line in ([part] if isinstance(part, str) else part))


HEADER = "a,b,c,d,e,f,g,h"


def test_a_quote_that_is_not_closed_loses_no_header_and_no_row(refused, said):
    open_row = '"' + lines()[0]
    assert "line 2 has a quote that is not closed" in refused(joined(HEADER, open_row, lines()))
    assert "line 1 has a quote" in refused(joined(HEADER.replace("b", '"b'), lines()))
    assert "preamble" in said(joined('A disk of 3.5" in a drawer', HEADER, lines()) + "\n")
    narrow = lines(ROWS[:, :2])
    assert "quote" not in said(joined('Wafer,3.5" wide', "Run,7", "x,y", narrow, ""))


def test_a_file_that_breaks_off_within_a_number_is_warned_of(said):
    whole = joined(lines())
    assert said(whole) == ""
    assert said(whole + "\n") == ""
    assert said(whole[:-2] + "\n") == ""
    assert f"ends in {whole[-5:-2]}, with fewer digits" in said(whole[:-2])
    assert "with fewer digits" in said(joined(lines(form="%.4e"))[:-4])
    assert said(joined(lines(form="%.3g"))) == ""
    assert said(joined(lines(ROWS[:9]))[:-2]) == ""


def test_a_file_that_breaks_off_within_a_row_is_to_be_copied_again(refused):
    assert "copy it again" in refused(joined(lines(), "1.0,2.0,3."))


@pytest.mark.parametrize(
    ("mark", "option"), [("; ", "';'"), ("% ", "%"), ("// ", "/"), ("!", "'!'")]
)
def test_comments_in_between_name_the_option(refused, said, mark, option):
    rows = lines(form="%.2f", between="\t")
    text = joined(rows[:20], f"{mark}paused", rows[20:])
    assert f"if it is a comment, give --comment {option}" in refused(text)
    assert said(text, comment=mark[0]).startswith(f"line 21 begins with {mark[0]}: comments")


def test_a_header_that_comes_again_is_named(refused, said):
    assert "row 21 (line 22) is the header again" in refused(
        joined(HEADER, lines()[:20], HEADER, lines()[20:])
    )
    axis = "400,405,410,415,420,425,430,435"
    text = joined(axis, lines()[:20], axis, lines()[20:], "")
    assert "row 21 is the axis above the rows again" in said(text)
    assert "again" not in said(joined(axis, lines(), ""))


@pytest.mark.parametrize("word", ["OVLD", "---", "ND", "Over range"])
def test_words_name_what_takes_them_for_missing(refused, said, word):
    rows = [line.split(",") for line in lines()]
    rows[7][3] = word
    text = joined(",".join(row) for row in rows)
    assert "give --na " in refused(text)
    assert said(text, na=word, missing="drop")


@pytest.mark.parametrize("cell", ["3.2%", "$3.20", "(3.20)", "3.20-", "'3.2'", "3.2 mV", "3.2mV"])
def test_what_stands_beside_a_number_is_said_to_be_in_the_way(refused, cell):
    rows = [line.split(",") for line in lines()]
    rows[7][3] = cell
    text = refused(joined(",".join(row) for row in rows))
    assert "row 8, column 4" in text
    assert "leave the number alone in its cell" in text


@pytest.mark.parametrize("cell", ["1.#INF", "-1.#INF00", "∞", "-∞"])
def test_infinite_numbers_of_other_spellings(refused, cell):
    rows = [line.split(",") for line in lines()]
    rows[7][3] = cell
    assert "infinite" in refused(joined(",".join(row) for row in rows))


def test_an_exponent_without_its_letter(refused):
    rows = [line.split(",") for line in lines()]
    rows[7][3] = "0.12345678-101"
    assert "leaves the E out" in refused(joined(",".join(row) for row in rows))


def test_columns_of_few_numbers_are_named_with_what_leaves_them_out(refused, said):
    body = [f"{line[:11]},{place if place < 2 else ''}," for place, line in enumerate(lines())]
    text = joined("X,CH1,Start,Step", body, "")
    message = refused(text)
    assert "row 3 (line 4), column 3 'Start' is missing, and most or all below it" in message
    assert "give --columns ^3 to leave out" in message
    assert "missing" not in said(text, columns="^3")
    assert "row 2, column 2 is missing; mend it" in refused("1,2\n3,\n4,5\n6,7\n")


@pytest.mark.parametrize("above", [("a,,,b,c,,note",), ()])
def test_empty_columns_are_no_data_and_come_back_as_they_are(tmp_path, above):
    """As HOBO's, whose events stand in columns of their own, and Tektronix's settings."""
    path = tmp_path / "a.csv"
    body = [f"{a},,,{b},{c},," for a, b, c in zip(*np.round(ROWS[:, :3].T, 3), strict=True)]
    body[2] += "Logged"
    path.write_text(joined(above, body, ""))
    with read_rows(str(path), ReadOptions()) as rows:
        np.testing.assert_allclose(rows.read(), ROWS[:, :3], atol=1e-3)
        assert "columns 2" in rows.warnings[0]
        assert "for no data" in rows.warnings[0]
        assert rows.layout.feature_names == (("a", "b", "c") if above else None)
        write_rows(str(tmp_path / "b.csv"), rows.read() + 1.0, rows.layout)
    written = (tmp_path / "b.csv").read_text().splitlines()
    assert written[: len(above)] == [*above]
    for row, line in enumerate(written[len(above) :]):
        cells = line.split(",")
        np.testing.assert_allclose(
            [float(cells[c]) for c in (0, 3, 4)], ROWS[row, :3] + 1, atol=2e-3
        )
        assert [cells[c] for c in (1, 2, 5, 6)] == ["", "", "", "Logged" if row == 2 else ""]


def test_a_file_that_grows_while_it_is_read_is_warned_of(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(joined(lines(), ""))

    def more(*_):
        with path.open("a") as file:
            file.write("1.5,2")

    with read_rows(str(path), ReadOptions(), progress=more) as rows:
        assert len(rows) == len(ROWS)
        assert "wrote to it while it was read" in rows.warnings[-1]
    path.write_text(joined(lines(), ""))
    with read_rows(str(path), ReadOptions()) as rows:
        assert rows.warnings == ()


def test_a_number_sign_may_be_the_name_of_the_first_column(tmp_path):
    """As HOBO's without quotes: it is no comment, after which all names would be moved by one."""
    path = tmp_path / "a.csv"
    body = [f"{i + 1},10:{i:02d}:00,{a},{b},," for i, (a, b) in enumerate(np.round(ROWS[:, :2], 3))]
    path.write_text(joined("#,Time,Temp,RH,Event,End", body, ""))
    with read_rows(str(path), ReadOptions()) as rows:
        assert rows.layout.feature_names == ("#", "Temp", "RH")
        assert "column 2 'Time' for labels" in rows.warnings[0]
        assert "--labels 1,2,5,6" in rows.warnings[1]


def test_columns_that_are_empty_only_at_first_are_refused(refused, said):
    full = np.tile(ROWS, (10, 1))
    text = joined(
        ",".join("abcdefgh"), [f"{line}," for line in lines(full[:, :7])], lines(full[:9])
    )
    assert "column 8 is empty in the first rows and has numbers further down" in refused(text)
    assert said(text, columns="^8") == ""
    assert "missing" in said(text, columns="1-", missing="drop")
    assert "column 8 'h' is missing" in refused(text, width=8)  # as a model knows


def test_an_axis_beside_empty_columns_is_one(tmp_path):
    path = tmp_path / "a.csv"
    axis = 400.0 + np.arange(60)
    body = [f"{x:.0f},{y:.3f},," for x, y in zip(axis, ROWS[:, 0], strict=True)]
    path.write_text(joined("Wavelength (nm),Counts,,Remark", body, ""))
    with read_rows(str(path), ReadOptions(orientation="signals")) as rows:
        np.testing.assert_allclose(rows.read(), ROWS[None, :, 0], atol=1e-3)
        assert [float(name) for name in rows.layout.feature_names or ()] == axis.tolist()


def test_columns_of_text_stay_labels_where_others_are_left_out(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{place},a{place % 3}x,{line},,ok" for place, line in enumerate(lines())]
    path.write_text(joined(rows, ""))
    with read_rows(str(path), ReadOptions(columns="^1,^11")) as read:
        np.testing.assert_allclose(read.read(), np.round(ROWS, 3))
        assert read.layout.table.label_places == (0, 9)
    with pytest.raises(InputError, match="column 2 is 'a0x'"):
        read_rows(str(path), ReadOptions(columns="2-10"))


def test_remarks_below_a_blank_line_are_no_rows_and_come_back(tmp_path):
    """As JASCO's, some of which hold as many cells as a row."""
    axis = np.linspace(580.0, 600.0, 60)
    body = [f"{x:.4f}\t{y:.3f}" for x, y in zip(axis, ROWS[:, 0], strict=True)]
    tail = ["", "##### Extended Information", "[Comments]", "Sample name\t", "", "[Information]"]
    tail += ["Data points\t3988", "Start\t580.251 cm-1", "Shift\t9.0", ""]
    path = tmp_path / "a.txt"
    path.write_text(joined("TITLE\t", "XYDATA", body, tail))
    with read_rows(str(path), ReadOptions(orientation="signals")) as rows:
        assert rows.shape == (1, 60)
        write_rows(str(tmp_path / "b.txt"), rows.read(), rows.layout)
    assert (tmp_path / "b.txt").read_text() == path.read_text()


def test_a_mistake_below_a_blank_line_is_no_remark(refused):
    assert "row 61 (line 62)" in refused(joined(lines(), "", "1,2,3,4,5,x,7,8"))
    assert "row 61 (line 62) has 1 cell" in refused(
        joined(lines(), "", "remark", "1,2,3,4,5,6,7,8")
    )


def test_words_above_that_are_padded_with_zero_bytes(tmp_path):
    """As Avantes writes the name of a spectrometer."""
    head = b"Integration time: 23.16 ms\nname: 0606052U1" + bytes(55) + b"\nWave;Sample\n[nm];[]\n"
    body = "".join(f"{300 + i / 2:.2f};{y:.4f}\n" for i, y in enumerate(ROWS[:, 0])).encode()
    (tmp_path / "a.ttt").write_bytes(head + body)
    with read_rows(str(tmp_path / "a.ttt"), ReadOptions(orientation="signals")) as rows:
        assert rows.shape == (1, 60)
        write_rows(str(tmp_path / "b.txt"), rows.read(), rows.layout)
    assert (tmp_path / "b.txt").read_bytes() == head + body


def test_a_long_line_of_letters_is_looked_through_once(said):
    """Exponents of wide rows; for each of them the rest of the line was looked through again."""
    assert said(joined(lines(np.tile(ROWS[:3], 500), "%.6e"), "")) == ""


def test_zero_bytes_at_the_end_are_said(refused):
    text = joined(lines(), "").encode()
    assert "is not an array file" in refused(b"name\0\0x\n" + text)
    assert "is not an array file" in refused(b"12\0\0\n" + text)
    assert "line 61 holds zero bytes" in refused(text + bytes(512))
    assert "is not an array file" in refused(b"\x7fELF" + bytes(60))


@pytest.mark.parametrize("form", ["%.18e", "%r"])
@pytest.mark.parametrize("first", [True, False])
def test_classes_beside_exponents_or_with_a_decimal_are_asked_about(said, form, first):
    rng = np.random.default_rng(np.random.SeedSequence([14, 3]))
    classes = rng.integers(0, 5, (60, 1)).astype(float)
    beats = np.round(rng.uniform(size=(60, 20)), 6)
    beats[:, -2:] = 0.0  # padded, as beats of one length are
    table = np.hstack([classes, beats] if first else [beats, classes])
    text = joined((",".join(form % float(v) for v in row) for row in table), "")
    assert f"column {1 if first else 21} holds 5 whole numbers" in said(text)
    assert "whole numbers" not in said(joined(lines(table[:, 1:19], form="%.6e"), ""))


def test_a_start_and_a_rate_above_samples_are_no_samples(said, tmp_path):
    body = np.round(60 * ROWS[:, :3])
    head = ["1431425024.000000, 1431425024.000000, 1431425024.000000", "32.0, 32.0, 32.0"]
    text = joined(head, lines(body, "%d"), "")
    assert "row 1, 1431425024, for the time of the first sample and row 2, 32, for" in said(text)
    assert "1431425024" not in said(text, skip_rows=2)

    def come_back(text, **options):
        (tmp_path / "in.csv").write_text(text)
        with read_rows(str(tmp_path / "in.csv"), ReadOptions(**options)) as rows:
            values = rows.read()
            write_rows(str(tmp_path / "out.csv"), values, rows.layout, force=True)
        return values, (tmp_path / "out.csv").read_text().splitlines()

    for above in ([], ["x,y,z"]):
        values, back = come_back(joined(above, head, lines(body, "%d"), ""))
        assert np.array_equal(values, body)
        assert back[: len(above) + 2] == above + head
    assert np.array_equal(come_back(joined(head[:1], lines(body, "%d"), ""))[0], body)
    dates = 1431425024.0 + body
    assert np.array_equal(come_back(joined(lines(dates, "%d"), ""))[0], dates)
    # What ends a recording, and sums nothing up, ends its output.
    end = ">>>>>End Processed Spectral Data<<<<<"
    text = joined("x,y,z", lines(body, "%d"), end, "")
    assert come_back(text, recording=True)[1][-1] == end
    assert come_back(text)[1][-1] != end


def test_a_mean_among_the_rows_is_asked_about(said):
    rows = [f"a{place},{line}" for place, line in enumerate(lines())]
    above = [f"Mean,{lines(ROWS.mean(axis=0)[None])[0]}", f"SD,{lines(ROWS.std(axis=0)[None])[0]}"]
    text = joined(f"id,{HEADER}", above, rows, "")
    assert "row 1 is called Mean, and was read as a sample" in said(text)
    text = joined(f"id,{HEADER}", rows[:9], above[1:], rows[9:], "")
    assert "row 10 is called SD" in said(text)
    assert "is called" not in said(joined(f"id,{HEADER}", rows, ""))
    kinds = [f"{kind},{line}" for kind, line in zip(["mean", "kind"] * 30, lines(), strict=True)]
    assert "is called" not in said(joined(f"id,{HEADER}", kinds, ""))


def test_a_first_column_without_a_name_is_an_index_only_if_it_counts(said):
    numbers = lines(ROWS[:, :3], "%8.4f", " ")
    assert "no name" not in said(joined("x =", "", numbers, ""))  # as Octave shows a matrix
    counted = [f"{place} {line}" for place, line in enumerate(numbers)]
    assert "which has no name and numbers the rows" in said(joined("a b c", counted, ""))


def test_a_line_that_counts_samples_is_no_sample(tmp_path):
    """As BIOPAC's, below the names of its channels."""
    above = ["rest.acq", "2 msec/sample", "2 channels", "ECG", "mV", "Resp", "Volts"]
    body = [f"{place / 30000:.8g},{a:.6f},{b:.6f}," for place, (a, b) in enumerate(ROWS[:, :2])]
    path = tmp_path / "a.csv"
    path.write_text(joined(above, "min,CH1,CH2,", f",{len(ROWS)},{len(ROWS)},", body, ""))
    with read_rows(str(path), ReadOptions(orientation="rows")) as rows:
        np.testing.assert_allclose(rows.read()[:, 1:], ROWS[:, :2], atol=1e-6)
    path.write_text(joined("min,CH1,CH2,", ",7,7,", body, ""))  # fewer than there are
    with pytest.raises(InputError, match="'min' is missing"), read_rows(str(path), ReadOptions()):
        pass


@pytest.mark.parametrize("names", ["p,q", "[Run 2]", "p,q,r,s,t,u,v,w", "1.5,2.5,3.5"])
def test_another_table_below_the_first_is_said_to_be_one(refused, names):
    width = 8 if len(names) > 11 else 3
    text = joined(HEADER, lines(), names, lines(ROWS[:, :width]), "")
    assert "row 61 (line 62) has " in refused(text)
    assert "another table seems to begin there" in refused(text)


def test_a_row_of_words_or_too_few_cells_is_no_other_table(refused):
    rows = lines()
    for odd in ("x,x,x,x,x,x,x,x", "1.5,2.5"):
        assert "another" not in refused(joined(HEADER, rows[:20], odd, rows[20:], ""))


def test_channels_below_each_other_that_a_line_counts_are_refused(refused, said):
    """As EZChrom's: one column, whose numbers are those of all detectors."""
    column = lines(ROWS[:, :1]) + lines(ROWS[:, 1:2])
    above = ["Maxchannels:\t2", "Sampling Rate:\t5.0\t5.0\tHz"]
    counts = "Total Data Points:\t60\t60\tPts."
    assert "line 3 counts 60 and 60 numbers" in refused(joined(above, counts, column, ""))
    assert "counts" in refused(joined(above, counts, column, ""), recording=True)
    said(joined(above, counts, column, ""), orientation="rows")
    said(joined(above, counts.replace("60", "61"), column, ""))


def test_names_above_empty_columns_may_be_numbers(said):
    """As Rigol's, whose start and step stand under their names and nowhere else."""
    body = [f"{place},{value:.2e},," for place, value in enumerate(ROWS[:, 0])]
    text = joined("X,CH1,Start,Increment,", "Sequence,Volt,-6.0e-03,1.0e-05", body, "")
    assert "columns 3 '-6.0e-03', 4 '1.0e-05' for no data" in said(text)


def again(path, text, **options):
    """Read a text, check that it is written as it was, and return what was read and said."""
    path.write_text(text)
    with read_rows(str(path), ReadOptions(**options)) as rows:
        values, layout = rows.read(), rows.layout
        write_rows(str(path), values, layout, force=True)
        assert path.read_text() == text
        return values, layout, " ".join(rows.warnings)


def test_remarks_behind_rows_are_kept(tmp_path):
    """As LabChart's."""
    rows = lines(between="\t")
    rows[20] += "\t#* stimulus\t"
    values, layout, said = again(tmp_path / "a.txt", joined(rows, ""))
    assert (values == np.round(ROWS, 3)).all()
    assert "'#* stimulus' behind row 21 for a remark" in said
    few = layout.keep(np.arange(60) >= 20)
    write_rows(str(tmp_path / "few.csv"), values[20:], few)
    assert (tmp_path / "few.csv").read_text().startswith(rows[20].replace("\t", ","))


def test_a_cell_behind_the_first_row_alone_costs_neither_it_nor_the_names(tmp_path):
    """As EasyLog's, whose first row has the number of the logger."""
    rows = [f"{place + 1},{row}" for place, row in enumerate(lines())]
    rows[0] += ",010023456"
    text = joined(f"Cellar,{HEADER},Serial Number", rows, "")
    values, layout, _ = again(tmp_path / "a.txt", text, labels="1")
    assert (values == np.round(ROWS, 3)).all()
    assert layout.table.names == tuple("abcdefgh")


@pytest.mark.parametrize(
    "above",
    [
        ["PE UV", "sample.sp", "nm", "1.000000", "0.000000", "1000.000000", "60", "#DATA"],
        ["dt:", "\t".join(["0.01"] * 8), "data:"],
    ],
    ids=["Perkin Elmer", "SignalExpress"],
)
def test_settings_above_rows_are_none(tmp_path, above):
    values, _, said = again(tmp_path / "a.txt", joined(above, lines(between="\t"), ""))
    assert (values == np.round(ROWS, 3)).all()
    assert f"lines 1 to {len(above)} for a preamble" in said


@pytest.mark.parametrize(
    "names",
    [
        ["s,l,l,l,l,r,r,r,r", "t,0,1,2,3,0,1,2,3"],
        [",l,l,l,l,r,r,r,r", ",.1,.2,.3,.4,.1,.2,.3,.4"],
        [",l,,,,r,,,", ",1,2,3,4,1,2,3,4", "subject,,,,,,,,"],
    ],
    ids=["named", "bare", "merged"],
)
def test_names_of_two_levels(tmp_path, names):
    """As pandas and spreadsheets write them."""
    rows = [f"{place},{row}" for place, row in enumerate(lines())]
    values, _, _ = again(tmp_path / "a.csv", joined(names, rows, ""))
    assert (values == np.round(ROWS, 3)).all()


def test_a_sign_apart_from_its_number_and_a_point_for_none(tmp_path, refused, said):
    """As Graphtec's loggers write, and SAS."""
    text = joined(HEADER, lines(form="+%7.3f"), "")
    path = tmp_path / "a.csv"
    path.write_text(text.replace("+  5", "-  5"))
    with read_rows(str(path), ReadOptions()) as rows:
        assert (abs(rows.read()) == np.round(ROWS, 3)).all()
        assert rows.read().min() < 0.0
    assert "is missing (.)" in refused(joined(HEADER, ".," * 7 + "1", lines(), ""))
    assert "give --na '∞' and" in refused(joined(HEADER, "∞," * 7 + "1", lines(), ""))
    said(joined(HEADER, "∞," * 7 + "1", lines(), ""), na="∞", missing="keep")


def test_one_signal_on_several_lines_is_known_by_its_count(refused, said):
    """As seismographs' are; noise from one number to the next hides that they go on."""
    for line in ("NPTS=   480, DT=   .0050 SEC", "TIMESERIES NZ_S, 480 samples, 2023-05-01, SLIST"):
        assert "line 1 counts 480 numbers, as one signal" in refused(joined(line, lines(), ""))
        said(joined(line, lines(), ""), orientation="rows")
        said(joined(line, lines()[:-1], ""))


def test_rows_far_from_zero_do_not_end_in_their_mean(said):
    assert "mean" not in said(joined(lines(1e12 + ROWS), ""))
    sums = np.vstack([ROWS.round(3), ROWS.round(3).mean(axis=0)]) + 1e6
    assert "the last row is the mean" in said(joined(lines(sums, "%.9f"), ""))


def test_a_time_and_an_arrow_before_a_number_are_no_label(refused):
    """As serial monitors write, so that the first channel would be lost."""
    rows = [
        f"12:50:{10 + place % 50}.050 -> {a:.0f},{b:.0f}"
        for place, (a, b) in enumerate(ROWS[:, :2])
    ]
    assert "what stands before the arrow" in refused(joined(rows, ""))


def test_a_preamble_longer_than_the_rows_hides_no_delimiter(tmp_path):
    """As Perkin Elmer's, a number or a word a line."""
    above = [word for place in range(20) for word in (f"{place}.50", f"Lamp {place}", "SCAN")]
    body = [f"{400 + place}.5\t{value:.3f}" for place, value in enumerate(ROWS[:30, 0])]
    path = tmp_path / "a.txt"
    path.write_text(joined(above, body, ""))
    with read_rows(str(path), ReadOptions(orientation="rows")) as rows:
        np.testing.assert_allclose(rows.read()[:, 1], np.round(ROWS[:30, 0], 3))


def test_rows_that_begin_with_a_tab_come_back_so(tmp_path):
    """As LabVIEW's without times, whose preamble has fewer tabs, and whose names are more."""
    values = np.random.default_rng(0).normal(size=(40, 2)).round(4)
    head = (
        "LabVIEW Measurement\t\nSeparator\tTab\n***End_of_Header***\t\n\t\nChannels\t2\t\t\n"
        "Samples\t40\t40\t\n***End_of_Header***\t\t\t\nX_Value\tF\tm\tComment\n"
    )
    text = head + "".join(f"\t{one:.4f}\t{other:.4f}\n" for one, other in values)
    (tmp_path / "a.lvm").write_text(text)
    with read_rows(str(tmp_path / "a.lvm")) as rows:
        np.testing.assert_array_equal(rows.read(), values)
        write_rows(str(tmp_path / "b.lvm"), rows.read(), rows.layout)
    assert (tmp_path / "b.lvm").read_text() == text


def test_names_with_one_more_for_comments_are_names(tmp_path):
    """LabVIEW writes such; of other names that are one too many none is surely that of a column."""
    rows = [f"{i * 0.004:.6f}\t" + line for i, line in enumerate(lines(ROWS[:, :2], between="\t"))]
    for last, names in (("Comment", ("X_Value", "Voltage", "Current")), ("Sample", None)):
        path = tmp_path / "x.lvm"
        head = f"Samples\t60\t60\t\t\n***End_of_Header***\t\t\t\nX_Value\tVoltage\tCurrent\t{last}"
        path.write_text(joined(head, rows, ""))
        with read_rows(str(path), ReadOptions(recording=True)) as read:
            assert read.shape == (60, 3)
            assert read.layout.table.names == names
            write_rows(str(tmp_path / "out.lvm"), read.read(), read.layout)
        assert (tmp_path / "out.lvm").read_text() == path.read_text()
        (tmp_path / "out.lvm").unlink()
