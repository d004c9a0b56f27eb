"""Writes testdata/grad_jax.txt.gz: random programs with the gradients that JAX computes, for TestGradBesideJAX.

    pip install jax
    python graph/testdata/grad_jax.py 2000 graph/testdata/grad_jax.txt.gz

A line is a program: the shapes of its inputs, its ops, and two numbers for each input. An op is "Name:operands:numbers"; it is
applied to earlier values, inputs first. The numbers are the sums of the elements of the gradient of the last value's sum, times
cos(i) and times sin(2.3 i + 1). The elements of inputs follow from the number of the line (see element). Everything is float64.
"""
import gzip
import itertools
import math
import os
import random
import sys

os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true --xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

jax.config.update("jax_enable_x64", True)


def element(line, k, i):
    """Element i of input k, from -2 to 2."""
    return ((line * 1000003 + k * 10007 + i * 7919 + 12345) * 2654435761 % 2**32) / 2**30 - 2


# Functions whose conventions at kinks and ties differ from JAX's (docs/gradients.md) get operands that are not there: Program
# draws another op if the operand of one of these sets has a zero, or two equal elements.
NO_ZEROS = {"Abs", "ReLU", "SELU", "Sign", "Norm1", "Where", "LeakyReLU", "ELU", "Prod", "Clip"}
NO_TIES = {"CumMax", "CumMin", "MaxPool", "Median", "TopK", "Sort", "ScatterMax", "ScatterMin", "SegmentMax", "Maximum", "Max", "Min", "Quantile"}

positive = lambda x: x * x + 0.5
inside = lambda x: 0.9 * jnp.sin(x)  # from -0.9 to 0.9

# Each table has functions of the operands and of the numbers of an op.
ELEMENTWISE = {
    "Exp": jnp.exp, "Exp2": jnp.exp2, "Tanh": jnp.tanh, "Sin": jnp.sin, "Cos": jnp.cos, "Square": jnp.square, "Neg": jnp.negative,
    "Sigmoid": nn.sigmoid, "Softplus": nn.softplus, "GELU": lambda x: nn.gelu(x, approximate=False), "GELUTanh": nn.gelu,
    "SiLU": nn.silu, "Erf": jax.scipy.special.erf, "Erfc": jax.scipy.special.erfc, "Abs": jnp.abs, "ReLU": nn.relu,
    "Atan": jnp.arctan, "Asinh": jnp.arcsinh, "Sinh": jnp.sinh, "Cosh": jnp.cosh, "Expm1": jnp.expm1, "Softsign": nn.soft_sign,
    "SELU": nn.selu, "Mish": nn.mish, "Floor": jnp.floor, "Sign": jnp.sign, "LeakyReLU": lambda x: nn.leaky_relu(x, 0.1),
    "ELU": lambda x: nn.elu(x, 0.7), "CELU": lambda x: nn.celu(x, 0.7),
    "Sqrt": lambda x: jnp.sqrt(positive(x)), "Log": lambda x: jnp.log(positive(x)), "Log2": lambda x: jnp.log2(positive(x)),
    "Log10": lambda x: jnp.log10(positive(x)), "Log1p": lambda x: jnp.log1p(positive(x)), "Rsqrt": lambda x: lax.rsqrt(positive(x)),
    "Reciprocal": lambda x: 1 / positive(x), "Cbrt": lambda x: jnp.cbrt(positive(x)), "Acosh": lambda x: jnp.arccosh(positive(x) + 1),
    "Asin": lambda x: jnp.arcsin(inside(x)), "Acos": lambda x: jnp.arccos(inside(x)), "Atanh": lambda x: jnp.arctanh(inside(x)),
    "Tan": lambda x: jnp.tan(inside(x)), "Pow": lambda x: positive(x) ** 1.7, "Cube": lambda x: x**3,
    "Clip": lambda x: jnp.clip(x, -1, 1), "Integers": lambda x: x * jnp.trunc(3 * x), "Narrow": lambda x: x.astype(jnp.float32).astype(jnp.float64),
    "Stopped": lambda x: x * lax.stop_gradient(x),
}
BINARY = {
    "Add": jnp.add, "Sub": jnp.subtract, "Mul": jnp.multiply, "Maximum": jnp.maximum, "Minimum": jnp.minimum,
    "Div": lambda x, y: x / positive(y), "Atan2": lambda x, y: jnp.arctan2(x, positive(y)), "Hypot": lambda x, y: jnp.hypot(x, positive(y)),
    "Power": lambda x, y: positive(x) ** y, "Where": lambda x, y: jnp.where(x > 0, x, y), "Guarded": lambda x, y: jnp.where(x > y, x * y, x - y),
    "LogAddExp": jnp.logaddexp,
}
REDUCTIONS = {
    "Sum": jnp.sum, "Mean": jnp.mean, "Max": jnp.max, "Min": jnp.min, "Prod": jnp.prod, "Var": jnp.var, "Norm1": lambda x, axis: jnp.abs(x).sum(axis),
    "Std": lambda x, axis: jnp.std(x + jnp.arange(x.shape[axis]).reshape([-1 if k == axis else 1 for k in range(x.ndim)]), axis),
    "LogSumExp": lambda x, axis: nn.logsumexp(x, axis=axis), "Norm2": lambda x, axis: jnp.linalg.norm(x + 3, axis=axis), "Median": jnp.median,
    "Quantile": lambda x, axis: jnp.quantile(x, 0.3, axis),
}
ALONG = {
    "Softmax": nn.softmax, "LogSoftmax": nn.log_softmax, "CumSum": jnp.cumsum, "CumProd": jnp.cumprod, "CumMax": lax.cummax, "CumMin": lax.cummin,
    "Sort": jnp.sort, "Flip": jnp.flip, "Standardize": lambda x, axis: nn.standardize(x, axis=axis, epsilon=1e-3), "Diff": lambda x, axis: jnp.diff(x, axis=axis),
}


def recurrence(x, a, axis):
    x, a = jnp.moveaxis(x, axis, 0), jnp.moveaxis(jnp.tanh(a), axis, 0)
    ys = [x[0]]
    for i in range(1, x.shape[0]):
        ys.append(a[i] * ys[-1] + x[i])
    return jnp.moveaxis(jnp.stack(ys), 0, axis)


def windows(x, axis, size, step, dilation):
    count = (x.shape[axis] - (size - 1) * dilation - 1) // step + 1
    at = np.arange(count)[:, None] * step + np.arange(size) * dilation
    return jnp.moveaxis(jnp.take(x, at, axis), axis + 1, -1)


def convolution(x, w, stride, dilation, before, after, groups):
    """x [n, c, length], w [m, c/groups, size]."""
    return lax.conv_general_dilated(x, w, (stride,), [(before, after)], rhs_dilation=(dilation,), feature_group_count=groups)


def scatter(kind):
    def f(x, u, axis, *at):
        x, u = jnp.moveaxis(x, axis, 0), jnp.moveaxis(u, axis, 0)
        if kind == "multiply":  # JAX has no gradient for several updates of an element
            for i, j in enumerate(at):
                x = x.at[j].multiply(u[i], unique_indices=True)
            return jnp.moveaxis(x, 0, axis)
        y = getattr(x.at[np.array(at)], kind)(u[: len(at)])
        return jnp.moveaxis(y, 0, axis)

    return f


def image(x):
    return x.reshape((1, 1) + x.shape)


def pool(x, init, op, size, stride):
    return lax.reduce_window(image(x), init, op, (1, 1, size, size), (1, 1, stride, stride), "VALID")[0, 0]


OTHERS = {
    "Transpose": jnp.transpose, "Reshape": lambda x: x.reshape(-1), "Halves": lambda x: x.reshape(2, -1), "Diagonal": lambda x: jnp.diagonal(x),
    "Tril": lambda x: jnp.tril(x), "FMA": lambda x, y, z: x * y + z, "Lerp": lambda x, y, t: x + t * (y - x),
    "SwapAxes": jnp.swapaxes, "Unsqueeze": jnp.expand_dims, "Index": lambda x, axis, i: jnp.take(x, i, axis),
    "Slice": lambda x, axis, begin, step: jnp.take(x, np.arange(x.shape[axis])[begin::step], axis),
    "Concat": lambda x, y, axis: jnp.concatenate([x, y, x], axis), "Stack": lambda x, y, axis: jnp.stack([x, y], axis),
    "Pad": lambda x, before, after, mode: jnp.pad(x, [(before, after)] * x.ndim, mode=["constant", "edge", "wrap", "reflect"][mode]),
    "Take": lambda x, axis, *at: jnp.take(x, np.array(at), axis), "Roll": lambda x, axis, shift: jnp.roll(x, shift, axis),
    "Tile": lambda x, axis, n: jnp.concatenate([x] * n, axis), "Repeat": lambda x, axis, n: jnp.repeat(x, n, axis),
    "Broadcast": lambda x, n: jnp.broadcast_to(x, (n,) + x.shape), "Window": windows, "Recurrence": recurrence,
    "TakeAlong": lambda x, axis: jnp.take_along_axis(x, jnp.argsort(lax.stop_gradient(-x), axis), axis),
    "TopK": lambda x, axis, k: jnp.flip(jnp.sort(x, axis), axis).take(np.arange(k), axis),
    "ScatterAdd": scatter("add"), "ScatterSet": scatter("set"), "ScatterMax": scatter("max"), "ScatterMin": scatter("min"), "ScatterMul": scatter("multiply"),
    "SegmentSum": lambda x, n, *at: jax.ops.segment_sum(x, np.array(at), n),
    "SegmentMax": lambda x, n, *at: jax.ops.segment_max(x, np.array(at), n),
    "MatMul": jnp.matmul, "Outer": jnp.outer, "Trace": lambda x, y: jnp.einsum("ij,ji->i", x, y), "Gram": lambda x: jnp.einsum("ij,kj->ik", x, x),
    "Conv": lambda x, w, stride, dilation, before, after: convolution(x[None], w[:, None].repeat(x.shape[0], 1), stride, dilation, before, after, 1)[0],
    "Depthwise": lambda x, w, stride: convolution(x[None], w[: x.shape[0], None], stride, 1, 1, 1, x.shape[0])[0],
    "Conv2": lambda x, w, stride, pad: lax.conv_general_dilated(image(x), image(w), (stride, stride), [(pad, pad)] * 2)[0, 0],
    "ConvTranspose": lambda x, w, stride: jax.linear_transpose(
        lambda v: convolution(v, w[:, None], stride, 1, 0, 0, 1), jnp.zeros((1, 1, (x.shape[-1] - 1) * stride + w.shape[-1])))(x[None, : w.shape[0]])[0][0],
    "MaxPool": lambda x, size, stride: pool(x, -jnp.inf, lax.max, size, stride),
    "AvgPool": lambda x, size, stride: pool(x, 0.0, lax.add, size, stride) / size**2,
}


def apply(op, xs, numbers):
    for table in (ELEMENTWISE, BINARY, OTHERS):
        if op in table:
            return table[op](*xs, *numbers)
    for table in (REDUCTIONS, ALONG):
        if op in table:
            return table[op](xs[0], axis=numbers[0])
    raise ValueError(op)


# The kinds of ops are equally likely, and within each its ops.
VIEWS = ["Transpose", "Reshape", "Halves", "Diagonal", "SwapAxes", "Unsqueeze", "Index", "Slice", "Broadcast", "Flip", "Window", "Tril"]
JOINS = ["Concat", "Stack", "Pad", "Roll", "Tile", "Repeat"]
PRODUCTS = ["MatMul", "MatMul", "Outer", "Trace", "Gram"]
WINDOWED = ["Conv", "Depthwise", "Conv2", "ConvTranspose", "MaxPool", "AvgPool"]
INDEXED = ["Take", "TakeAlong", "TopK", "ScatterAdd", "ScatterSet", "ScatterMax", "ScatterMin", "ScatterMul", "SegmentSum", "SegmentMax", "Recurrence"]
KINDS = [list(ELEMENTWISE), list(BINARY) + ["FMA", "Lerp"], list(REDUCTIONS), list(ALONG), VIEWS, JOINS, PRODUCTS, WINDOWED, INDEXED]


def draw(r, values):
    """Draws an op, its operands and its numbers, or None if they do not fit."""
    op = r.choice(r.choice(KINDS))
    i, j, k = (r.randrange(len(values)) for _ in range(3))
    s, t = values[i].shape, values[j].shape
    n = len(s)
    if op in ELEMENTWISE or op in ("Transpose", "Reshape"):
        return op, [i], []
    if op in BINARY:
        return op, [i, j], []
    if op in ("FMA", "Lerp"):
        return op, [i, j, k], []
    if op == "Unsqueeze":
        return op, [i], [r.randint(0, n)]
    if op == "Broadcast":
        return op, [i], [r.randint(1, 3)]
    if n == 0:
        return None
    axis = r.randrange(n)
    d = s[axis]
    if op in REDUCTIONS or op in ALONG or op == "TakeAlong":
        return op, [i], [axis]
    indices = lambda count, most: [r.randrange(most) for _ in range(count)]
    if op in ("Halves", "Tril", "Diagonal", "Gram"):
        return (op, [i], []) if n == 2 else None
    if op == "SwapAxes":
        return op, [i], [axis, r.randrange(n)]
    if op == "Index":
        return op, [i], [axis, r.randrange(d)]
    if op == "Slice":
        step = r.choice([1, 2, 3, -1, -2])
        return op, [i], [axis, r.randrange(d), step]
    if op in ("Concat", "Stack"):
        return (op, [i, j], [axis]) if s == t or op == "Concat" else None
    if op == "Pad":
        return op, [i], [r.randint(0, 1), r.randint(0, 1), r.randrange(4 if min(s) > 1 else 3)]
    if op == "Take":
        return op, [i], [axis] + indices(r.randint(1, 4), d)
    if op == "Roll":
        return op, [i], [axis, r.randint(-2, 3)]
    if op in ("Tile", "Repeat"):
        return op, [i], [axis, r.randint(1, 3)]
    if op == "Window":
        size, dilation = r.randint(1, d), r.randint(1, 2)
        return (op, [i], [axis, size, r.randint(1, 3), dilation]) if (size - 1) * dilation < d else None
    if op == "TopK":
        return op, [i], [axis, r.randint(1, d)]
    if op == "Recurrence":
        return (op, [i, j], [axis]) if s == t else None
    if op.startswith("Scatter"):
        rest = lambda shape: shape[:axis] + shape[axis + 1 :]
        if len(t) != n or rest(s) != rest(t):
            return None
        if op == "ScatterSet":  # JAX leaves the order of several updates of an element undefined
            count = r.randint(1, min(d, t[axis]))
            return op, [i, j], [axis] + r.sample(range(d), count)
        return op, [i, j], [axis] + indices(r.randint(1, t[axis]), d)
    if op == "SegmentSum":
        return op, [i], [3] + indices(s[0], 3)
    if op == "SegmentMax":
        at = [0, 1] + indices(max(0, s[0] - 2), 2)  # no segment is empty
        return (op, [i], [2] + at) if s[0] > 1 else None
    if op == "MatMul":
        return (op, [i, j], []) if len(t) > 0 and s[-1] == t[max(0, len(t) - 2)] else None
    if op == "Outer":
        return (op, [i, j], []) if n == 1 and len(t) == 1 else None
    if op == "Trace":
        return (op, [i, j], []) if n == 2 and t == s[::-1] else None
    stride = r.randint(1, 2)
    if op == "Conv":
        dilation, before, after = r.randint(1, 2), r.randint(0, 2), r.randint(0, 1)
        return (op, [i, j], [stride, dilation, before, after]) if n == 2 and len(t) == 2 and (t[1] - 1) * dilation < s[1] + before + after else None
    if op == "Depthwise":
        return (op, [i, j], [stride]) if n == 2 and len(t) == 2 and t[0] >= s[0] and t[1] <= s[1] + 2 else None
    if op == "Conv2":
        pad = r.randint(0, 2)
        return (op, [i, j], [stride, pad]) if n == 2 and len(t) == 2 and min(s[0] - t[0], s[1] - t[1]) + 2 * pad >= 0 else None
    if op == "ConvTranspose":
        return (op, [i, j], [stride]) if n == 2 and len(t) == 2 and t[0] <= s[0] else None
    size = r.randint(1, 2)
    return (op, [i], [size, r.randint(1, 3)]) if n == 2 and min(s) >= size else None


def fits(op, xs, y):
    """Reports whether an op's operands are away from kinks and ties, and its result is small."""
    a = np.concatenate([np.ravel(x) for x in xs])
    if op in NO_ZEROS and np.abs(a).min() < 1e-6 or op == "Clip" and np.abs(np.abs(a) - 1).min() < 1e-6:
        return False
    if op in NO_TIES and a.size > 1 and np.diff(np.sort(a)).min() < 1e-6:
        return False
    if op == "Integers" and np.abs(3 * a - np.round(3 * a)).min() < 1e-6:
        return False
    return np.isfinite(y).all() and np.abs(y).max() < 50


def evaluate(ops, inputs):
    """Returns the values, and the gradients of the sum of all values that no op reads, times their numbers."""
    read = {i for _, args, _ in ops for i in args}

    def total(*xs):
        vs = list(xs)
        for op, args, numbers in ops:
            vs.append(apply(op, [vs[i] for i in args], numbers))
        return sum(jnp.sum(v) * (i + 1) for i, v in enumerate(vs) if i not in read and i >= len(xs)), vs

    grads, values = jax.jit(jax.grad(total, argnums=tuple(range(len(inputs))), has_aux=True))(*inputs)
    return [np.asarray(v) for v in values], grads


CRASHES = {197, 282, 1608}  # the gradients of these programs end JAX 0.10.2 by a failed check in XLA


def program(line):
    if line in CRASHES:
        return None
    r = random.Random(line)
    m, k = r.randint(2, 4), r.randint(2, 3)
    shapes = [(m, k), (k, m), (k,), ()][: r.randint(2, 4)]
    inputs = [np.array([element(line, n, i) for i in range(math.prod(s))]).reshape(s) for n, s in enumerate(shapes)]
    values, ops, length = [jax.ShapeDtypeStruct(s, np.float64) for s in shapes], [], r.randint(4, 12)
    while len(ops) < length:
        d = draw(r, values)
        if d is None:
            continue
        op, args, numbers = d
        try:
            y = jax.eval_shape(lambda *xs: apply(op, xs, numbers), *[values[i] for i in args])
        except (TypeError, ValueError):
            continue  # the shapes do not fit
        if 0 < y.size <= 150 and len(y.shape) <= 4:
            values.append(y)
            ops.append(d)
    # The program ends before the first op that does not fit.
    for _ in range(2):
        values, grads = evaluate(ops, inputs)
        good = [fits(op, [values[i] for i in args], values[len(inputs) + at]) for at, (op, args, _) in enumerate(ops)]
        if all(good):
            break
        ops = ops[: good.index(False)]
        if len(ops) < 2:
            return None
    digests = []
    for g in grads:
        g = np.asarray(g, dtype=np.float64).ravel()
        i = np.arange(g.size)
        if not np.isfinite(g).all() or np.abs(g).max(initial=0) > 1e6:
            return None
        digests += ["%.13g" % (g * np.cos(i)).sum(), "%.13g" % (g * np.sin(2.3 * i + 1)).sum()]
    text = lambda numbers: ",".join(map(str, numbers))
    return "|".join([
        str(line),
        " ".join("x".join(map(str, s)) or "-" for s in shapes),
        " ".join(":".join([op, text(args)] + ([text(numbers)] if numbers else [])) for op, args, numbers in ops),
        " ".join(digests),
    ])


if __name__ == "__main__":
    lines = filter(None, map(program, itertools.count()))
    with open(sys.argv[2], "wb") as f, gzip.GzipFile(filename="", fileobj=f, mode="wb", mtime=0) as out:
        for line in itertools.islice(lines, int(sys.argv[1])):
            out.write(line.encode() + b"\n")
