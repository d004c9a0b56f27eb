"""Measures C1 to C5 and D1 to D7 with NumPy, JAX, PyTorch and onnxruntime, and prints lines as the
benchmark program does.

    pip install numpy jax torch onnx onnxruntime
    python bench/movement.py THREADS [PEER [WORKLOAD]]     # names begin with these; "" is all

Results go where each peer puts them: PyTorch and NumPy write to old arrays where they can. With
ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 PyTorch is held to AVX2. onnxruntime cannot be.
JAX takes the processors that it sees: taskset says which.
"""

import json
import os
import sys
import time

THREADS = int(sys.argv[1])
PEER, WORKLOAD = (sys.argv[2:] + ["", ""])[:2]
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = str(THREADS)

import numpy as np

random = np.random.default_rng(1)


def uniform(*shape):
    return random.random(shape, dtype="float32") * 2 - 1


IMAGE, FIRST = uniform(8, 64, 56, 56), uniform(1, 3, 224, 224)
WEIGHTS = {"C1-conv3x3": uniform(64, 64, 3, 3), "C2-conv1x1": uniform(64, 64, 1, 1), "C3-depthwise3x3": uniform(64, 1, 3, 3), "C4-conv7x7": uniform(64, 3, 7, 7)}
CONVS = {"C1-conv3x3": (IMAGE, 1, 1, 1), "C2-conv1x1": (IMAGE, 1, 0, 1), "C3-depthwise3x3": (IMAGE, 1, 1, 64), "C4-conv7x7": (FIRST, 2, 3, 1)}
TABLE, ROWS, BAGS = uniform(1 << 17, 64), random.integers(0, 1 << 17, 1_000_000), random.integers(0, 1 << 17, (65536, 16))
PARTS = [uniform(1 << 22) for _ in range(4)]
SQUARE, LONG, LINES = uniform(1000, 1000), uniform(10_000_000), uniform(64, 10000)
BYTES = random.integers(0, 256, 1 << 24, dtype="uint8")
SIZES = {"C4-conv7x7": "1x3x224x224", "D1-take": "1000000x64", "D2-embedding": "65536x16x64", "D3-concat": "3x4M", "D4-sort": "1000x1000",
         "D5-topk": "1000x1000", "D6-histogram": "16M", "D7-rolling-max": "64x10000x50"}


def measure(f):
    """The best and the median batch's mean time of a call, as the benchmark program takes them."""
    f()
    begun = time.perf_counter_ns()
    f()
    calls = max(1, int(2e6 / max(1, time.perf_counter_ns() - begun)))
    means, begun = [], time.perf_counter_ns()
    while len(means) < 5 or time.perf_counter_ns() - begun < 150e6:
        batch = time.perf_counter_ns()
        for _ in range(calls):
            f()
        means.append((time.perf_counter_ns() - batch) / calls)
        if len(means) >= 3 and time.perf_counter_ns() - begun > 3e9:
            break
    means.sort()
    return means[0], means[len(means) // 2]


def bench(peer, workload, f, size=None):
    if not workload.startswith(WORKLOAD):
        return
    best, median = measure(f)
    print(json.dumps({"peer": peer, "workload": workload, "size": size or SIZES.get(workload, "8x64x56x56"), "threads": THREADS,
                      "ns_per_call": best, "ns_median": median, "note": ""}), flush=True)


def with_numpy():
    view = np.lib.stride_tricks.sliding_window_view
    out = np.empty((1_000_000, 64), "float32")
    joined = np.empty(3 << 22, "float32")
    pooled = IMAGE.reshape(8, 64, 28, 2, 28, 2)

    def concat():
        a, b, c = np.split(joined, 3)
        np.multiply(PARTS[0], 2, out=a)
        np.add(PARTS[1], 1, out=b)
        np.multiply(PARTS[2], PARTS[3], out=c)

    bench("numpy", "C5-maxpool2x2", lambda: pooled.max((3, 5)))
    bench("numpy", "D1-take", lambda: np.take(TABLE, ROWS, 0, out=out, mode="clip"))
    bench("numpy", "D2-embedding", lambda: TABLE[BAGS].sum(1))
    bench("numpy", "D3-concat", concat)
    bench("numpy", "D4-sort", lambda: np.sort(SQUARE, 1))
    bench("numpy", "D4-sort", lambda: np.sort(LONG), "10M")
    bench("numpy", "D5-topk", lambda: np.sort(np.partition(SQUARE, 990, 1)[:, 990:], 1))
    bench("numpy", "D6-histogram", lambda: np.bincount(BYTES, minlength=256))
    bench("numpy", "D7-rolling-max", lambda: view(LINES, 50, 1).max(-1))


def with_torch():
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)
    tensor = torch.from_numpy
    for name, (x, stride, pad, groups) in CONVS.items():
        x, w = tensor(x), tensor(WEIGHTS[name])
        bench("torch", name, lambda: F.conv2d(x, w, None, stride, pad, 1, groups))
    image, table, rows, bags, parts = tensor(IMAGE), tensor(TABLE), tensor(ROWS), tensor(BAGS), [tensor(x) for x in PARTS]
    out, joined = torch.empty(1_000_000, 64), torch.empty(3 << 22)

    def concat():
        a, b, c = joined.chunk(3)
        torch.mul(parts[0], 2, out=a)
        torch.add(parts[1], 1, out=b)
        torch.mul(parts[2], parts[3], out=c)

    square, long, lines, octets = tensor(SQUARE), tensor(LONG), tensor(LINES), tensor(BYTES)
    bench("torch", "C5-maxpool2x2", lambda: F.max_pool2d(image, 2))
    bench("torch", "D1-take", lambda: torch.index_select(table, 0, rows, out=out))
    bench("torch", "D2-embedding", lambda: F.embedding_bag(bags, table, mode="sum"))
    bench("torch", "D3-concat", concat)
    bench("torch", "D4-sort", lambda: torch.sort(square, 1))
    bench("torch", "D4-sort", lambda: torch.sort(long), "10M")
    bench("torch", "D5-topk", lambda: torch.topk(square, 10, 1))
    bench("torch", "D6-histogram", lambda: torch.bincount(octets, minlength=256))
    bench("torch", "D7-rolling-max", lambda: F.max_pool1d(lines, 50, 1))


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax import lax

    def add(name, f, *args, size=None):
        args, f = [jnp.asarray(a) for a in args], jax.jit(f)
        bench("jax", name, lambda: jax.block_until_ready(f(*args)), size)

    for name, (x, stride, pad, groups) in CONVS.items():
        add(name, lambda x, w, s=stride, p=pad, g=groups: lax.conv_general_dilated(x, w, (s, s), [(p, p)] * 2, feature_group_count=g), x, WEIGHTS[name])
    add("C5-maxpool2x2", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), IMAGE)
    add("D1-take", lambda t, i: t.at[i].get(mode="clip"), TABLE, ROWS)
    add("D2-embedding", lambda t, i: t.at[i].get(mode="clip").sum(1), TABLE, BAGS)
    add("D3-concat", lambda a, b, c, d: jnp.concatenate([a * 2, b + 1, c * d]), *PARTS)
    add("D4-sort", lambda x: jnp.sort(x, 1), SQUARE)
    add("D4-sort", jnp.sort, LONG, size="10M")
    add("D5-topk", lambda x: lax.top_k(x, 10)[0], SQUARE)
    add("D6-histogram", lambda x: jnp.bincount(x, length=256), BYTES)
    add("D7-rolling-max", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 50), (1, 1), "VALID"), LINES)


def with_onnxruntime():
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    types = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}

    def add(name, nodes, inputs, constants=None, size=None):
        constants = constants or {}
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(k, types[str(v.dtype)], v.shape) for k, v in inputs.items()],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(v, k) for k, v in constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = THREADS, 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        bench("onnxruntime", name, lambda: session.run(None, inputs), size)

    node = helper.make_node
    for name, (x, stride, pad, groups) in CONVS.items():
        add(name, [node("Conv", ["x", "w"], ["y"], strides=[stride] * 2, pads=[pad] * 4, group=groups)], {"x": x}, {"w": WEIGHTS[name]})
    add("C5-maxpool2x2", [node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2])], {"x": IMAGE})
    add("D1-take", [node("Gather", ["x", "i"], ["y"])], {"x": TABLE, "i": ROWS})
    add("D2-embedding", [node("Gather", ["x", "i"], ["z"]), node("ReduceSum", ["z", "axes"], ["y"], keepdims=0)], {"x": TABLE, "i": BAGS}, {"axes": np.array([1])})
    add("D3-concat", [node("Mul", ["a", "two"], ["e"]), node("Add", ["b", "one"], ["f"]), node("Mul", ["c", "d"], ["g"]), node("Concat", ["e", "f", "g"], ["y"], axis=0)],
        dict(zip("abcd", PARTS)), {"two": np.float32(2), "one": np.float32(1)})
    add("D5-topk", [node("TopK", ["x", "k"], ["y", "places"])], {"x": SQUARE}, {"k": np.array([10])})
    add("D7-rolling-max", [node("Unsqueeze", ["x", "axes"], ["u"]), node("MaxPool", ["u"], ["y"], kernel_shape=[50])], {"x": LINES}, {"axes": np.array([1])})


for peer, run in {"numpy": with_numpy, "torch": with_torch, "jax": with_jax, "onnxruntime": with_onnxruntime}.items():
    if peer.startswith(PEER):
        run()
