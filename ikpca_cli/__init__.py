"""Denoise stacks of signals with invertible kernel PCA.

The classes are imported on first use, so that ``import ikpca_cli`` costs no numpy.

The house: each folder imports from those above it in this list, and from no other.

- data: rows (`RowSource`), wherever they lie, a first pass over them, threads, random streams
- linalg: eigenproblems, shrinkage of spectra
- models: models in feature space and their pre-images (`Preimage`); kernels; smoothers along rows
- transforms: maps to rows with white noise and back (`Transform`)
- noise: how strong noise is, of which kind, and what tells it from signal
- selection: the choice of parameters by an estimate of the error
- estimators: `IKPCA`, `KernelPCA`, `PCA`, on the steps of a fit that they share (`Denoiser`)
- evaluation: errors, with and without clean rows
- formats: files of arrays, in and out (`Format`)
- recordings: windows cut from recordings and pictures, and put back
- modelfile: models as files, which run nothing when they are read
- plots: pictures
- guide: pages of the documentation
- cli: commands, their options, batches, and all that is printed

How ``ikpca fit train.npy`` runs through it:

1. `cli.commands.fit.fit` checks its options (`cli.given`) and finds the files.
2. `cli.learning.learn` opens them as `formats.file_rows.Rows`, of which slices are read, and
   refuses what looks like a recording (`cli.given.looks.check_rows`).
3. `estimators.denoiser.Denoiser.fit` does the rest; `estimators.denoiser.Denoiser._fit_rows` is its
   outline. A `data.first_pass.FirstPass` reads the rows once, for means and a sample.
4. `estimators.decisions.noise_decision.noise_of_fit` finds what the noise is like, and what
   makes it white (`noise.models`, `transforms`), and `level_of_fit` beside it how strong it is.
5. A search takes the parameters whose error, as estimated on rows held out (`selection.held_out`),
   is least: of weighted iterations (`selection.expansion.ExpansionSearch`), or on a grid
   (`selection.grid.choose`).
6. The method's own `_fit` makes its model: ikPCA's by a kind of pre-image
   (`estimators.preimages.which_kind.kind_of`), the kinds being in `models`.
7. `estimators.decisions.promise.promise_of` says which error is promised, or why none is.
8. `cli.learning.keep` saves the model (`modelfile.storage.save_model`), and
   `cli.words.learned.report` prints what was found.

``ikpca denoise`` goes by `cli.batch.cleaning.clean` for each file: how far its rows may be moved
(`estimators.cleaner.Cleaner.treatment`), then block by block into `formats.writing.open_output`.

A new kernel, activation, noise model, transform, pre-image, format or command is a module of its
own and a line in its registry.
"""

from __future__ import annotations

from ikpca_cli.version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ikpca_cli.estimators.ikpca import IKPCA
    from ikpca_cli.estimators.kpca import KernelPCA
    from ikpca_cli.estimators.pca import PCA
    from ikpca_cli.modelfile.storage import load_model, save_model

__all__ = ["IKPCA", "PCA", "KernelPCA", "load_model", "save_model"]

_HOMES = {
    "IKPCA": "ikpca_cli.estimators.ikpca",
    "KernelPCA": "ikpca_cli.estimators.kpca",
    "PCA": "ikpca_cli.estimators.pca",
    "load_model": "ikpca_cli.modelfile.storage",
    "save_model": "ikpca_cli.modelfile.storage",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
