"""Compares forests in Stridefuse, onnxruntime and the Go library leaves: microseconds a row, for batches of 1, 100 and 10,000 rows.

    pip install numpy scikit-learn skl2onnx onnxmltools xgboost lightgbm onnxruntime
    (cd bench/models/forests && go build -o ../../../forests .) && python bench/models/forests.py ./forests [NAME ...]

Each runs on one thread in a process of its own, by the processor time of the process, so that other processes matter less; the least of
some rounds. Calls score other rows each time. leaves reads files of LightGBM only.
"""

import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
BATCHES, ROUNDS, SECONDS, TREES = [1, 100, 10000], 5, 0.2, 100


def forests():
    """The forests by name, of 100 trees and two classes."""
    import lightgbm
    import xgboost
    from sklearn import ensemble

    return {
        "scikit-learn, random forest": ensemble.RandomForestClassifier(TREES, random_state=0),
        "scikit-learn, random forest, depth 8": ensemble.RandomForestClassifier(TREES, max_depth=8, random_state=0),
        "scikit-learn, gradient boosting": ensemble.GradientBoostingClassifier(n_estimators=TREES, random_state=0),
        "XGBoost": xgboost.XGBClassifier(n_estimators=TREES),
        "LightGBM": lightgbm.LGBMClassifier(n_estimators=TREES, verbose=-1),
    }


def child(model, file, batch):
    import numpy as np
    import onnxruntime as ort

    x, batch = np.load(file), int(batch)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = 1, 1, 4
    s = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    total = float(np.float64(s.run(["probabilities"], {"X": x})[0][:, 1]).sum())
    parts, least = [x[i:i + batch] for i in range(0, len(x) - batch + 1, batch)], float("inf")
    for _ in range(ROUNDS):
        rows, begun = 0, time.process_time()
        while rows == 0 or time.process_time() - begun < SECONDS:
            for part in parts:
                s.run(None, {"X": part})
            rows += batch * len(parts)
        least = min(least, (time.process_time() - begun) / rows)
    print(1e6 * least, total)


def main(binary, *names):
    import numpy as np
    from pipelines import data, export

    x, labels, _, _ = data(4000)
    rows = data(BATCHES[-1] + 1)[0][1:]
    systems = ["Stridefuse", "onnxruntime", "leaves"]
    print("| forest | rows in a call |" + "".join(f" {s} |" for s in systems) + " onnxruntime / Stridefuse |\n|" + "---|" * 6, flush=True)
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        np.save(folder / "rows.npy", rows)
        for name, model in forests().items():
            if names and not any(n in name for n in names):
                continue
            model.fit(x, labels)
            want = float(np.float64(model.predict_proba(rows)[:, 1]).sum())
            (folder / "m.onnx").write_bytes(export(model, x).SerializeToString())
            text = "LightGBM" in name
            if text:
                model.booster_.save_model(str(folder / "m.txt"))
                text_file = (folder / "m.txt").read_text().replace("version=v4", "version=v3", 1)  # leaves takes no later version; these trees are the same
                (folder / "m.txt").write_text(text_file)
            for batch in BATCHES:
                commands = [[binary, "-batch", str(batch), folder / "m.onnx", folder / "rows.npy"],
                            [sys.executable, __file__, "child", folder / "m.onnx", folder / "rows.npy", str(batch)]]
                if text:
                    commands.append([binary, "-batch", str(batch), folder / "m.txt", folder / "rows.npy"])
                took = [float("inf")] * len(commands)
                for _ in range(2):
                    for i, command in enumerate(commands):
                        t, total = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
                        assert abs(total - want) < 1e-4 * want, (name, systems[i], total, want)
                        took[i] = min(took[i], t)
                cells = [f"{t:.2f}" for t in took] + [""] * (3 - len(took))
                print(f"| {name} | {batch} | " + " | ".join(cells) + f" | {took[1] / took[0]:.2f} |", flush=True)


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1] == "child" else main(*sys.argv[1:])
