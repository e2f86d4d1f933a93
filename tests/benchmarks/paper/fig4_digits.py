"""Figure 4 and its companion in the appendix: digits before and after cleaning.

    python tests/benchmarks/paper/fig4_digits.py [--quick] [--output DIR]

PCA, kPCA+SL and ikPCA with 25 components at noise 0.25 and 0.5, with the parameters of Figure 3 and
ridge 0.1; which the paper's figure has is not known to us. Writes one picture with all methods, and
the pictures of ``ikpca evaluate`` with the error of each digit.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from common import USPS, ikpca, noisy_digits, options, require, show
from rich.table import Table

from ikpca_cli.plots.mosaic import draw_tiles
from ikpca_cli.plots.picture_file import write_picture

MODELS = {
    "pca": "--method pca --components 25",
    "kpca": "--method kpca --components 25 --gamma 5e-3 --ridge 1e-2",
    "ikpca": "--method ikpca --components 25 --inverse paper --gamma 1e-4",
}
DIGITS = 10


def main() -> None:
    asked = options(__doc__, runs=1)
    require(USPS)
    rff, sizes = (3000, (300, 100)) if asked.quick else (30_000, (1000, 400))
    table = Table(title="USPS, 25 components: MSE")
    for heading in ("noise", "noisy", *MODELS):
        table.add_column(heading)
    with tempfile.TemporaryDirectory() as scratch:
        for noise in asked.noises:
            table.add_row(*_reconstruct(Path(scratch), noise, sizes, rff, asked.output))
    show(table)


def _reconstruct(
    folder: Path, noise: float, sizes: tuple[int, int], rff: int, output: Path
) -> list[str]:
    """Fit, clean and draw with each method; return the cells of a table's line."""
    train, noisy, clean = noisy_digits(folder, noise, sizes)
    bands, cells = {"noisy": np.load(noisy)}, [str(noise)]
    for method, settings in MODELS.items():
        model, cleaned = folder / f"{method}.joblib", folder / f"{method}.npy"
        features = f" --rff {rff} --ridge {0.1 * rff / 30_000}" if method == "ikpca" else ""
        ikpca("fit", train, *(settings + features).split(), "-o", model, "--force")
        ikpca("denoise", model, noisy, "-o", cleaned, "--force")
        picture = output / f"fig4_digits_{noise}_{method}.png"
        score = ikpca("evaluate", model, noisy, "--clean", clean, "--plot", picture, "--force")
        if method == "pca":
            cells.append(f"{score['mse_noisy']:.4f}")
        cells.append(f"{score['mse']:.4f}")
        bands[f"{method}\n{score['mse']:.4f}"] = np.load(cleaned)
    bands["clean"] = np.load(clean)
    first = {name: images[:DIGITS] for name, images in bands.items()}
    target = str(output / f"fig4_digits_{noise}.png")
    write_picture(target, lambda: draw_tiles(first, f"USPS, noise {noise}"), force=True)
    return cells


if __name__ == "__main__":
    main()
