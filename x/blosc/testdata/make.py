"""Writes the frames and arrays that the tests read: python make.py, with zarr 3.1.6 and numcodecs 0.16.

A frame NAME.blosc has the compressor, the shuffle and the type size in its name, and the data of data().
"""

import pathlib
import shutil

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BloscCodec

HERE = pathlib.Path(__file__).parent


def data(n, size):
    """n elements of some bytes: a counter that begins again, with noise in places."""
    i = np.arange(n * size, dtype="u8")
    return ((i // size % 1000 >> 8 * (i % size) % 64) ^ np.where(i % 97 == 0, i * 2654435761 >> 7, 0)).astype("u1").tobytes()


for cname in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
    for shuffle in [0, 1, 2]:
        for size, n in [(1, 3000), (4, 9001), (8, 2048), (3, 777), (20, 512)]:
            text = data(n, size)
            a = np.frombuffer(text, f"V{size}")
            frame = numcodecs.Blosc(cname, clevel=5, shuffle=shuffle, blocksize=8192).encode(a)
            (HERE / f"{cname}-{shuffle}-{size}-{n}.blosc").write_bytes(frame)
noise = np.random.default_rng(1).integers(0, 256, 500, dtype="u1")
(HERE / "noise.blosc").write_bytes(numcodecs.Blosc("lz4").encode(noise))

x = np.arange(6000, dtype="f4").reshape(60, 100)
for version, codec in {2: numcodecs.Blosc("lz4", 5, 1), 3: BloscCodec(cname="zstd", clevel=3, shuffle="bitshuffle")}.items():
    path = HERE / f"v{version}.zarr"
    shutil.rmtree(path, ignore_errors=True)
    zarr.create_array(path, shape=x.shape, dtype=x.dtype, chunks=(40, 100), compressors=codec, zarr_format=version)[...] = x
