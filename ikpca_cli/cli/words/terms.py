"""What each number that is printed means: the one place that explains them."""

from __future__ import annotations

TERMS = {
    "method": "ikpca: invertible kernel PCA; kpca: kernel PCA with a learned pre-image; pca; "
    "mixture: several probabilistic PCAs, one for each kind of window",
    "kernel": "how alike two rows are, by their distance: gaussian, exp(-gamma distance²), ...",
    "n_samples": "rows: of those fitted on, or of the file; of a recording or picture, the windows "
    "fitted on, a share of all where there are many",
    "n_features": "numbers in a row, or in a window",
    "n_rff": "random Fourier features; exact: the kernel itself, their limit for infinitely many",
    "gamma": "inverse squared width of the kernel, in 1 / (unit of the data)²",
    "second_gamma": "a second kernel beside the first, with this inverse squared width, usually "
    "a finer one; what either removes is combined, by weights chosen from the rows",
    "latent_gamma": "of kpca: inverse squared width of the kernel between latent codes",
    "ridge": "penalty in the pre-image: more of it stays nearer to the noisy row",
    "n_components": "latent coordinates kept, or, where each is weighed, those of any weight; "
    "of a mixture, the kinds of windows",
    "window": "what a recording or picture was cut into: samples, height x width, or beats",
    "hop": "samples, or pixels, from one window to the next when cleaning",
    "channels": "columns of a recording that are cleaned together",
    "shrink": "of pca and kpca: cut keeps whole components, optimal weighs each by its signal",
    "order": "of ikpca: how numbers in a row are neighbours, where smoothers make use of it: line, "
    "the sides of a picture, or channels",
    "seed": "the same seed and rows give the same model",
    "noise_model": "what the noise is like: white, of a level for each column or each row, growing "
    "with the signal as counts do, or correlated along the row",
    "noise_evidence": "how that is known",
    "noise_doubt": "why the level of the noise is not known for sure, and what is done therefore",
    "spike_share": "share of the values fitted on that are left out as spikes: far from what the "
    "other rows, and its neighbours, say",
    "spikes": "values of the file that were left out, as such",
    "noise_std": "standard deviation of the noise, in the unit of the data",
    "noise_std_channels": "the same of each channel, where they differ; noise_std is their root "
    "mean square",
    "noise_correlation": "correlation of the noise of neighbouring samples",
    "wavelet_share": "of a signal cleaned by windows: the share of wavelet shrinkage in it, or in "
    "its slow part",
    "estimated_mse": "mean squared error that cleaned rows are expected to have, estimated from "
    "noisy rows alone (Stein's unbiased risk estimate)",
    "estimated_mse_error": "standard error of that estimate",
    "rough_mse": "the estimate where it cannot be relied on, see no_estimate_because",
    "rough_mse_error": "standard error of it, by chance alone",
    "estimated_mse_at_most": "what that error hardly ever exceeds, where no more is known",
    "no_estimate_because": "why no error is promised",
    "strength": "what is removed from each row is this share of what the model would remove",
    "removed_mse": "mean squared change of the rows fitted on: the error of rows like them that "
    "were clean already",
    "estimated_mse_noisy": "mean squared error of the noisy rows: noise_std²",
    "estimated_snr_gain_db": "10 log10 of the ratio of the two: 3 dB is half the squared error",
    "mse_noisy": "mean squared difference of noisy rows from the clean ones",
    "mse": "the same of cleaned rows",
    "error": "why a file of a batch failed",
    "warnings": "what may be wrong with the file, or with what was removed from it",
    "notes": "how the file was read, and cleaned where its rows are not like those of the fit",
    "rms_noisy": "root of mse_noisy, in the unit of the data",
    "rms": "root of mse, in the unit of the data",
    "snr_gain_db": "10 log10(mse_noisy / mse): 3 dB is half the squared error",
    "estimated_rms_noisy": "root of estimated_mse_noisy, in the unit of the data",
    "estimated_rms": "root of estimated_mse, in the unit of the data",
    "residual_std": "root mean square of what was removed; about noise_std if all noise was",
    "residual_autocorrelation": "correlation of neighbours in what was removed: 0 for white noise",
    "residual_signal_correlation": "correlation of what was removed with the cleaned rows: 0 where "
    "no signal went",
    "unlike": "rows farther from all rows fitted on than those are from each other",
    "removed_rms": "root mean square of what was removed, in the unit of the data",
    "removed_db": "10 log10 of the power removed over the rows' variance about their mean",
    "seconds": "wall clock time",
    "model": "the model file",
    "training_rows_inside": "whether the file holds the rows that it was fitted on, which may be "
    "private",
}
"""Keys of records in the order in which they come up, and what each means."""
