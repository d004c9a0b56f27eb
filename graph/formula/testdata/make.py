#!/usr/bin/env python3
"""Writes numpy.txt: formulas with the results that NumPy computes.

Run with NumPy 2: python3 make.py > numpy.txt

A line "in NAME TYPE SHAPE ELEMENTS" is an input; a line "FORMULA<tab>TYPE SHAPE ELEMENTS" a
case. A shape is its extents joined by x, "-" for a scalar; elements are joined by spaces.
"""
import sys
import numpy as np
from numpy import *

rng = np.random.default_rng(7)
inputs = {
    "a": np.round(rng.uniform(0.5, 4, (3, 4)), 3),
    "b": np.round(rng.uniform(-3, 3, (3, 4)), 3),
    "c": np.array([0.5, -1.25, 2, 3.5]),
    "f": np.round(rng.uniform(-2, 2, (3, 4)), 3).astype(np.float32),
    "g": np.array([1.5, -0.5, 0.25, 8], np.float32),
    "h": np.array([0.5, 1.5, -2.5, 3.5], np.float16),
    "i": rng.integers(-9, 10, (3, 4)).astype(np.int32),
    "j": np.array([3, -2, 7, 1], np.int64),
    "n": np.array([1, 200, 30, 4], np.uint8),
    "o": np.array([-5, 100, 3, -128], np.int8),
    "w": np.array([1, 2, 60000, 4], np.uint16),
    "u": np.array([1, 2, 3, 4000000000], np.uint32),
    "m": rng.uniform(0, 1, (3, 4)) < 0.5,
    "l": np.array([True, False, True, True]),
    "q": np.array([[1.0, 2, 0, 1], [0, 3, 1, 2], [2, 0, 1, 1], [1, 1, 1, 5]]),
    "t": np.round(rng.uniform(-1, 1, (2, 3, 4)), 3),
    "x": np.array([1.0, np.nan, -np.inf, 2.0]),
    "z": np.array([0.0, -0.0, np.inf, -1.0]),
    "p": np.array([2, 0, -1, 2], np.int64),
    "r": np.array([[3, 0], [1, 1], [-1, 2]], np.int64),
}

# One formula a line. Where ours has another name, NumPy's stands behind two bars.
formulas = """
a + b
a - c
a * b
a / b
a // b
a % b
a ** 2
a ** 0.5
2 ** a
a ** b
-a ** 2
(-a) ** 2
2 ** -1 * a
2 ** 3 ** 2 + a
-2 ** 2 + a
a + b * c
(a + b) * c
a * b + c
a - b - c
a / b / c
a / b * c
a - (b - c)
-a + b
+a - -b
- - a
a * -b
a ** -b
2*a + sqrt(b*b)/c
1 / a
1 - a
7 // 2 + a
-7 // 2 + a
7 % 3 * a
-7 % 3 * a
7 / 2 * a
1e-3 * a
.5 * a
0x10 + j
1_000 * j
2 * pi * a
e ** b
a + inf
a * nan
a > b
a >= b
a < 2
a <= 1.5
a == a
a != b
(a > 1) & (b < 0)
(a > 1) | (b < 0)
(a > 1) ^ (b < 0)
~(a > 1)
i & 3
i | 4
i ^ j
~i
i << 2
i >> 1
j & 6 == 6
1 << 3 | j
j + 1 << 2
a > 1 + 1
where(a > 2, a, b)
where(m, 1, 0)
where(m, a, 0)
where(m, i, 2.5)
where(b > 0, b, -b)
minimum(a, b)
maximum(a, 2)
clip(b, -1, 1)
clip(b, None, 1)
b.clip(0, 2)
clip(i, a_min=-2, a_max=2)
abs(b)
sign(b)
square(b)
negative(b)
sqrt(a)
cbrt(b)
exp(b)
exp2(b)
expm1(b)
log(a)
log2(a)
log10(a)
log1p(a)
sin(a)
cos(a)
tan(b)
arcsin(b / 3)
arccos(b / 3)
arctan(b)
arctan2(a, b)
sinh(b)
cosh(b)
tanh(b)
arcsinh(b)
arccosh(a + 1)
arctanh(b / 4)
hypot(a, b)
floor(b)
ceil(b)
trunc(b)
rint(b)
round(b, 1)
round(a, decimals=2)
round(i, -1)
reciprocal(a)
degrees(a)
radians(a)
fmod(b, a)
fmod(i, j)
remainder(b, a)
floor_divide(b, a)
power(a, 3)
logaddexp(a, b)
copysign(a, b)
heaviside(b, 0.5)
isnan(x)
isinf(x)
isfinite(x)
signbit(z)
isclose(a, a + 1e-9)
logical_and(i, j)
logical_or(m, i)
logical_not(i)
logical_xor(m, l)
bitwise_count(n)
a.sum()
a.sum(0)
a.sum(axis=1)
a.sum(axis=-1, keepdims=True)
sum(a)
sum(t, (0, 2))
t.sum(axis=(0, -1), keepdims=True)
(a*b + c).sum(0)
(a - a.mean(0)) / a.std(0)
a.mean()
mean(a, axis=1)
i.mean(0)
f.mean(1)
a.var(0)
a.var(ddof=1)
std(a, 1, ddof=1)
a.prod(1)
i.prod()
a.min(1)
a.max()
amax(b, 0)
ptp(b, axis=1)
m.max(0)
argmin(b)
b.argmax(0)
argmax(b, axis=1, keepdims=True)
m.any(1)
m.all()
any(i > 5, 0)
median(a, 1)
median(a)
quantile(a, 0.3, axis=1)
percentile(a, 25)
quantile(a, [0.3, 0.5, 1], axis=1)
percentile(a, [25, 50])
quantile(a, (0.25,), axis=0, keepdims=True)
nansum(x)
nanmin(x)
nanmax(x)
nanmean(x)
count_nonzero(m, axis=0)
cumsum(a)
cumsum(a, 1)
cumprod(b, axis=0)
i.cumsum(0)
sort(b, 0)
sort(b)
argsort(b, 1)
diff(b)
diff(b, axis=0)
a[0]
a[-1]
a[1, 2]
a[:, 1]
a[1:-1, ::2]
a[::-1]
a[:, ::-1]
a[0, None]
c[:, None] * c[None, :]
c[:, newaxis] - c
t[..., 0]
t[0, ..., 1:]
t[:, 1]
a[1:, 1:] - a[:-1, :-1]
a[2:0:-1]
a[:, p]
c[p]
c[r]
a[1:, p]
(a + b)[0]
a.T
a.T @ b
a @ q
q @ c
c @ c
c @ q
dot(a, c)
inner(a, b)
outer(c, g)
matmul(t, q)
vdot(a, b)
tensordot(a, b, axes=2)
tensordot(a, b, ((1, 0), (1, 0)))
einsum('ij,kj->ik', a, b)
einsum("ii->i", q)
a.reshape(4, 3)
a.reshape((2, -1))
reshape(a, (2, 6))
a.reshape(-1)
a.ravel()[3:5]
a.flatten().sum()
t.transpose(2, 0, 1)
transpose(a)
swapaxes(t, 0, 2)
moveaxis(t, 0, -1)
expand_dims(c, 0)
squeeze(c[None, :, None])
squeeze(c[None], 0)
flip(a)
flip(a, 0)
fliplr(a)
flipud(a)
roll(a, 1)
roll(a, -1, 1)
tile(c, 2)
tile(c, (2, 1))
repeat(c, 2)
repeat(a, 2, axis=1)
diagonal(q)
q.diagonal(1)
trace(q)
triu(q)
tril(q, -1)
broadcast_to(c, (3, 4)) + a
concatenate((a, b))
concatenate([a, b], axis=1)
stack((a, b))
stack([a, b], axis=-1)
take(a, p, axis=1)
take(a, p)
arange(4) * c
arange(1, 5) + c
arange(0, 2, 0.5) * c
linspace(0, 1, 4) + c
zeros(4) + c
ones((3, 1)) * c
full((2, 2), 7)
eye(4) + q
eye(3, 4, 1) * a
eye(3, M=4, k=-1, dtype=int32)
n > 300
n == -1
n != 256
300 >= n
-1 < n
-1 > o + n
o <= 128
u >= -1
u == 4294967296
l < 300
n < 2.5
j < 1e30
i > 4294967296
searchsorted(sort(c), b)
searchsorted(sort(j), [1, 3, 3], side='right')
searchsorted(sort(j), [1, 3, 3], 'left')
c + [1, 2, 3, 4]
f * [1.5, 2, 3, 4]
n + [1, 2, 3, 4]
n == [1, 200, 300, -4]
[[1, 2], [3, 4]] @ array([5, 6])
sum([1, 2, 3])
take(c, [3, 0, -1])
a[[2, 0]]
a[:, [1, 1, -1]]
where([True, False, True, False], c, j)
concatenate((c, [7]))
array([1, 2.5])
array([True, False])
asarray([[1, 2]], dtype=float32)
array(c, dtype=int32)
maximum([1, 5], (4, 2))
zeros_like(a)
ones_like(i)
full_like(a, 2)
i + j
i * 2
i / 2
i // 2
i % 3
i // j
i % j
i ** 2
2 ** n
i * 2.5
i + f
i + a
n + o
n + w
w + o
u + i
u + j
n + 1
o - 1
n * n
n // 7
o / n
f + 1
f * 2.5
f + a
f + i
h * 2
h + f
h + n
h + i
o + h
w + h
m + 1
m + m
m * m
m * 2.5
l + l
sum(m)
n.sum()
o.sum()
sqrt(n)
sqrt(o * o)
sqrt(w)
sqrt(i * i)
exp(l)
sqrt(2) * f
2 * f.sum()
f[0] + a
where(m, n, o)
concatenate((n, o))
maximum(n, o)
n > o
i.astype(float)
a.astype(int)
a.astype(float32)
a.astype('int8') + n
astype(b, int32)
(a > 1).astype(int)
abs(i)
sign(i)
square(i)
floor(i)
-o
f - f.max(1, keepdims=True)
exp(f - f.max(1, keepdims=True)) / exp(f - f.max(1, keepdims=True)).sum(1, keepdims=True)
a.shape[0] * a
a.size + a
a / a.ndim
np.sqrt(np.abs(b))
np.pi * a
True + a
-True * j
2 + 3
10 / 4
2 ** 10 - 1
3 > 2
5 & 3 | 8
~5
1.5 // 0.4
7.5 % -2
((((a))))
a.astype('f4')
a.astype('i2')
i.astype('<f8')
astype(a, 'single')
float32(i)
np.int16(a) * 2
bool_(i)
hypot(n, o)
hypot(n, w)
arctan2(w, o)
copysign(w, o)
logaddexp(n, o)
hypot(n, 1)
hypot(n, 1.5)
hypot(f, o)
hypot(h, w)
heaviside(o, n)
isclose(n, o)
einsum('ij->ji', i.astype('i1'))
reciprocal(n)
reciprocal(array([2, -1, 1, 5]))
linspace(0, 1, 1)
linspace(0, 1, 0)
nanmax(m)
clip(n, -1, 300)
clip(o, -500, 20)
h < 70000
h > -70000
f < 1e60
h >= 70000
[a, b]
[c, 2 * c, [1, 2, 3, 4]]
sum([a, b], 0)
[[1, 2], [3, 4]]
nan_to_num(x)
nan_to_num(x, nan=7, posinf=8, neginf=-9)
nan_to_num(f / 0)
nan_to_num(i)
nanstd(x[:2])
nanvar(a)
nanvar(where(m, a, nan), 1)
nanstd(where(m, a, nan), axis=0, ddof=1)
nanstd(where(m, f, nan), 1, keepdims=True)
nanquantile(where(m, a, nan), 0.3)
nanquantile(where(m, a, nan), 0.7, axis=1)
nanquantile(where(a > 1, a, nan), 0.7, axis=0, keepdims=True)
nanpercentile(where(m, a, nan), 25, axis=0, keepdims=True)
nanquantile(where(m, a, nan), [0, 0.3], axis=1)
nanprod(where(m, a, nan), 0)
nancumsum(where(m, a, nan), 1)
interp(a, [0.5, 1.5, 4], [1, 5, -2])
interp(b, sort(c), c, left=-7, right=inf)
interp(x, [1, 1], [5, 6])
interp(i, [-3, 0, 0, 5], [1, 2, 3, 4])
interp(2, c[[1, 0, 2]], [1, 2, 3])
average(a)
average(a, 0)
average(a, axis=1, weights=c + 2)
average(a, 0, weights=[1, 2, 3])
average(i, weights=abs(i))
isin(i, [1, 2, -3])
isin(i, j)
isin(x, [nan, 1, 2])
isin(l, [True])
isin(n, [])
isin(n, [1, 4], invert=True)
hstack((a, b))
hstack([c, c])
hstack((c, [7]))
vstack((a, b))
vstack((c, g))
vstack([c, a])
column_stack((c, g))
column_stack((a, b))
linalg.norm(c)
np.linalg.norm(a)
np.linalg.norm(a, 1)
np.linalg.norm(b, inf)
np.linalg.norm(a, 'fro')
np.linalg.norm(b, 1, axis=1)
np.linalg.norm(b, axis=0)
np.linalg.norm(c, 0)
np.linalg.norm(c, -inf)
np.linalg.norm(c, 1)
np.linalg.norm(b, 2, 1, True)
np.linalg.norm(c)
pad(c, 1)
pad(a, (1, 2))
pad(a, ((0, 1), (2, 0)), constant_values=7)
pad(a, ((1, 1),), mode='edge')
pad(c, 2, mode='reflect')
pad(c, (3, 1), 'wrap')
pad(a, ((1, 0), (0, 2)), mode='symmetric')
gradient(c)
gradient(a, axis=1)
gradient(a, 0.5, axis=0)
gradient(i, 2, axis=1)
gradient(c, [0, 1, 3, 4.5])
gradient(t, [0, 1, 3], axis=1)
trapezoid(a)
trapezoid(a, dx=0.5, axis=0)
trapezoid(a, [0, 1, 3, 4.5])
trapezoid(i, [0, 1, 3], axis=0)
convolve(c, [1, 2, 3])
convolve(c, [0.5, 0.5], 'same')
convolve(c, [1, 0, -1], mode='valid')
convolve([1, 2], c)
convolve(c, [1, 2, 3, 4, 5, 6], 'same')
convolve(j, [1, 2])
correlate(c, [1, 2, 3])
correlate(c, [1, 2], 'full')
kron(c, [1, 2])
kron(q, [[1, 2, 3]])
kron([1, 10], q)
cross(a[:, 1:], b[:, :3])
cross(a.T, b.T)
cross(a, b, axis=0)
polyval([1, 2, 3], a)
polyval(c, 2)
polyval(j, i)
polyfit(c, [1, 2, 3, 5], 1)
polyfit(c, a.T, 2)
polyfit(j, c, 0)
logaddexp(a, b)
logaddexp(z, -inf)
logaddexp(i, 2)
cov(a)
cov(a, ddof=0)
cov(a, rowvar=False)
cov(c)
corrcoef(a)
corrcoef(c)
diff(m)
nextafter(f, g)
nextafter(h, 0)
nextafter(z, x)
nextafter(a, b)
signbit(x)
copysign(z, x)
copysign(h, -1)
diff(a, 2, axis=0)
"""


def line(value):
    v = np.asarray(value)
    shape = "x".join(map(str, v.shape)) or "-"
    elements = " ".join(repr(e.item()) if v.dtype != bool else str(int(e)) for e in v.ravel())
    return f"{v.dtype} {shape} {elements}"


for name, v in inputs.items():
    print("in", name, line(v))
# Methods that NumPy's arrays lack are called as functions.
with np.errstate(all="ignore"):
    for f in formulas.strip().splitlines():
        print(f"{f}\t{line(eval(f, dict(globals()), inputs))}")
