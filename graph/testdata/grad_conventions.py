"""Checks the columns of JAX and PyTorch in the table of conventions of docs/gradients.md, in float64.

    pip install jax torch
    python graph/testdata/grad_conventions.py docs/gradients.md

A row has the text of its first cell, and for each library the text of its cell, a function, and its gradient at the point. The
script fails if a gradient differs, if a cell of the page differs, or if the page has a row that is not here.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from jax import lax, nn

jax.config.update("jax_enable_x64", True)
torch.set_default_dtype(torch.float64)
inf, nan = float("inf"), float("nan")
t = torch.tensor
three = [1.0, 2.0, 3.0]
EQUAL, TIE = [1.0, 5.0, 5.0], [1.0, 3.0, 3.0, 2.0]
NONE = ("–", None, None)

ROWS = [
    ("`Abs` at 0", [0.0], ("1", jnp.abs, [1]), ("0", torch.abs, [0])),
    ("`ReLU` at 0", [0.0], ("0", nn.relu, [0]), ("0", F.relu, [0])),
    ("`ReLU` of NaN", [nan], ("0", nn.relu, [0]), ("1", F.relu, [1])),
    ("`LeakyReLU(s)` at 0", [0.0], ("1", lambda x: nn.leaky_relu(x, 0.1), [1]), ("s", lambda x: F.leaky_relu(x, 0.1), [0.1])),
    ("`ELU(a)` at 0", [0.0], ("a", lambda x: nn.elu(x, 0.5), [0.5]), ("a", lambda x: F.elu(x, 0.5), [0.5])),
    ("`HardSwish` at -3 and 3", [-3.0, 3.0], ("0 and 1", nn.hard_swish, [0, 1]), ("0 and 1", F.hardswish, [0, 1])),
    ("`CopySign(1)` at 0", [0.0], ("1", lambda x: jnp.copysign(x, 1.0), [1]), ("0", lambda x: torch.copysign(x, t(1.0)), [0])),
    ("`Maximum`, `Minimum` of equal operands", [1.0], ("1/2 each", lambda x: jnp.maximum(x, 1.0), [0.5]), ("1/2 each", lambda x: torch.maximum(x, t(1.0)), [0.5])),
    ("`Clip` at a bound", [0.0, 2.0], ("1/2", lambda x: jnp.clip(x, 0, 2), [0.5, 0.5]), ("0 by numbers, 1/2 by tensors", lambda x: x.clamp(0, 2), [0, 0])),
    ("", [0.0, 2.0], NONE, ("", lambda x: x.clamp(t(0.0), t(2.0)), [0.5, 0.5])),
    ("`Max`, `Min` of k equal elements", EQUAL, ("1/k each", jnp.max, [0, 0.5, 0.5]), ("1/k each (`amax`); one of them (`max(dim)`)", torch.amax, [0, 0.5, 0.5])),
    ("", EQUAL, NONE, ("", lambda x: x.max(0).values, [0, 1, 0])),
    ("`Max`, `Min` of elements with a NaN", [1.0, nan], ("NaN", jnp.max, [nan, nan]), ("NaN", torch.amax, [nan, nan])),
    ("`MaxPool` of k equal elements", [2.0, 2.0], ("the first", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2,), (2,), "VALID"), [1, 0]), ("the first", lambda x: F.max_pool1d(x[None, None], 2), [1, 0])),
    ("`CumMax` of equal elements", TIE, ("unequal parts", lax.cummax, [1, 2, 1, 0]), ("the last", lambda x: x.cummax(0).values, [1, 1, 2, 0])),
    ("`Sort` of equal elements", [5.0, 1.0, 5.0], ("in their order", lambda x: jnp.sort(x) * jnp.array(three), [2, 1, 3]), ("in their order", lambda x: x.sort(stable=True).values * t(three), [2, 1, 3])),
    ("`Median` of an even number", [1.0, 3.0, 4.0, 9.0], ("1/2 for each of two", jnp.median, [0, 0.5, 0.5, 0]), ("the lower of two", torch.median, [0, 1, 0, 0])),
    ("`Prod`, `CumProd` with zeros", [2.0, 0.0, 3.0], ("exact", jnp.prod, [0, 6, 0]), ("exact", torch.prod, [0, 6, 0])),
    ("", [2.0, 0.0, 3.0], ("", jnp.cumprod, [1, 8, 0]), ("", lambda x: x.cumprod(0), [1, 8, 0])),
    ("`Sqrt` at 0", [0.0], ("Inf, NaN", jnp.sqrt, [inf]), ("Inf, NaN", torch.sqrt, [inf])),
    ("", [0.0], ("", lambda x: jnp.sqrt(x) * 0, [nan]), ("", lambda x: torch.sqrt(x) * 0, [nan])),
    ("`Norm2` at 0", [0.0, 0.0], ("NaN", jnp.linalg.norm, [nan, nan]), ("0", torch.linalg.norm, [0, 0])),
    ("`Std` of equal elements", [3.0, 3.0], ("NaN", jnp.std, [nan, nan]), ("0", lambda x: x.std(unbiased=False), [0, 0])),
    ("`Hypot` at (0, 0)", [0.0], ("1/2", lambda x: jnp.hypot(x, 0.0), [0.5]), ("NaN", lambda x: torch.hypot(x, t([0.0])), [nan])),
    ("`Hypot` of an infinite operand, by it", [inf, -inf], ("NaN", lambda x: jnp.hypot(x, 3.0), [nan, nan]), ("NaN", lambda x: torch.hypot(x, t(3.0)), [nan, nan])),
    ("`Atan2` at (0, 0)", [0.0], ("NaN", lambda x: jnp.arctan2(x, 0.0), [nan]), ("0", lambda x: torch.atan2(x, t([0.0])), [0])),
    ("`Pow(x, 0)` at x = 0, by x", [0.0], ("NaN", lambda x: x ** jnp.zeros(1), [nan]), ("0", lambda x: x ** torch.zeros(1), [0])),
    ("`Pow(0, y)` by y > 0", [2.0], ("0", lambda x: jnp.zeros(1) ** x, [0]), ("0", lambda x: torch.zeros(1) ** x, [0])),
    ("`LogSumExp`, `LogAddExp` of -Inf only", [-inf, -inf], ("NaN", nn.logsumexp, [nan, nan]), ("NaN", lambda x: x.logsumexp(0), [nan, nan])),
    ("", [-inf], ("", lambda x: jnp.logaddexp(x, -jnp.inf), [nan]), ("", lambda x: torch.logaddexp(x, t(-inf)), [nan])),
    ("`Where`: the branch not taken is infinite or NaN", [-1.0, 4.0], ("NaN", lambda x: jnp.where(x > 0, jnp.sqrt(x), 0), [nan, 0.25]), ("NaN", lambda x: torch.where(x > 0, x.sqrt(), 0), [nan, 0.25])),
    ("`Floor`, `Round`, `Sign`, comparisons, integers", [0.5, 2.0], ("0", lambda x: jnp.floor(x) + jnp.round(x) + jnp.sign(x), [0, 0]), ("0", lambda x: x.floor() + x.round() + x.sign(), [0, 0])),
    ("`Quantize`", [-1000.0, 1.3], NONE, ("the same (fake quantization)", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.5, 3, -128, 127), [0, 1])),
    ("complex z = a + bi, real y", [1 + 2j], ("the conjugate", lambda z: jnp.abs(z) ** 2, [2 - 4j]), ("dy/da + i dy/db", lambda z: z.abs() ** 2, [2 + 4j])),
]


def by_jax(f, at):
    return np.asarray(jax.grad(lambda x: jnp.sum(f(x)))(jnp.array(at)))


def by_torch(f, at):
    x = t(at, requires_grad=True)
    return torch.autograd.grad(f(x).sum(), x)[0].numpy()


if __name__ == "__main__":
    bad = 0

    def expect(what, want, got):
        global bad
        if want != got:
            bad += 1
            print(f"{what}: {got}, not {want}")

    page = {}
    for line in open(sys.argv[1], encoding="utf-8"):
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if len(cells) == 4 and cells[0] not in ("derivative", "---"):
            page[cells[0]] = cells
    named = [row for row in ROWS if row[0]]
    expect("rows", sorted(page), sorted(row[0] for row in named))
    for name, at, *libraries in ROWS:
        for column, (cell, f, want), gradient in zip((2, 3), libraries, (by_jax, by_torch)):
            if name:
                expect(f"{name}, column {column} of the page", cell, page.get(name, [""] * 4)[column])
            if f:
                got = gradient(f, at)
                if not np.allclose(got, want, equal_nan=True):
                    expect(f"{name or 'row without a name'} by {gradient.__name__}", want, got.tolist())
    print(f"jax {jax.__version__}, torch {torch.__version__}: {bad} differences")
    sys.exit(bad > 0)
