"""Writes inverse.txt: functions of complex numbers with 400 digits (mpmath), and on branch cuts, where the sign of a zero
decides, with those of Python's cmath: python make.py > inverse.txt

A line has a function, and the parts of its operand and of its result.
"""

import cmath
import itertools
import math
import random

import mpmath

mpmath.mp.dps = 400
random.seed(1)


def number(spread):
    return random.gauss(0, 1) * 2 ** (spread * (2 * random.random() - 1))


functions = ["asin", "acos", "atan", "asinh", "acosh", "atanh", "expm1", "log1p", "log2", "log10", "sign"]
ours = {
    "log1p": lambda z: mpmath.log(1 + z), "log2": lambda z: mpmath.log(z) / mpmath.log(2), "log10": lambda z: mpmath.log10(z),
    "expm1": lambda z: mpmath.exp(z) - 1,
    "sign": lambda z: z / abs(z),
}
for name in functions:
    f = ours.get(name) or getattr(mpmath, name)
    points = [complex(number(s), number(s)) for s in [1, 8, 40, 300] for _ in range(20)]
    points += [complex(random.choice([1, -1]) + number(0) * 2.0**-k, number(0) * 2.0**-j) for k, j in itertools.product([4, 20, 40], [4, 30, 60])]
    points += [complex(random.choice([1, -1]) * 1e300, 1e300 * random.random()) for _ in range(5)]
    for z in points:
        if name == "expm1" and abs(z.real) > 500:
            continue
        w = f(mpmath.mpc(z.real, z.imag))
        print(name, z.real.hex(), z.imag.hex(), float(w.real).hex(), float(w.imag).hex())
    if hasattr(cmath, name):
        for x, y in itertools.product([0.5, -0.5, 2.0, -2.0, 0.0, -0.0, 1.0, -1.0], repeat=2):
            if abs(x) in (0, 2, 0.5) and abs(y) in (0, 2, 0.5):
                if name.startswith("log") and x == y == 0:
                    continue
                w = getattr(cmath, name)(complex(x, y))
                print(name, x.hex(), y.hex(), w.real.hex(), w.imag.hex())
