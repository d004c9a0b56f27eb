"""Writes the arrays of this folder and of x/zstd/testdata with zarr-python: python make.py

Each is made of the numbers 0, 1, 2, ... but for the elements that are not stored. The tests
read them (zarr/python_test.go). Made with zarr 3.1.6 and numpy 2.4.6.
"""

import pathlib
import shutil

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

HERE = pathlib.Path(__file__).parent


def make(name, dtype, shape, chunks, *, folder=HERE, codecs=(), filters=None, serializer="auto", fill=0, stored=True, **more):
    path = folder / (name + ".zarr")
    shutil.rmtree(path, ignore_errors=True)
    a = zarr.create_array(
        path, dtype=dtype, shape=shape, chunks=chunks, compressors=list(codecs) or None, filters=filters,
        serializer=serializer, fill_value=fill, zarr_format=3, overwrite=True, **more)
    n = int(np.prod(shape))
    if stored:
        a[...] = np.arange(n).reshape(shape).astype(dtype)
    return a


make("plain", "float32", (5, 7), (2, 3))
make("gzip", "int16", (9, 4), (4, 4), codecs=[GzipCodec(level=5)])
make("crc32c", "uint8", (10,), (4,), codecs=[Crc32cCodec()])
make("gzip-crc32c", "float64", (6, 2), (3, 2), codecs=[GzipCodec(level=1), Crc32cCodec()])
make("big-endian", "int32", (3, 3), (2, 2), serializer=BytesCodec(endian="big"))
make("float16", "float16", (4, 4), (3, 3))
make("uint64", "uint64", (3, 5), (2, 5))
make("bool", "bool", (6,), (4,))
make("scalar", "float64", (), (), stored=False)[...] = 42
make("large-chunk", "int8", (3,), (10,))
make("dots", "int64", (4, 4), (2, 2), chunk_key_encoding={"name": "default", "separator": "."})
make("v2-keys", "int64", (4, 4), (2, 2), chunk_key_encoding={"name": "v2", "separator": "."})
make("named", "float32", (4, 2), (2, 2), dimension_names=["time", None], attributes={"units": "K", "scale": [1, 2]})
make("nan", "float32", (4, 2), (2, 2), fill=float("nan"), stored=False)[:2] = np.arange(4).reshape(2, 2)
make("infinity", "float64", (4,), (2,), fill=float("-inf"), stored=False)[2:] = [2, 3]
make("sharded", "int32", (4, 4), (2, 2), shards=(4, 4))
make("sharded-gzip", "float64", (6, 10), (2, 5), shards=(4, 10), codecs=[GzipCodec(level=5)])
make("sharded-start", "uint16", (5, 4), (1, 2), fill=7, stored=False, serializer=ShardingCodec(
    chunk_shape=(1, 1), codecs=[BytesCodec(endian="big")], index_codecs=[BytesCodec(endian="big")], index_location="start"))[1:4, :3] = np.arange(9).reshape(3, 3)
make("transposed", "int16", (3, 4, 5), (2, 2, 5), filters=[TransposeCodec(order=(2, 0, 1))])
make("zstd", "float32", (8, 5), (4, 5), codecs=[ZstdCodec(level=3)], folder=HERE / "../../../x/zstd/testdata")
make("zstd-checksum", "uint16", (8, 5), (4, 3), codecs=[ZstdCodec(level=9, checksum=True)], folder=HERE / "../../../x/zstd/testdata")

# Arrays of format 2.
for name, dtype, shape, chunks, more in [
    ("v2", "<f4", (6, 7), (4, 3), {"compressors": None}),
    ("v2-big-endian", ">i4", (6, 7), (4, 3), {"compressors": numcodecs.Zlib(1)}),
    ("v2-fortran", "<u2", (3, 4, 5), (2, 3, 5), {"order": "F", "compressors": numcodecs.GZip(5)}),
    ("v2-slashes", "|b1", (6,), (4,), {"chunk_key_encoding": {"name": "v2", "separator": "/"}, "compressors": None}),
    ("v2-scalar", "<f8", (), (), {"compressors": None}),
]:
    path = HERE / (name + ".zarr")
    shutil.rmtree(path, ignore_errors=True)
    a = zarr.create_array(path, dtype=dtype, shape=shape, chunks=chunks, zarr_format=2, filters=None, **more)
    a[...] = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    if shape == (6, 7):
        (path / "1.1").unlink()

# What zarr-python writes unless it is told otherwise: zstd.
path = HERE / "../../../x/zstd/testdata/default.zarr"
shutil.rmtree(path, ignore_errors=True)
zarr.save_array(path, np.arange(24, dtype="float64").reshape(6, 4), zarr_format=3)

# A group, whose text has those of all arrays in it, and two arrays.
group = zarr.create_group(HERE / "group.zarr", overwrite=True)
for member in "xy":
    a = group.create_array(member, dtype="float32", shape=(4,), chunks=(2,), compressors=None)
    a[...] = np.arange(4, dtype="float32")
zarr.consolidate_metadata(HERE / "group.zarr")
