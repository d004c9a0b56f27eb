"""JAX and PyTorch on the workloads G1 to G7, losses with their gradients: the lines of the benchmark program.

    pip install jax torch
    taskset -c 0 python bench/peers/gradients.py [peer [workload]]

Each peer is given one thread (THREADS=2 in the environment: two). PyTorch runs eagerly, and with torch.compile, which needs a C++
compiler. PEAK=1 prints the memory of PyTorch's G3 instead: how far the resident memory of the process grows in a step.
"""

import json
import os
import sys
import time

THREADS = int(os.environ.get("THREADS", "1"))
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=%s intra_op_parallelism_threads=%d" % (str(THREADS > 1).lower(), THREADS))
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(library + "_NUM_THREADS", str(THREADS))

import numpy as np


def measure(peer, workload, size, run):
    if not (peer + " " + workload).startswith(" ".join(sys.argv[1:3])):
        return
    clock = time.perf_counter_ns
    run()
    start = clock()
    run()
    calls, times = max(1, int(2e6 / (clock() - start))), []
    start = clock()
    while len(times) < 5 or clock() - start < 1e9:
        begin = clock()
        for _ in range(calls):
            run()
        times.append((clock() - begin) / calls)
    times.sort()
    print(json.dumps({"peer": peer, "workload": workload, "size": size, "threads": THREADS, "ns_per_call": times[0],
                      "ns_median": times[len(times) // 2], "note": "value and gradients"}), flush=True)


random = np.random.default_rng(1)


def arrays(low, high, *shapes, dtype=np.float32):
    return [random.uniform(low, high, s).astype(dtype) for s in shapes]


labels = (7 * np.arange(64) % 10).astype(np.int64)
ATTENTION = [(8, 128, 384), (384,), (384,), (384, 1152), (1152,), (384, 384), (384,)]
# Name, size, data, parameters. The losses take the data first.
WORKLOADS = {
    "logistic": ("G1-logistic", "10000x100", arrays(-1, 1, (10000, 100), (10000,)), arrays(-1, 1, (100,), ())),
    "mlp": ("G2-mlp", "64x784-256-128-10", arrays(-0.1, 0.1, (64, 784)) + [labels],
            arrays(-0.1, 0.1, (784, 256), (256,), (256, 128), (128,), (128, 10), (10,))),
    "attention": ("G3-attention", "8x128x384", [], arrays(-0.1, 0.1, *ATTENTION)),
    "convnet": ("G4-convnet", "64x8x8", arrays(-0.3, 0.3, (64, 1, 8, 8)) + [labels],
                arrays(-0.3, 0.3, (16, 1, 3, 3), (16, 1, 1), (32, 16, 3, 3), (32, 1, 1), (512, 10), (10,))),
    "vega": ("G5-vega", "64K", arrays(0.5, 1.5, 1 << 16, 1 << 16, 1 << 16), arrays(0.5, 1.5, 1 << 16)),
    "heat": ("G6-heat", "128x128x20", arrays(-1, 1, (128, 128)), arrays(-1, 1, (128, 128))),
    "rosenbrock": ("G7-rosenbrock", "1000", [], arrays(-1, 1, 1000, dtype=np.float64)),
}


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax import lax, nn

    jax.config.update("jax_enable_x64", True)

    def cross_entropy(z, labels):
        return -jnp.take_along_axis(nn.log_softmax(z), labels[:, None], 1).mean()

    def mlp(x, labels, w0, b0, w1, b1, w2, b2):
        return cross_entropy(nn.relu(nn.relu(x @ w0 + b0) @ w1 + b1) @ w2 + b2, labels)

    def logistic(x, y, w, b):
        z = x @ w + b
        return (nn.softplus(z) - z * y).mean()

    def attention(x, scale, offset, win, bin, wout, bout):
        n, length, size = x.shape
        h = nn.standardize(x, epsilon=1e-5) * scale + offset
        q, k, v = (h @ win + bin).reshape(n, length, 3, 6, -1).transpose(2, 0, 3, 1, 4)
        a = nn.softmax(q @ k.swapaxes(-1, -2) * 0.125) @ v
        return jnp.square(x + a.transpose(0, 2, 1, 3).reshape(n, length, size) @ wout + bout).mean()

    def convnet(x, labels, w1, b1, w2, b2, w3, b3):
        h = nn.relu(lax.conv(x, w1, (1, 1), "SAME") + b1)
        h = nn.relu(lax.conv(h, w2, (1, 1), "SAME") + b2)
        h = lax.reduce_window(h, -np.float32(np.inf), lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        return cross_entropy(h.reshape(64, 512) @ w3 + b3, labels)

    def vega(spot, strike, years, sigma):
        normal = lambda x: 0.5 * lax.erf(x * np.float32(0.5**0.5)) + 0.5
        width = jnp.sqrt(years) * sigma
        d1 = (jnp.log(spot / strike) + years * (0.05 + 0.5 * sigma**2)) / width
        return (spot * normal(d1) - strike * jnp.exp(-0.05 * years) * normal(d1 - width)).sum()

    def heat(measured, source):
        u = jnp.zeros_like(source)
        for _ in range(20):
            p = jnp.pad(u, 1)
            u = u + np.float32(0.2) * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u) + np.float32(0.1) * source
        return jnp.square(u - measured).mean()

    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    for name, (workload, size, data, params) in WORKLOADS.items():
        f = jax.jit(jax.value_and_grad(locals()[name], argnums=tuple(range(len(data), len(data) + len(params)))))
        args = [jnp.asarray(a) for a in data + params]
        measure("jax", workload, size, lambda: jax.block_until_ready(f(*args)))


def with_torch(compiled):
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(THREADS)

    def logistic(x, y, w, b):
        return F.binary_cross_entropy_with_logits(x @ w + b, y)

    def mlp(x, labels, w0, b0, w1, b1, w2, b2):
        return F.cross_entropy(torch.relu(torch.relu(x @ w0 + b0) @ w1 + b1) @ w2 + b2, labels)

    def attention(x, scale, offset, win, bin, wout, bout):
        n, length, size = x.shape
        h = F.layer_norm(x, (size,), scale, offset)
        q, k, v = (h @ win + bin).reshape(n, length, 3, 6, -1).permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.transpose(-1, -2) * 0.125, -1) @ v
        return (x + a.transpose(1, 2).reshape(n, length, size) @ wout + bout).square().mean()

    def convnet(x, labels, w1, b1, w2, b2, w3, b3):
        h = torch.relu(F.conv2d(x, w1, padding=1) + b1)
        h = torch.relu(F.conv2d(h, w2, padding=1) + b2)
        return F.cross_entropy(F.max_pool2d(h, 2).reshape(64, 512) @ w3 + b3, labels)

    def vega(spot, strike, years, sigma):
        normal = lambda x: 0.5 * torch.erf(x * 0.5**0.5) + 0.5
        width = years.sqrt() * sigma
        d1 = (torch.log(spot / strike) + years * (0.05 + 0.5 * sigma.square())) / width
        return (spot * normal(d1) - strike * torch.exp(-0.05 * years) * normal(d1 - width)).sum()

    def heat(measured, source):
        u = torch.zeros_like(source)
        for _ in range(20):
            p = F.pad(u, (1, 1, 1, 1))
            u = u + 0.2 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u) + 0.1 * source
        return (u - measured).square().mean()

    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    for name, (workload, size, data, params) in WORKLOADS.items():
        f = locals()[name]
        if compiled:
            f = torch.compile(f)
        data = [torch.from_numpy(a) for a in data]
        params = [torch.from_numpy(np.array(a)).requires_grad_() for a in params]

        def run():
            loss = f(*data, *params)
            return loss, torch.autograd.grad(loss, params)

        if "PEAK" in os.environ:
            if name == "attention":
                peak(run)
            continue
        measure("torch.compile" if compiled else "torch", workload, size, run)


def peak(run):
    """Prints by how much a step raises the greatest resident memory, after steps that load what is loaded once."""
    import ctypes

    def status(key):
        return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key)) / 1024

    for _ in range(3):
        run()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")  # the greatest resident memory starts anew
    kept = run()
    print(json.dumps({"peer": "torch", "workload": "G3-attention", "MiB": status("VmHWM") - before, "note": "peak of a step, results included"}))


if "PEAK" in os.environ:
    with_torch(False)
    sys.exit()
for peer, run in {"jax": with_jax, "torch": lambda: with_torch(False), "torch.compile": lambda: with_torch(True)}.items():
    if peer == (sys.argv[1:2] or [peer])[0]:
        run()
