"""NumPy, JAX, PyTorch and onnxruntime on the workloads B8 to B14, H1 to H3, M1 to M3 and N1 to N8: the lines of the
benchmark program.

    pip install numpy jax onnx onnxruntime torch
    taskset -c 0 python bench/peers/peers.py [peer [workload]]

Each peer is given one thread (THREADS=2 in the environment: two), and results to write into where it takes them.
"""

import json
import os
import sys
import time

THREADS = int(os.environ.get("THREADS", "1"))
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=%s intra_op_parallelism_threads=%d" % (str(THREADS > 1).lower(), THREADS))
for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(library + "_NUM_THREADS", str(THREADS))

PICTURE = 4 * 360 * 640
SIZES = {"1K": 1000, "64K": 1 << 16, "16M": 1 << 24}


def measure(peer, workload, size, run):
    if not (peer + " " + workload).startswith(" ".join(sys.argv[1:3])):
        return
    clock = time.perf_counter_ns
    run()
    start = clock()
    run()
    calls, times = max(1, int(2e6 / (clock() - start))), []
    start = clock()
    while len(times) < 5 or clock() - start < 150e6:
        begin = clock()
        for _ in range(calls):
            run()
        times.append((clock() - begin) / calls)
    times.sort()
    print(json.dumps({"peer": peer, "workload": workload, "size": size, "threads": THREADS, "ns_per_call": times[0],
                      "ns_median": times[len(times) // 2], "note": ""}), flush=True)


def pictures(np):
    random = np.random.default_rng(1)
    return [random.integers(0, 256, PICTURE, np.uint8) for _ in range(2)]


# The sizes of M1, of M2 and M3, of N1 to N4 and of N5 to N8.
SMALL, FEW, SIDE, ROWS = 360 * 640, 4096, 2048, 262144


def operands(np):
    """Yields name, size, formula and arrays of the workloads M and N but N7. A formula is of what NumPy, JAX and PyTorch
    have in common; m is the module."""
    random = np.random.default_rng(4)
    f32 = lambda *shape: random.uniform(-1, 1, shape).astype(np.float32)
    for n in (2, 3, 4, 8):
        yield "M1-small", "%dx%dx%d" % (SMALL, n, n), lambda m, x, y: x @ y, [f32(SMALL, n, n), f32(SMALL, n, n)]
    for n in (1, 2, 4, 8):
        x, y = f32(n, FEW), f32(FEW, FEW)
        yield "M2-rows", "%dx%dx%d" % (n, FEW, FEW), lambda m, x, y: x @ y, [x, y]
        yield "M3-rows-transposed", "%dx%dx%d" % (n, FEW, FEW), lambda m, x, y: x @ y.T, [x, y]
    x, square = f32(SIDE, SIDE), "%dx%d" % (SIDE, SIDE)
    yield "N1-any", square, lambda m, x: (x > 2).any(), [x]
    yield "N2-count0", square, lambda m, x: (x > 0.5).sum(0), [x]
    yield "N3-argmax0", square, lambda m, x: x.argmax(0), [x]
    yield "N4-variance0", square, lambda m, x, mean: ((x - mean) ** 2).sum(0), [x, f32(SIDE)]
    yield "N5-cumsum3", "%dx3" % ROWS, lambda m, x: m.cumsum(x, 1), [f32(ROWS, 3)]
    eights = random.integers(0, 200, (ROWS, 8), np.uint8)
    yield "N6-sum8", "%dx8" % ROWS, lambda m, x: x.sum(1, dtype=m.int64), [eights]
    yield "N8-power-sum", "%dx8" % ROWS, lambda m, x: ((m.asarray(x, dtype=m.float32) / 255) ** 2.2).sum(1), [eights]


def with_numpy():
    import numpy as np

    a, b = pictures(np)
    out, wide, other, mask, mask2 = np.empty_like(a), np.empty(PICTURE, np.uint32), np.empty(PICTURE, np.uint32), np.empty(PICTURE, bool), np.empty(PICTURE, bool)

    def threshold():
        np.greater(a, 100, out=mask)
        np.multiply(mask, np.uint8(255), out=out)

    def blend():
        np.multiply(a, np.uint32(179), out=wide)
        np.multiply(b, np.uint32(128), out=other)
        np.add(wide, other, out=wide)
        np.right_shift(wide, 8, out=wide)
        np.minimum(wide, 255, out=out, casting="unsafe")

    def both():
        np.greater(a, 3, out=mask)
        np.less(b, 77, out=mask2)
        np.logical_and(mask, mask2, out=mask)

    for name, size, formula, arrays in operands(np):
        measure("numpy", name, size, lambda: formula(np, *arrays))
    measure("numpy", "B8-max", "360x640", lambda: np.maximum(a, b, out=out))
    measure("numpy", "B10-threshold", "360x640", threshold)
    measure("numpy", "B11-count", "360x640", lambda: np.count_nonzero(a > 100))
    measure("numpy", "B13-blend", "360x640", blend)
    measure("numpy", "B14-both", "360x640", both)
    random = np.random.default_rng(2)
    for size, n in SIZES.items():
        x, y = (random.uniform(0.5, 1.5, n).astype(np.float16) for _ in range(2))
        r = np.empty_like(x)
        measure("numpy", "H1-axpy-f16", size, lambda: np.add(np.multiply(x, np.float16(2.5), out=r), y, out=r))
        z, w, v = (random.uniform(-1, 1, 2 * n).astype(np.float32).view(np.complex64) for _ in range(3))
        c = np.empty_like(z)
        measure("numpy", "H3-complex", size, lambda: np.add(np.multiply(z, w, out=c), v, out=c))


def with_jax():
    import jax
    import jax.numpy as jnp
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    run = lambda f, *args: lambda f=jax.jit(f): f(*args).block_until_ready()
    a, b = (jnp.asarray(x) for x in pictures(np))
    for name, size, formula, arrays in operands(np):
        measure("jax", name, size, run(lambda *arrays, f=formula: f(jnp, *arrays), *map(jnp.asarray, arrays)))
    measure("jax", "B8-max", "360x640", run(jnp.maximum, a, b))
    measure("jax", "B10-threshold", "360x640", run(lambda a: jnp.where(a > 100, jnp.uint8(255), jnp.uint8(0)), a))
    measure("jax", "B11-count", "360x640", run(lambda a: jnp.sum(a > 100), a))
    measure("jax", "B13-blend", "360x640", run(
        lambda a, b: jnp.minimum((a.astype(jnp.uint32) * 179 + b.astype(jnp.uint32) * 128) >> 8, 255).astype(jnp.uint8), a, b))
    measure("jax", "B14-both", "360x640", run(lambda a, b: (a > 3) & (b < 77), a, b))
    random = np.random.default_rng(2)
    for name, dt in {"f16": jnp.float16, "bf16": jnp.bfloat16}.items():
        for size, n in SIZES.items():
            x, y = (jnp.asarray(random.uniform(0.5, 1.5, n), dt) for _ in range(2))
            measure("jax", "H1-axpy-" + name, size, run(lambda x, y: x * dt(2.5) + y, x, y))
        x = jnp.asarray(random.uniform(-4, 4, (4096, 1024)), dt)
        measure("jax", "H2-softmax-" + name, "4096x1024", run(lambda x: jax.nn.softmax(x, axis=-1), x))
    for size, n in SIZES.items():
        z, w, v = (jnp.asarray(random.uniform(-1, 1, 2 * n).astype(np.float32).view(np.complex64)) for _ in range(3))
        measure("jax", "H3-complex", size, run(lambda z, w, v: z * w + v, z, w, v))


def with_torch():
    import numpy as np
    import torch

    torch.set_num_threads(THREADS)
    for name, size, formula, arrays in operands(np):
        tensors = [torch.from_numpy(x) for x in arrays]
        measure("torch", name, size, lambda: formula(torch, *tensors))
    for name, dt in {"f16": torch.float16, "bf16": torch.bfloat16}.items():
        for size, n in SIZES.items():
            x, y = (torch.rand(n).add(0.5).to(dt) for _ in range(2))
            r = torch.empty_like(x)
            measure("torch", "H1-axpy-" + name, size, lambda: torch.add(y, x, alpha=2.5, out=r))
        x = torch.rand(4096, 1024).mul(8).sub(4).to(dt)
        r = torch.empty_like(x)
        measure("torch", "H2-softmax-" + name, "4096x1024", lambda: torch.softmax(x, -1, out=r))


def with_onnxruntime():
    import numpy as np
    import onnx
    import onnxruntime

    random = np.random.default_rng(3)
    for name, dt, kind in (("uint8", np.uint8, onnx.TensorProto.UINT8), ("int8", np.int8, onnx.TensorProto.INT8)):
        info, n = np.iinfo(dt), 1024
        x, y = (random.integers(info.min, info.max + 1, (n, n), dt) for _ in range(2))
        ports = [onnx.helper.make_tensor_value_info(port, kind, [n, n]) for port in "xy"]
        out = onnx.helper.make_tensor_value_info("z", onnx.TensorProto.INT32, [n, n])
        graph = onnx.helper.make_graph([onnx.helper.make_node("MatMulInteger", ["x", "y"], ["z"])], "product", ports, [out])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        if not (session.run(None, {"x": x, "y": y})[0] == x.astype(np.int32) @ y.astype(np.int32)).all():
            print("onnxruntime's product of %s is not exact" % name, file=sys.stderr)
        measure("onnxruntime", "B12-matmul" if name == "uint8" else "B12-matmul-int8", "1024", lambda: session.run(None, {"x": x, "y": y}))


if __name__ == "__main__":
    for peer in (with_numpy, with_jax, with_torch, with_onnxruntime):
        if not sys.argv[1:] or peer.__name__ == "with_" + sys.argv[1]:
            peer()
