"""Compares each NAME.zarr of a folder, as zarr-python reads it, with NAME.npy."""

import pathlib
import sys

import numpy as np
import zarr

files = sorted(pathlib.Path(sys.argv[1]).glob("*.npy"))
for file in files:
    want = np.load(file)
    got = zarr.open_array(file.with_suffix(".zarr"), mode="r")[...]
    assert got.dtype == want.dtype and got.shape == want.shape, (file, got, want)
    assert np.asarray(got).tobytes() == want.tobytes(), (file, got, want)
print(len(files), "arrays are equal")
