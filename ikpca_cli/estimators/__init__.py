"""The denoising methods, scikit-learn style."""
