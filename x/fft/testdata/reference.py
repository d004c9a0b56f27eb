"""Writes numpy.json: transforms, shifts and frequencies of numpy.fft for small arrays. python reference.py > numpy.json"""
import json
import numpy as np

rng = np.random.default_rng(3)


def parts(a):
    a = np.asarray(a)
    if a.dtype.kind == "c":
        a = np.stack([a.real, a.imag], -1)
    return {"Shape": list(a.shape), "Data": [float(v) for v in a.ravel()]}


cases = []
for name in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn"]:
    for i in range(14):
        rank = int(rng.integers(1, 4))
        shape = [int(n) for n in rng.integers(1, 8, rank)]
        real = name in ("rfft", "rfftn", "ihfft")
        x = rng.integers(-8, 9, shape) / 4.0
        if not real:
            x = x + 1j * rng.integers(-8, 9, shape) / 4.0
        norm = ["backward", "ortho", "forward"][i % 3]
        axes, n = [], []
        if name.endswith("n"):
            if i % 2:
                axes = [int(a) for a in rng.permutation(rank)[: rng.integers(1, rank + 1)]]
            if i % 4 == 1:
                n = [int(v) for v in rng.integers(1, 10, len(axes))]
            y = getattr(np.fft, name)(x, s=n or None, axes=axes or None, norm=norm)
        else:
            axes = [int(rng.integers(0, rank))] if i % 2 else []
            n = [int(rng.integers(1, 12))] if i % 3 != 1 else []
            if name in ("irfft", "hfft") and not n and shape[(axes or [-1])[0]] == 1:
                continue  # NumPy has no default length for one number
            y = getattr(np.fft, name)(x, n=n[0] if n else None, axis=axes[0] if axes else -1, norm=norm)
        if name in ("irfftn",) and not n and shape[(axes or [-1])[-1]] == 1:
            continue
        cases.append({"Name": name, "X": parts(x), "Axes": axes, "N": n, "Norm": i % 3, "Want": parts(y)})
for n in range(1, 8):
    for name in ["fftfreq", "rfftfreq"]:
        cases.append({"Name": name, "N": [n], "Want": parts(getattr(np.fft, name)(n, 0.3))})
for shape in [[1], [4], [5], [2, 3, 4]]:
    for name in ["fftshift", "ifftshift"]:
        axes = list(range(len(shape)))[-2:]
        x = np.arange(np.prod(shape), dtype=float).reshape(shape)
        cases.append({"Name": name, "X": parts(x), "Axes": axes, "Want": parts(getattr(np.fft, name)(x, axes))})
print("[" + ",\n".join(json.dumps(c) for c in cases) + "]")
