"""Runs three networks with Stridefuse, onnxruntime and PyTorch: ResNet-18, a small convolutional network, and a block of an
encoder as BERT-base has it. PyTorch exports them, with a symbolic batch and random weights.

    pip install numpy torch onnx onnxscript onnxruntime
    go build -o models ./bench/models && python bench/models/compare.py ./models [MODEL [ROUNDS]]     # names begin with MODEL

Each run is a process of its own, in turn, on the same files. The table has the least of the rounds in milliseconds: of a process's
median call, and of the time from the file to the first result. The last columns are others' times over ours.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

SECONDS, LIMIT = 1.5, 2e-3  # of calls that are timed; of differences, relative to the greatest value


def networks():
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, before, after, stride):
            super().__init__()
            self.first, self.second = nn.Conv2d(before, after, 3, stride, 1), nn.Conv2d(after, after, 3, 1, 1)
            self.skip = nn.Identity() if before == after else nn.Conv2d(before, after, 1, stride)

        def forward(self, x):
            return torch.relu(self.second(torch.relu(self.first(x))) + self.skip(x))

    class Encoder(nn.Module):
        def __init__(self, size=768, heads=12):
            super().__init__()
            self.heads = heads
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
            self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)

        def forward(self, x):
            n, length, _ = x.shape
            q, k, v = self.qkv(x).reshape(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            a = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
            x = self.norm1(x + self.out(a.transpose(1, 2).reshape(n, length, -1)))
            return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))

    torch.manual_seed(0)
    stages = [Block(64, 64, 1), Block(64, 64, 1)]
    for before in (64, 128, 256):
        stages += [Block(before, 2 * before, 2), Block(2 * before, 2 * before, 1)]
    resnet = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))
    small = nn.Sequential(nn.Conv2d(1, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Flatten(), nn.Linear(64 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10))
    return {"resnet18": (resnet, (3, 224, 224)), "small": (small, (1, 28, 28)), "encoder": (Encoder(), (128, 768))}


def make(folder):
    """Writes the models, and for a batch of 1 and of 8 an input and PyTorch's result."""
    import numpy as np
    import torch

    for name, (network, shape) in networks().items():
        network.eval()
        torch.onnx.export(network, (torch.randn(2, *shape),), str(folder / (name + ".onnx")), input_names=["x"], output_names=["y"],
                          dynamic_shapes=({0: torch.export.Dim("batch")},), dynamo=True, external_data=False, verbose=False)
        torch.save(network.state_dict(), folder / (name + ".pt"))
        for batch in (1, 8):
            x = torch.randn(batch, *shape)
            np.save(folder / f"{name}{batch}.npy", x.numpy())
            with torch.no_grad():
                np.save(folder / f"{name}{batch}.y.npy", network(x).numpy())


def load(system, folder, name, threads):
    if system == "onnxruntime":
        import onnxruntime as ort

        def begin():
            options = ort.SessionOptions()
            options.intra_op_num_threads = threads
            session = ort.InferenceSession(str(folder / (name + ".onnx")), options, providers=["CPUExecutionProvider"])
            return lambda x: session.run(None, {"x": x})[0]
    else:
        import torch

        torch.set_num_threads(threads)
        network = networks()[name][0].eval()

        def begin():
            network.load_state_dict(torch.load(folder / (name + ".pt")))
            return lambda x: network(torch.from_numpy(x)).numpy()
        torch.set_grad_enabled(False)
    return begin


def child(system, folder, name, batch, threads):
    import numpy as np

    folder = pathlib.Path(folder)
    x = np.load(folder / f"{name}{batch}.npy")
    begin = load(system, folder, name, int(threads))
    begun = time.perf_counter()
    run = begin()
    y = run(x)
    first = time.perf_counter() - begun
    want = np.load(folder / f"{name}{batch}.y.npy")
    assert np.abs(y - want).max() < LIMIT * np.abs(want).max()
    calls, all = [], time.perf_counter()
    while len(calls) < 5 or time.perf_counter() - all < SECONDS:
        begun = time.perf_counter()
        run(x)
        calls.append(time.perf_counter() - begun)
    calls.sort()
    print(1e3 * first, 1e3 * calls[len(calls) // 2])


def main(ours, only="", rounds="3"):
    systems = ["stridefuse", "onnxruntime", "torch"]
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        make(folder)
        print("| model, batch, threads |" + "".join(f" {s} | first |" for s in systems) + " onnxruntime | torch |\n|" + "---|" * 9, flush=True)
        for name in ("resnet18", "small", "encoder"):
            if not name.startswith(only):
                continue
            for batch in (1, 8):
                for threads in (1, 2):
                    best = {s: [1e9, 1e9] for s in systems}
                    for _ in range(int(rounds)):
                        for system in systems:
                            command = [ours, "-threads", str(threads), "-seconds", str(SECONDS), folder / (name + ".onnx"), f"x={folder}/{name}{batch}.npy"]
                            if system != "stridefuse":
                                command = [sys.executable, __file__, "child", system, folder, name, str(batch), str(threads)]
                            took = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
                            best[system] = list(map(min, best[system], took))
                    row = "".join(f" {call:.3g} | {first:.0f} |" for first, call in best.values())
                    ratios = "".join(f" {best[s][1] / best['stridefuse'][1]:.2f} |" for s in systems[1:])
                    print(f"| {name}, {batch}, {threads} |{row}{ratios}", flush=True)


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1] == "child" else main(*sys.argv[1:])
