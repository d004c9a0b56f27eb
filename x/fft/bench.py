"""Times numpy.fft and scipy.fft for the cases of BenchmarkFFT: the least time of a call, in microseconds.

python bench.py [pattern] > numpy.txt; the columns are case, NumPy, SciPy.
"""
import re
import sys
import time
import numpy as np
import scipy.fft as sf
import scipy.signal as signal

SHAPES = [(16,), (64,), (256,), (1024,), (4096,), (1 << 14,), (1 << 16,), (1 << 18,), (1 << 19,), (1 << 20,),
          (729,), (2187,), (59049,), (625,), (3125,), (1000,), (1009,), (10000, 16), (1000, 256), (512, 512)]


rng = np.random.default_rng(1)


def least(f):
    best, end = 1e9, time.perf_counter() + 0.25
    while time.perf_counter() < end:
        for _ in range(5):
            start = time.perf_counter()
            f()
            best = min(best, time.perf_counter() - start)
    return best * 1e6


for name in ["fft", "rfft", "irfft", "fftn"]:
    for bits in [64, 32]:
        for shape in SHAPES:
            if name == "fftn" and (len(shape) == 1 or shape[0] != shape[1]):
                continue
            case = f"{name}/float{bits}[{' '.join(map(str, shape))}]"
            if not re.search(sys.argv[1] if len(sys.argv) > 1 else "", case):
                continue
            real = rng.standard_normal(shape).astype(f"f{bits // 8}")
            z = (real + 1j * rng.standard_normal(shape)).astype(f"c{bits // 4}")
            n = shape[-1]
            calls = []
            for module in [np.fft, sf]:
                f = getattr(module, name)
                if name == "rfft":
                    calls.append(lambda f=f: f(real))
                elif name == "irfft":
                    half = z[..., : n // 2 + 1].copy()
                    calls.append(lambda f=f: f(half, n))
                else:
                    calls.append(lambda f=f: f(z))
            print(case, *("%.2f" % least(c) for c in calls), flush=True)

for n, m in [(1000, 10), (1000, 1000), (100_000, 5), (100_000, 30), (100_000, 100), (100_000, 1000), (1_000_000, 10_000), (300_000, 300_000)]:
    case = f"convolve/{n} {m}"
    if not re.search(sys.argv[1] if len(sys.argv) > 1 else "", case):
        continue
    x, taps = rng.standard_normal(n), rng.standard_normal(m)
    f = [lambda: signal.fftconvolve(x, taps), lambda: signal.oaconvolve(x, taps)]
    if m <= 1000:
        f.append(lambda: np.convolve(x, taps))
    print(case, "fftconvolve, oaconvolve, np.convolve:", *("%.2f" % least(c) for c in f), flush=True)
