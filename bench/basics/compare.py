#!/usr/bin/env python3
"""Compares bench/basics with NumPy, pandas and SciPy: results, and processor times on one thread.

Needs numpy, pandas and scipy, and Go. Run in the repository: python3 bench/basics/compare.py [table.md]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

for name in "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS".split():
    os.environ[name] = "1"
import numpy as np
import pandas as pd
import scipy.signal

# For each row: the peer, the call, and what of the result is compared, if not all.
peers = {
    "interp": ("NumPy", lambda d: np.interp(d.x, d.at, d.values)),
    "diff": ("NumPy", lambda d: np.diff(d.x)),
    "gradient": ("NumPy", lambda d: np.gradient(d.x)),
    "cross": ("NumPy", lambda d: np.cross(d.triples, d.others)),
    "kron": ("NumPy", lambda d: np.kron(d.values, d.at)),
    "convolve 5": ("NumPy", lambda d: np.convolve(d.x, d.few)),
    "convolve 64": ("SciPy", lambda d: scipy.signal.convolve(d.x, d.taps)),
    "polyfit": ("NumPy", lambda d: np.polyfit(d.line, np.sin(d.line * 7), 3)),
    "polyval": ("NumPy", lambda d: np.polyval(d.few, d.x)),
    "nanstd": ("NumPy", lambda d: np.nanstd(d.holes)),
    "nanquantile": ("NumPy", lambda d: np.nanquantile(d.holes, 0.3)),
    "isin": ("NumPy", lambda d: np.isin(d.keys, d.keys[:500])),
    "nan_to_num": ("NumPy", lambda d: np.nan_to_num(d.holes)),
    "trapezoid": ("NumPy", lambda d: np.trapezoid(d.x, dx=0.5)),
    "cov": ("NumPy", lambda d: np.cov(d.table, rowvar=False)),
    "percentile": ("NumPy", lambda d: np.percentile(d.x, 37)),
    "median": ("NumPy", lambda d: np.median(d.x)),
    "histogram": ("NumPy", lambda d: np.histogram(d.x, d.edges)[0]),
    "searchsorted": ("NumPy", lambda d: np.searchsorted(d.at, d.x)),
    "roll short": ("NumPy", lambda d: np.roll(d.narrow, 1, axis=1)),
    "sort rows of 10": ("NumPy", lambda d: np.sort(d.tens, axis=1)),
    "argmax rows of 10": ("NumPy", lambda d: np.argmax(d.tens, axis=1)),
    "sort": ("NumPy", lambda d: np.sort(d.x)),
    "rolling sum 1000": ("pandas", lambda d: d.series.rolling(1000).sum()),
    "rolling mean 1000": ("pandas", lambda d: d.series.rolling(1000).mean()),
    "rolling std 1000": ("pandas", lambda d: d.series.rolling(1000).std()),
    "rolling mean 100, NaN": ("pandas", lambda d: d.gaps.rolling(100, min_periods=10).mean()),
    "rolling std 100, NaN": ("pandas", lambda d: d.gaps.rolling(100, min_periods=10).std()),
    "rolling max 1000": ("pandas", lambda d: d.series.rolling(1000).max()),
    "rolling median 5": ("pandas", lambda d: d.series.rolling(5).median()),
    "rolling median 100": ("pandas", lambda d: d.series.rolling(100).median()),
    "rolling median 100, NaN": ("pandas", lambda d: d.gaps.rolling(100, min_periods=10).median()),
    "rolling quantile 1000": ("pandas", lambda d: d.series.rolling(1000).quantile(0.9)),
    "ewm mean": ("pandas", lambda d: d.gaps.ewm(alpha=0.1).mean()),
    "ewm std": ("pandas", lambda d: d.gaps.ewm(alpha=0.1).std()),
    "groupby sum": ("pandas", lambda d: d.frame.groupby("keys").holes.sum()),
    "groupby mean": ("pandas", lambda d: d.frame.groupby("keys").holes.mean()),
    "groupby std": ("pandas", lambda d: d.frame.groupby("keys").holes.std()),
    "groupby max": ("pandas", lambda d: d.frame.groupby("keys").holes.max()),
    "unique of integers": ("NumPy", lambda d: np.unique(d.keys, return_inverse=True, return_counts=True)[2]),
    "unique of floats": ("NumPy", lambda d: np.unique(d.x, return_inverse=True, return_counts=True)[0]),
    "factorize": ("pandas", lambda d: pd.factorize(d.keys, sort=True)[0]),
}


class Data:
    pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "basics")
        subprocess.run(["go", "build", "-o", binary, "./bench/basics"], check=True)
        lines = subprocess.run([binary, folder], check=True, capture_output=True, text=True).stdout.splitlines()
        ours = [json.loads(line) for line in lines]
        d = Data()
        for path in pathlib.Path(folder).glob("in *.npy"):
            setattr(d, path.stem[3:], np.load(path))
        d.series, d.gaps = pd.Series(d.x), pd.Series(d.holes)
        d.frame = pd.DataFrame({"keys": d.keys, "holes": d.holes})
        table = ["| function | peer | peer, µs | `Run`, µs | `RunInto`, µs | peer / `Run` |", "|---|---|---|---|---|---|"]
        for row in ours:
            peer, call = peers[row["name"]]
            want = np.asarray(call(d), dtype=np.float64)
            got = np.load(os.path.join(folder, f"out {row['name']}.npy")).astype(np.float64)
            if row["name"].startswith("rolling"):  # ours has whole windows only
                want = want[len(want) - len(got):]
            np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9, err_msg=row["name"])
            micros = measure(lambda: call(d))
            into = f"{row['runinto']:,.0f}" if row["runinto"] else ""
            table.append(f"| {row['name']} | {peer} | {micros:,.0f} | {row['run']:,.0f} | {into} | {micros / row['run']:.2f} |")
        text = "\n".join(table) + "\n"
        if len(sys.argv) > 1:
            pathlib.Path(sys.argv[1]).write_text(text)
        print(text)


def measure(call):
    """Returns the median processor time of a call in microseconds, over seven batches of 10 ms or more."""
    call()
    times = []
    while len(times) < 7:
        calls, begin = 0, time.process_time()
        while calls == 0 or time.process_time() - begin < 0.01:
            call()
            calls += 1
        times.append((time.process_time() - begin) / calls)
    return sorted(times)[len(times) // 2] * 1e6


if __name__ == "__main__":
    main()
