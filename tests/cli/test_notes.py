"""What is told: a warning where something may be wrong, a note where something was decided."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from ikpca_cli.cli.app import _tell
from ikpca_cli.cli.batch.ending import parted
from ikpca_cli.cli.batch.removed import unlike_lines
from ikpca_cli.cli.words.grouped import grouped
from ikpca_cli.cli.words.sentences import fit_sentences
from ikpca_cli.errors import IkpcaNote, IkpcaWarning, Note, about, tell
from ikpca_cli.noise.caution import Caution
from ikpca_cli.noise.treatment import Treatment


def test_a_note_stays_one_on_its_way():
    note = about("a.csv", Note("3 rows"))
    assert (note, type(note)) == ("a.csv: 3 rows", Note)
    assert type(note.removeprefix("a.csv: ")) is Note
    assert type(about("a.csv", "3 rows")) is str
    lines = grouped([("a", Note("3 rows")), ("b", Note("4 rows")), ("c", "odd")])
    assert [(line, type(line)) for line in lines] == [
        ("a and 1 more: 3 rows", Note),
        ("c: odd", str),
    ]
    assert parted(lines) == {"warnings": ["c: odd"], "notes": ["a and 1 more: 3 rows"]}


@pytest.mark.parametrize(("line", "kind"), [(Note("a"), IkpcaNote), ("a", IkpcaWarning)])
def test_a_line_is_told_by_its_kind(line, kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tell(line)
    assert [one.category for one in caught] == [kind]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("caution", "kind"),
    [
        (Caution(1.0), str),
        (Caution(None), str),
        (Caution(1.0, strength=0.0), Note),
        (Caution(1.0, level_ratio=3.0), Note),
        (Caution(1.0, seen_ratio=3.0), Note),
    ],
)
def test_rows_are_warned_of_where_not_their_noise_alone_is_unlike(caution, kind):
    rows = SimpleNamespace(name="a.npy", shape=(50, 4))
    (line,) = unlike_lines(rows, [3, 5], Treatment(caution), kept=False)
    assert type(line) is kind
    assert line.startswith("a.npy: 2 of 50 rows are unlike")
    (line,) = unlike_lines(rows, [3, 5], Treatment(caution), kept=True)
    assert type(line) is Note
    assert unlike_lines(rows, [3], Treatment(caution), kept=False) == ()


def test_a_file_of_other_noise_is_noted(cli):
    rng = np.random.default_rng(np.random.SeedSequence([66]))
    shapes = rng.normal(size=(2, 30))
    np.save("train.npy", rng.normal(size=(60, 2)) @ shapes + 0.1 * rng.normal(size=(60, 30)))
    np.save("loud.npy", rng.normal(size=(40, 2)) @ shapes + 0.4 * rng.normal(size=(40, 30)))
    cli("fit", "train.npy", "--method", "pca")
    result = cli("denoise", "model.joblib", "loud.npy", "--format", "json")
    (record,) = json.loads(result.stdout)
    assert record["warnings"] == []
    assert record["notes"][0].startswith("the noise of these rows is louder")
    assert "warning" not in result.stderr
    assert "loud.npy: the noise of these rows is louder" in result.stderr


def test_a_fit_ends_in_its_doubt_and_says_it_once(cli):
    rng = np.random.default_rng(np.random.SeedSequence([67]))
    np.savetxt("rough.csv", rng.normal(size=(200, 12)) * 2.0 ** -np.arange(12.0), delimiter=",")
    result = cli("fit", "rough.csv", "--method", "pca")
    assert "warning" not in result.stderr
    assert "the noise level may be anything up to" not in result.stderr
    (line,) = (line for line in result.stdout.splitlines() if line.startswith("Noise: "))
    assert "left as they are; --noise-std gives it" in line
    guess = {"noise_std": 0.2, "estimated_mse": None, "model": "m", "noise_doubt": "it is a guess"}
    error = fit_sentences(guess, given=False, replicates=False)[1]
    assert error == (
        "Expected error: not promised, for it is a guess; --noise-std gives it, if you know it."
    )


def test_every_note_is_said_once(capsys):
    ctx = SimpleNamespace(meta={})
    for text in ("a.csv: took line 1 for a header", "b.csv: took line 1 for a header"):
        _tell(ctx, text, is_note=True)
    for text in ("rows are left alone", "times are kept"):
        _tell(ctx, text, is_note=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["a.csv: took line 1 for a header", "rows are left alone", "times are kept"]
