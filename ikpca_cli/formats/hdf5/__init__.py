"""HDF5 files, and MATLAB files of version 7.3, which are HDF5."""
