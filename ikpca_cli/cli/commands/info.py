"""``ikpca info``: what a model file is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.errors import UsageError

_BARS = 12


def info(
    model: Annotated[
        str | None,
        typer.Argument(metavar="MODEL", help="A file that fit wrote; --explain needs none."),
    ] = None,
    explain: Annotated[
        bool, typer.Option(help="Say what each number means that ikpca prints.")
    ] = False,
    *,
    printing: opt.Printing,
) -> None:
    """Show what a model is: method, parameters, shapes, spectrum, noise level, versions.

    It tells, too, whether the file holds the rows that the model was fitted on.

    Examples:

        ikpca info model.joblib
        ikpca info model.joblib --explain
        ikpca info model.joblib --format json
        ikpca info --explain
    """
    from ikpca_cli.cli.private import holds_rows
    from ikpca_cli.cli.words.report import print_bars, print_record
    from ikpca_cli.cli.words.terms import TERMS
    from ikpca_cli.data.memory import readable_bytes
    from ikpca_cli.formats.read_options import told_of
    from ikpca_cli.modelfile.model_file import read_model
    from ikpca_cli.recordings.windowed import Windowed

    if model is None:
        if not explain:
            raise UsageError("give the file of a model, or --explain for what all numbers mean")
        print_record(TERMS, printing.form)
        return
    file = read_model(model)
    fitted = file.build()
    record: dict[str, Any] = {"model": file.path, **fitted.summary()}
    if isinstance(fitted, Windowed):
        fitted = fitted.model
    record["training_rows_inside"] = holds_rows(fitted)
    if printing.output_format is opt.Format.json:
        record |= {
            "explained_variance_ratio": fitted.explained_variance_ratio_.tolist(),
            "feature_names": fitted.feature_names_,
            "reading": file.reading,
            "parameters": file.params,
            "shapes": {key: list(value) for key, value in _shapes(file.state).items()},
            "versions": file.versions,
            "format": file.format,
            "bytes": file.size,
        }
        print_record(record, printing.form)
        return
    if file.reading:
        record["tables read with"] = told_of(file.reading)
    record |= {f"{name} version": version for name, version in file.versions.items()}
    record |= {"file format": file.format, "file size": readable_bytes(file.size)}
    print_record(record, printing.form, notes=TERMS if explain else None)
    if printing.output_format is opt.Format.table:
        each = "kind of window" if fitted.method == "mixture" else "component"
        shares = fitted.explained_variance_ratio_[:_BARS].tolist()
        print_bars(shares, f"share of variance by {each}")


def _shapes(state: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    return {name: value.shape for name, value in state.items() if hasattr(value, "shape")}
