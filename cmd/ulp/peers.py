"""Writes docs/accuracy.md: the errors of Stridefuse, NumPy, SciPy and JAX at arguments
that are hard for each function, and of reductions that lose digits or overflow.

    python3 -m venv env && env/bin/pip install numpy scipy jax mpmath
    env/bin/python cmd/ulp/peers.py

The arguments are those that "go run ./cmd/ulp -cases" prints with Stridefuse's results:
the worst that its search found. References are mpmath's, of 60 digits.
"""

import os
import pathlib
import subprocess

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import mpmath as mp
import numpy as np
import scipy
import scipy.special as sp

mp.mp.prec = 2400
ROOT = pathlib.Path(__file__).resolve().parents[2]

# function: exact, NumPy, SciPy, JAX; None where a package has none
FUNCTIONS = {
    "tan": (mp.tan, np.tan, None, jnp.tan),
    "sin": (mp.sin, np.sin, None, jnp.sin),
    "cos": (mp.cos, np.cos, None, jnp.cos),
    "atan2": (mp.atan2, np.arctan2, None, jnp.arctan2),
    "expm1": (mp.expm1, np.expm1, sp.expm1, jnp.expm1),
    "exp": (mp.exp, np.exp, None, jnp.exp),
    "exp2": (lambda x: mp.mpf(2) ** x, np.exp2, sp.exp2, jnp.exp2),
    "log10": (mp.log10, np.log10, None, jnp.log10),
    "sinh": (mp.sinh, np.sinh, None, jnp.sinh),
    "cosh": (mp.cosh, np.cosh, None, jnp.cosh),
    "tanh": (mp.tanh, np.tanh, None, jnp.tanh),
    "erf": (mp.erf, None, sp.erf, jsp.erf),
    "erfc": (mp.erfc, None, sp.erfc, jsp.erfc),
    "gelu": (lambda x: x / 2 * mp.erfc(-x / mp.sqrt(2)), None, None, lambda x: jax.nn.gelu(x, approximate=False)),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), None, sp.expit, jax.nn.sigmoid),
    "gelutanh": (lambda x: x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))), None, None, jax.nn.gelu),
    "elu": (lambda x, alpha: alpha * mp.expm1(x), None, None, jax.nn.elu),
    "selu": (lambda x: mp.mpf("1.0507009873554804934193349852946") * x, None, None, jax.nn.selu),
    "logit": (lambda x: mp.log(x / (1 - x)), None, sp.logit, jsp.logit),
}


def variance(v):
    mean = mp.fsum(v) / len(v)
    return mp.fsum((x - mean) ** 2 for x in v) / len(v)


# reduction: exact, of a list, NumPy, SciPy, JAX
REDUCTIONS = {
    "logsumexp": (lambda v: mp.log(mp.fsum(map(mp.exp, v))), lambda x: np.log(np.sum(np.exp(x))), sp.logsumexp, jsp.logsumexp),
    "logsoftmax": (lambda v: v[0] - mp.log(mp.fsum(map(mp.exp, v))), lambda x: x[0] - np.log(np.sum(np.exp(x))), lambda x: sp.log_softmax(x)[0], lambda x: jax.nn.log_softmax(x)[0]),
    "matmul": (lambda v: v[0] * v[2], lambda x: (x[:2, None] @ x[None, 2:])[0, 0], None, lambda x: jnp.matmul(x[:2, None], x[None, 2:])[0, 0]),
    "std": (lambda v: mp.sqrt(variance(v)), np.std, None, jnp.std),
    "var": (variance, np.var, None, jnp.var),
    "prod": (mp.fprod, np.prod, None, jnp.prod),
    "cumprod": (mp.fprod, lambda x: np.cumprod(x)[-1], None, lambda x: jnp.cumprod(x)[-1]),
    "cumsum": (mp.fsum, lambda x: np.cumsum(x)[-1], None, lambda x: jnp.cumsum(x)[-1]),
}


def ulps(got, want, dtype):
    """|got - want| in units of the last place of want."""
    got = float(got)
    info = np.finfo(dtype)
    if np.isinf(got) and abs(want) > mp.mpf(float(info.max)):
        return "0"
    if np.isnan(got) or np.isinf(got):
        return "NaN" if np.isnan(got) else "Inf"
    least = int(info.minexp) - info.nmant
    exponent = least if abs(want) < mp.mpf(2) ** least else max(int(mp.floor(mp.log(abs(want), 2))) - info.nmant, least)
    return f"{float(abs(mp.mpf(got) - want) / mp.mpf(2) ** exponent):.3g}"


def errors(ours, want, dtype, peers, *args):
    row = [ulps(ours, want, dtype)]
    for f in peers:
        with np.errstate(all="ignore"):
            row.append("" if f is None else ulps(np.asarray(f(*args)), want, dtype))
    return row


def cases():
    return subprocess.run(["go", "run", "./cmd/ulp", "-cases"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def rows(lines):
    for line in lines:
        kind, name, dtype, ours, *args = line.split()
        dtype = {"f32": np.float32, "f64": np.float64}[dtype]
        if kind == "at":
            name, ours, args = f"{name}, fast" if ours == "fast" else name, args[0], args[1:]
            x = [dtype(float.fromhex(a)) for a in args]
            exact, *peers = FUNCTIONS[name.removesuffix(", fast")]
            want = exact(*[mp.mpf(float(v)) for v in x])
            yield [name, dtype.__name__, ", ".join(args)] + errors(float.fromhex(ours), want, dtype, peers, *x)
        else:
            text, data = args[0].replace("_", " "), np.array([float.fromhex(a) for a in args[1:]], dtype)
            exact, *peers = REDUCTIONS[name]
            want = exact([mp.mpf(float(v)) for v in data])
            yield [name, dtype.__name__, text] + errors(float.fromhex(ours), want, dtype, peers, data)


SWEPT = "## All inputs on several engines\n"  # go test ./cmd/ulp -run Swept -update writes that section


COMPLEX = """
## Complex numbers

Bounds of the functions of package cmplx, in units of the last place of the exact result's magnitude and, where
that is promised, of each part in units of its own last place. They come from a search against references of math/big
(`go run ./cmd/ulp -complex`), with the same margin as the bounds of package graph. Inputs have any magnitude, also on the
axes and near branch cuts, the unit circle and poles; a third of the pairs have products that cancel. The error of pow grows
with |w log z|, which is at most 100 here. Products of two parts do not overflow.

The last columns are the greatest errors of both libraries on {n} other inputs of this kind, and the number of these
for which NumPy's result is NaN or infinite although the exact one is finite.

| function | type | magnitude | each part | inputs | Stridefuse | NumPy | NumPy not finite |
|---|---|---|---|---|---|---|---|
"""

COMPLEX_FUNCTIONS = {
    "mul": np.multiply, "div": np.divide, "abs": np.abs, "arg": np.angle, "exp": np.exp, "log": np.log, "sqrt": np.sqrt,
    "pow": np.power, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh,
}


BINARY = {"mul", "div", "pow"}


def complex_numbers(lines):
    """The table of complex numbers, of the lines that say their inputs and exact results."""
    inputs = {}
    for line in lines:
        _, name, dtype, *numbers, exponent = line.split()
        inputs.setdefault((name, dtype), []).append([float.fromhex(v) for v in numbers] + [int(exponent)])
    out = COMPLEX.replace("{n}", str(min(map(len, inputs.values()))))
    for line in (ROOT / "cmd" / "ulp" / "testdata" / "complex.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, dtype, magnitude, _, parts, _, tried = line.split()
        v = np.array(inputs[name, dtype], np.longdouble)
        number = lambda i: joined(v[:, i], v[:, i + 1], {"f32": np.complex64, "f64": np.complex128}[dtype])
        f = COMPLEX_FUNCTIONS[name]
        with np.errstate(all="ignore"):
            theirs = f(number(0), number(2)) if name in BINARY else f(number(0))
            finite = np.isfinite(number(6))
            unit = np.exp2(-v[:, 10])
            far = lambda got: np.hypot((got.real - v[:, 6]) * unit - v[:, 8], (got.imag - v[:, 7]) * unit - v[:, 9])
            lost = finite & ~np.isfinite(theirs)
            worst = [np.max(far(number(4))[finite]), np.max(far(theirs)[finite & ~lost])]
        numbers = " | ".join(f"{float(w):.3g}" for w in worst)
        out += f"| {name} | complex{2 * int(dtype[1:])} | {bound(magnitude)} | {bound(parts)} | {tried} | {numbers} | {np.sum(lost) or ''} |\n"
    return out


def joined(re, im, kind):
    """Complex numbers, signs of zeros kept."""
    z = np.empty(len(re), kind)
    z.real, z.imag = re, im
    return z


def bound(ulps):
    """As withMargin of table.go; empty for none."""
    ulps = float(ulps)
    return "" if ulps == 0 else f"<{np.ceil((ulps + 0.08 * (ulps - 0.5) + 0.005) * 100) / 100:.2f}"


def main():
    lines = cases()
    text = f"""# Accuracy beside NumPy, SciPy and JAX

This page compares errors, in units of the last place of the exact result. The arguments are those where `go run ./cmd/ulp`
and other searches found Stridefuse's functions worst, and ends of ranges; the reductions are ones that lose digits or overflow on the
way. So the choice is against Stridefuse: other libraries have their worst elsewhere. Rows of the fast tier (`graph.WithFast`) say
so. The documentation of package graph has the bounds of all functions.

`python cmd/ulp/peers.py` makes this page. NumPy {np.__version__}, SciPy {scipy.__version__}, JAX {jax.__version__} on a CPU, with
64-bit types; the reference is mpmath {mp.__version__}. NumPy's logsumexp is `log(sum(exp(x)))`.

| function | type | argument | Stridefuse | NumPy | SciPy | JAX |
|---|---|---|---|---|---|---|
"""
    for row in rows([l for l in lines if not l.startswith("complex")]):
        text += "| " + " | ".join(row) + " |\n"
    page = ROOT / "docs" / "accuracy.md"
    swept = page.read_text().partition(SWEPT)[2]
    page.write_text(text + complex_numbers([l for l in lines if l.startswith("complex")]) + "\n" + SWEPT + swept)


main()
