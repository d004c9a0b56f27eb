"""Writes exact.txt: some elements of transforms, computed with 60 digits and rounded to a sum of two float64.

python exact.py > exact.txt. A line has n, k and the four parts: high and low of the real part, of the imaginary part.
Element j of the input is ((j*j*7919 + j*104729 + 12345) mod 2003 - 1001)/1024, with j + n for the imaginary part.
"""
from mpmath import mp, mpf, cos, sin, pi

mp.dps = 60


def value(j):
    return (j * j * 7919 + j * 104729 + 12345) % 2003 - 1001


def two(v):
    high = float(v)
    return high.hex(), float(v - mpf(high)).hex()


for n in [2, 3, 4, 5, 7, 8, 11, 12, 16, 27, 30, 49, 60, 64, 81, 97, 100, 125, 128, 210, 256, 343, 500, 512, 625, 729,
          1000, 1009, 1024, 2187, 4096, 10007, 1 << 15, 50000, 1 << 17]:
    roots = [(cos(2 * pi * k / n), -sin(2 * pi * k / n)) for k in range(n)]
    re, im = [value(j) for j in range(n)], [value(j + n) for j in range(n)]
    for k in sorted({(i * i * 37 + i) % n for i in range(24)} if n < 20000 else {1, n // 3}):
        a = b = mpf(0)
        for j in range(n):
            c, s = roots[j * k % n]
            a += re[j] * c - im[j] * s
            b += re[j] * s + im[j] * c
        print(n, k, *two(a / 1024), *two(b / 1024))
