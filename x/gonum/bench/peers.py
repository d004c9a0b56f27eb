"""Time of NumPy's and SciPy's routines (OpenBLAS), in milliseconds, the least of some, for docs/gonum.md:

    pip install numpy scipy
    OPENBLAS_NUM_THREADS=1 python3 peers.py 64 256 1024
"""

import sys
import time

import numpy as np
from scipy import linalg
from scipy.linalg import blas


def least(run, budget=1.0):
    best, end, rounds = float("inf"), time.perf_counter() + budget, 0
    while rounds < 3 or time.perf_counter() < end:
        begin, n = time.perf_counter(), 0
        while n == 0 or time.perf_counter() - begin < 2e-3:
            run()
            n += 1
        best, rounds = min(best, (time.perf_counter() - begin) / n), rounds + 1
    return best * 1e3


rng = np.random.default_rng(1)
for n in map(int, sys.argv[1:]):
    a, b = rng.random((n, n)) - 0.5, rng.random((n, n)) - 0.5
    x, c = rng.random(n), np.empty((n, n))
    d = a + n * np.eye(n)
    s, f = a + a.T, np.asfortranarray(a)
    a4, b4, c4 = a.astype("f4"), b.astype("f4"), c.astype("f4")
    spd, lower, rhs = d @ d.T, np.asfortranarray(np.tril(d)), np.asfortranarray(b)
    for name, run in {
        "gemm64": lambda: np.matmul(a, b, out=c),
        "gemm32": lambda: np.matmul(a4, b4, out=c4),
        "syrk64": lambda: blas.dsyrk(1, f),
        "trsm64": lambda: blas.dtrsm(1, lower, rhs, lower=1),
        "gemv64": lambda: np.matmul(a, x),
        "lu": lambda: linalg.lu_factor(d, check_finite=False),
        "cholesky": lambda: linalg.cholesky(spd, check_finite=False),
        "qr": lambda: linalg.qr(a, mode="raw", check_finite=False),
        "svd": lambda: linalg.svd(a, full_matrices=False, check_finite=False),
        "eigensym": lambda: linalg.eigh(s, check_finite=False),
        "eigen": lambda: linalg.eig(a, check_finite=False),
    }.items():
        if n >= 1024 and name in ("svd", "eigensym", "eigen"):
            continue
        print(f"{name:10} {n:6} {least(run):12.5f}", flush=True)
