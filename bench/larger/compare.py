"""Runs a program over an array in files with Stridefuse, dask and xarray: the columns are
brought to mean 0 and deviation 1, and tanh of them is summed over each row.

    pip install numpy zarr "dask[array]" xarray
    go build -o larger ./bench/larger && python bench/larger/compare.py ./larger

Each run is a process of its own, in turn, on the same files: a .npy file and an array of Zarr
version 3, not compressed. It prints the median of the times and the most memory of a process.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROWS, COLUMNS, CHUNK, ROUNDS = 131_072, 512, 8192, 3


def make(folder):
    import numpy as np
    import xarray as xr

    x = np.lib.format.open_memmap(folder / "x.npy", "w+", "float32", (ROWS, COLUMNS))
    random = np.random.default_rng(1)
    for at in range(0, ROWS, CHUNK):
        x[at:at + CHUNK] = random.normal(3, 2, (CHUNK, COLUMNS))
    x.flush()
    xr.DataArray(x, dims=("n", "k"), name="x").chunk(n=CHUNK).to_dataset().to_zarr(
        folder / "x.zarr", zarr_format=3, consolidated=False, encoding={"x": {"compressors": (), "chunks": (CHUNK, COLUMNS)}})


def run_dask(name):
    import dask.array as da
    import numpy as np

    x = da.from_zarr(name + "/x") if name.endswith("zarr") else da.from_array(np.load(name, mmap_mode="r"), chunks=(CHUNK, COLUMNS))
    return da.tanh((x - x.mean(axis=0)) / x.std(axis=0)).sum(axis=1).compute()


def run_xarray(name):
    import dask.array as da
    import numpy as np
    import xarray as xr

    if name.endswith("zarr"):
        x = xr.open_zarr(name, consolidated=False, chunks={})["x"]
    else:
        x = xr.DataArray(da.from_array(np.load(name, mmap_mode="r"), chunks=(CHUNK, COLUMNS)), dims=("n", "k"))
    return np.tanh((x - x.mean("n")) / x.std("n")).sum("k").compute().data


def child(system, threads, name, out):
    import dask
    import dask.array  # noqa: F401: what is imported now takes no time of the run
    import numpy as np
    import xarray  # noqa: F401
    import zarr  # noqa: F401

    begun = time.time()
    with dask.config.set(scheduler="threads", num_workers=int(threads)):
        np.save(out, {"dask": run_dask, "xarray": run_xarray}[system](name))
    took = time.time() - begun
    print(f"{took:.3f} {most_memory()}")


def most_memory():
    """In MB. getrusage would count what the parent had before exec."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) >> 10


def main(larger):
    import numpy as np

    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        make(folder)
        out = str(folder / "y.npy")
        got = {}
        for _ in range(ROUNDS):
            for file in ("x.npy", "x.zarr"):
                name = str(folder / file)
                for threads in ("1", "2"):
                    ours = name + "/x" if file == "x.zarr" else name
                    for system, command in {
                        "stream": [larger, "-in", ours, "-out", out, "-threads", threads],
                        "dask": [sys.executable, __file__, "dask", threads, name, out],
                        "xarray": [sys.executable, __file__, "xarray", threads, name, out],
                    }.items():
                        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                        seconds, megabytes = text.split()
                        y = np.load(out)
                        want = got.setdefault("y", y)
                        assert np.allclose(y, want, rtol=1e-3, atol=1e-3), (system, y, want)
                        got.setdefault((file, threads, system), []).append((float(seconds), int(megabytes)))
        del got["y"]
        size = ROWS * COLUMNS * 4 / 1e9
        print("| file | threads | | seconds | GB/s | most memory, MB |\n|---|---|---|---|---|---|")
        for (file, threads, system), runs in got.items():
            seconds = statistics.median(s for s, _ in runs)
            print(f"| {file} | {threads} | {system} | {seconds:.2f} | {size / seconds:.2f} | {max(m for _, m in runs)} |")


if __name__ == "__main__":
    child(*sys.argv[1:]) if len(sys.argv) > 2 else main(sys.argv[1])
