"""Tables fit where they are shown: whole numbers first, less important columns last."""

from __future__ import annotations

import sys

import pytest
from rich.console import Console

from ikpca_cli.cli.words import report

RECORDS = [
    {"method": "ikpca", "error": report.Spread(0.012345678, 0.00123), "seconds": 0.123456},
    {"method": "kernel pca", "error": "at most 3", "seconds": None},
]
COLUMNS = {"method": "method", "error": "MSE", "seconds": "time to fit"}


@pytest.fixture
def terminal(monkeypatch, capsys):
    """Print as if to a terminal of some width; return what was printed."""

    def show(width):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        report.print_records(RECORDS, "table", columns=COLUMNS, spare=("seconds",), best=0)
        return capsys.readouterr().out

    return show


def test_a_wide_terminal_shows_every_column_with_four_digits(terminal):
    text = terminal(80)
    assert "time to fit" in text
    assert "0.01235 ± 0.00123" in text
    assert "0.1235" in text


def test_a_narrow_terminal_does_without_spare_columns_and_says_so(terminal):
    text, _, left_out = terminal(42).partition("Left out")
    assert "time to fit" not in text
    assert "time to fit" in left_out
    assert "Left out" not in terminal(80)
    assert "0.01235 ± 0.00123" in text
    assert "…" not in text


def test_names_stay_whole_beside_notes(capsys, monkeypatch):
    monkeypatch.setattr(report, "_console", lambda: Console(file=sys.stdout, width=60))
    record = {"kernel": "rational-quadratic", "estimated_mse_error": 0.1, "model": "m" * 70}
    report.print_record(record, "table", notes={"estimated_mse_error": "chosen from the rows"})
    lines = capsys.readouterr().out.splitlines()
    assert any("rational-quadratic" in line for line in lines)
    assert max(map(len, lines)) <= 60
    monkeypatch.setattr(report, "_console", lambda: Console(file=sys.stdout, width=40))
    report.print_record(record, "table", notes={"estimated_mse_error": "chosen from the rows"})
    shown = "".join(line[21:].strip() for line in capsys.readouterr().out.splitlines())
    assert shown.startswith("rational-quadratic")  # broken, as there is no room
    assert shown.endswith("chosen fromthe rows")


def test_csv_and_json_hold_what_is_there(capsys):
    records = [{"a": 0.1, "b": None, "c": ["x", "y"]}, {"a": float("inf"), "b": 2, "c": []}]
    report.print_records(records, "csv")
    assert capsys.readouterr().out == "a,b,c\n0.1,,x y\ninf,2,\n"
    report.print_records(records, "json")
    assert '"a": null' in capsys.readouterr().out


@pytest.mark.parametrize(("columns", "beside"), [(60, False), (200, True)])
def test_long_notes_come_below_where_there_is_no_room_beside(capsys, monkeypatch, columns, beside):
    monkeypatch.setattr(report, "_console", lambda: Console(file=sys.stdout, width=columns))
    notes = {"gamma": "inverse squared width of the kernel, in 1 / (unit of the data)²"}
    report.print_record({"gamma": 0.25, "seed": 0}, "table", notes=notes)
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "gamma" in line]
    assert len(lines) == (1 if beside else 2)
    assert lines[-1][:2] == (["gamma", "0.25"] if beside else ["gamma", "inverse"])


def test_what_is_piped_is_not_measured(capsys, monkeypatch):
    monkeypatch.setattr(Console, "measure", None)
    report.print_records(RECORDS, "table", columns=COLUMNS, spare=("seconds",))
    report.print_record({"a": 1}, "table", notes={"a": "a long note, " * 9})
    assert "time to fit" in capsys.readouterr().out


def test_shares_of_nothing_have_no_bars(capsys):
    report.print_bars([0.0, 0.0], "share of variance")
    assert capsys.readouterr().out == ""
    report.print_bars([0.75, 0.25], "share of variance")
    assert "75.0 %" in capsys.readouterr().out
