"""Writes random programs with the gradients that JAX computes, for TestGradBesideJAX.

    pip install jax
    python grad_cases.py 2000 > cases.jsonl
    STRIDEFUSE_GRAD_CASES=cases.jsonl go test ./graph -run BesideJAX

A line is a program: its inputs, float64 arrays; its ops, each applied to earlier values (inputs first); and the
gradients of the sum of the last value with respect to the inputs.
"""
import json
import random
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

jax.config.update("jax_enable_x64", True)

# An op is a function of its operands and an attribute, with a function that draws the attribute for the shapes of the
# operands, or None if they do not fit. Functions whose conventions at kinks differ from JAX's (docs/gradients.md) get
# operands that are not there.
UNARY = {
    "Exp": lambda x: jnp.exp(x), "Tanh": jnp.tanh, "Sin": jnp.sin, "Cos": jnp.cos, "Square": jnp.square, "Neg": jnp.negative,
    "Sigmoid": nn.sigmoid, "Softplus": nn.softplus, "GELU": lambda x: nn.gelu(x, approximate=False), "GELUTanh": nn.gelu, "SiLU": nn.silu,
    "Erf": lambda x: jax.scipy.special.erf(x), "Abs": lambda x: jnp.abs(x + 0.37), "ReLU": nn.relu, "Atan": jnp.arctan, "Asinh": jnp.arcsinh,
    "Sinh": jnp.sinh, "Cosh": jnp.cosh, "Expm1": jnp.expm1, "Softsign": nn.soft_sign, "SELU": nn.selu, "Mish": nn.mish,
    "Floor": jnp.floor, "Sign": jnp.sign,
}
POSITIVE = {"Sqrt": jnp.sqrt, "Log": jnp.log, "Log2": jnp.log2, "Log1p": jnp.log1p, "Rsqrt": lax.rsqrt, "Reciprocal": jnp.reciprocal, "Cbrt": jnp.cbrt}  # of x*x + 0.5
BINARY = {
    "Add": jnp.add, "Sub": jnp.subtract, "Mul": jnp.multiply, "Maximum": jnp.maximum, "Minimum": jnp.minimum,
}
NONZERO = {"Div": jnp.divide, "Atan2": jnp.arctan2, "Hypot": jnp.hypot}  # the second operand is y*y + 0.5
REDUCTIONS = {
    "Sum": jnp.sum, "Mean": jnp.mean, "Max": jnp.max, "Min": jnp.min, "Prod": jnp.prod, "Var": jnp.var,
    "LogSumExp": lambda x, axis: nn.logsumexp(x, axis=axis), "Norm2": lambda x, axis: jnp.linalg.norm(x + 3, axis=axis), "Median": jnp.median,
}
ALONG = {
    "Softmax": nn.softmax, "LogSoftmax": nn.log_softmax, "CumSum": jnp.cumsum, "CumProd": jnp.cumprod, "Sort": jnp.sort, "Flip": jnp.flip,
    "Standardize": lambda x, axis: nn.standardize(x, axis=axis, epsilon=1e-3),
}


def apply(op, a, xs):
    x = xs[0]
    if op in UNARY:
        return UNARY[op](x)
    if op in POSITIVE:
        return POSITIVE[op](x * x + 0.5)
    if op in BINARY:
        return BINARY[op](x, xs[1])
    if op in REDUCTIONS:
        return REDUCTIONS[op](x, axis=a["axis"])
    if op in ALONG:
        return ALONG[op](x, axis=a["axis"])
    if op in NONZERO:
        return NONZERO[op](x, xs[1] * xs[1] + 0.5)
    if op == "Where":
        return jnp.where(x > 0, x, xs[1])
    if op == "MatMul":
        return jnp.matmul(x, xs[1])
    if op == "Transpose":
        return jnp.transpose(x)
    if op == "Reshape":
        return jnp.reshape(x, -1)
    if op == "Slice":
        return lax.slice_in_dim(x, a["begin"], x.shape[a["axis"]], a["step"], a["axis"])
    if op == "Concat":
        return jnp.concatenate([x, xs[1], x], a["axis"])
    if op == "Pad":
        return jnp.pad(x, [(a["before"], a["after"])] * x.ndim, mode=a["mode"])
    if op == "Take":
        return jnp.take(x, jnp.array(a["at"]), a["axis"])
    if op == "Roll":
        return jnp.roll(x, a["shift"], a["axis"])
    if op == "Clip":
        return jnp.clip(x, -1, 1)
    if op == "Conv":
        return lax.conv_general_dilated(x[None], xs[1][:, None][:, :, : a["size"]].repeat(x.shape[0], 1), (a["stride"],), [(1, 1)])[0]
    raise ValueError(op)


def draw(r, shapes):
    """Returns an op, the operands and the attribute."""
    i, j = r.randrange(len(shapes)), r.randrange(len(shapes))
    s, t = shapes[i], shapes[j]
    op = r.choice(list(UNARY) + list(POSITIVE) + list(BINARY) * 2 + list(REDUCTIONS) + list(ALONG) * 2 + list(NONZERO) + ["Where", "Clip"] + ["MatMul"] * 8 +
                  ["Transpose", "Reshape", "Slice", "Slice", "Concat", "Concat", "Pad", "Take", "Roll", "Conv", "Conv", "Conv"])
    axis = r.randrange(len(s)) if s else None
    if op in UNARY or op in POSITIVE or op in ("Clip", "Transpose", "Reshape"):
        return op, [i], {}
    if op in BINARY or op in NONZERO or op == "Where":
        return op, [i, j], {}
    if axis is None:
        return None
    if op in REDUCTIONS or op in ALONG:
        return op, [i], {"axis": axis}
    if op == "MatMul":
        return (op, [i, j], {}) if len(s) == 2 and len(t) == 2 and s[1] == t[0] else None
    if op == "Slice":
        return op, [i], {"axis": axis, "begin": r.randrange(s[axis]), "step": r.randint(1, 3)}
    if op == "Concat":
        return op, [i, j], {"axis": axis}
    if op == "Pad":
        return op, [i], {"before": r.randint(0, 1), "after": r.randint(0, 1), "mode": r.choice(["constant", "edge", "wrap"])}
    if op == "Take":
        return op, [i], {"axis": axis, "at": [r.randrange(s[axis]) for _ in range(r.randint(1, 4))]}
    if op == "Roll":
        return op, [i], {"axis": axis, "shift": r.randint(-2, 3)}
    if op == "Conv":
        return (op, [i, j], {"size": r.randint(1, min(3, t[1])), "stride": r.randint(1, 2)}) if len(s) == 2 and len(t) == 2 and s[1] > 1 else None


def program(r):
    m, k = r.randint(1, 4), r.randint(1, 4)
    shapes = [(m, k), (k, m), (k,), ()][: r.randint(2, 4)]
    inputs = [np.array([r.gauss(0, 1) for _ in range(int(np.prod(s)))]).reshape(s) for s in shapes]
    values, ops = [jnp.array(x) for x in inputs], []
    while len(ops) < r.randint(3, 14):
        d = draw(r, [v.shape for v in values])
        if d is None:
            continue
        op, args, a = d
        try:
            y = apply(op, a, [values[i] for i in args])
        except (TypeError, ValueError):
            continue  # the shapes do not fit
        if y.size == 0 or y.size > 200 or not bool(jnp.all(jnp.isfinite(y))) or float(jnp.max(jnp.abs(y))) > 50:
            continue
        values.append(y)
        ops.append({"op": op, "args": args, "a": a})

    def last(*xs):
        vs = list(xs)
        for o in ops:
            vs.append(apply(o["op"], o["a"], [vs[i] for i in o["args"]]))
        return jnp.sum(vs[-1])

    grads = jax.grad(last, argnums=tuple(range(len(inputs))))(*[jnp.array(x) for x in inputs])
    as_json = lambda x: {"shape": list(x.shape), "data": np.asarray(x, dtype=np.float64).ravel().tolist()}
    return {"inputs": [as_json(x) for x in inputs], "ops": ops, "grads": [as_json(g) for g in grads]}


if __name__ == "__main__":
    for seed in range(int(sys.argv[1])):
        print(json.dumps(program(random.Random(seed))), flush=True)
