"""What ``ikpca fit`` prints of a model: its numbers, and what they come to in words."""

from __future__ import annotations

from collections.abc import Sequence

from ikpca_cli.cli.learning import Learned, Lesson
from ikpca_cli.cli.options import Format, Printing
from ikpca_cli.cli.private import warn_of_open_rows
from ikpca_cli.cli.streams import results_beside
from ikpca_cli.cli.words.next_steps import again
from ikpca_cli.cli.words.report import print_lines, print_record
from ikpca_cli.cli.words.sentences import fit_sentences
from ikpca_cli.errors import about, tell
from ikpca_cli.recordings.windowed import Windowed


def report(
    learned: Learned,
    lesson: Lesson,
    named: Sequence[str],
    target: str,
    standing: Sequence[str],
    printing: Printing,
) -> None:
    """Print what was learned.

    Parameters
    ----------
    learned, lesson
        What, and from what.
    named
        The files as the command line has them.
    target
        Where the model is.
    standing
        How other methods stand.
    printing
        What is wanted of it.
    """
    model, inner, train = learned.model, learned.inner, lesson.sources[0]
    if learned.flaw is not None:
        tell(about(train, learned.flaw))
    warn_of_open_rows(target, inner, train)
    record = model.summary() | {"seconds": learned.seconds, "model": target}
    auto = [name for name, value in inner.get_params().items() if value == "auto"]
    auto += ["window"] if lesson.windows.window == "auto" else []
    in_words = printing.output_format is Format.table
    shown = record | {"noise_doubt": None} if in_words else record  # a sentence says it
    with results_beside(target):
        print_record(shown, printing.form, notes=dict.fromkeys(auto, "chosen from the rows"))
        if in_words:
            found = fit_sentences(
                record,
                given=model.level_given if isinstance(model, Windowed) else inner.level_given,
                replicates=inner.replicates,
                sources=named,
                options=again(lesson.files),
            )
            print_lines([*found, *standing])
