"""Exports pipelines of scikit-learn, XGBoost and LightGBM, and compares the predictions of Stridefuse and onnxruntime with their own.

    pip install numpy pandas scikit-learn skl2onnx onnxmltools xgboost lightgbm onnxruntime
    go build -o models ./bench/models && python bench/models/pipelines.py ./models [-time] [-rows 10000] [-keep FOLDER] [NAME ...]

Names select pipelines that contain them. The table says for each pipeline how many labels of the rows differ, and the greatest
difference of probabilities, or of values relative to the greatest value: for Stridefuse and for onnxruntime. With -time it says the rows a
second of both for batches of 1, 100 and 10,000 on one thread and on two, each in a process of its own.
"""

import math
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
LIMIT, ROUNDS, SECONDS = 1e-6, 3, 0.5
OPSETS = {"": 21, "ai.onnx.ml": 3}
FEATURES, WORDS = 12, ["Bergen", "Oslo", "Tromsø", "Bodø", "Trondheim"]


def data(rows, missing=False):
    """Rows of features, and a label of two classes, one of three classes as strings, and a number."""
    import numpy as np

    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, FEATURES)).astype("f4")
    x[:, -1] = rng.integers(0, 8, rows)
    score = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] + 0.2 * x[:, -1] + 0.3 * rng.standard_normal(rows)
    if missing:
        x[rng.random(x.shape) < 0.1] = np.nan
    three = np.array(["high", "low", "middle"])[np.digitize(score, [0.3, 1.2])]
    return x, (score > 0.7).astype("i8"), three, score.astype("f4")


def frame(rows):
    """Columns of numbers, with missing ones, and of strings."""
    import numpy as np
    import pandas

    x, two, three, y = data(rows)
    rng = np.random.default_rng(rows + 1)
    table = pandas.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    table.loc[rng.random(rows) < 0.1, "a"] = np.nan
    table["city"] = rng.choice(WORDS, rows)
    table["kind"] = rng.choice(["x", "y"], rows)
    return table, two, three, y


def pipelines():
    """The pipelines by name: a model, the target (0 two classes, 1 three, 2 a number), and "missing" or "frame" for other features."""
    import lightgbm
    import xgboost
    from sklearn import compose, decomposition, discriminant_analysis, ensemble, feature_selection, impute, linear_model, naive_bayes, neural_network, preprocessing, svm, tree
    from sklearn.pipeline import make_pipeline as pipe

    numeric = ["a", "b", "c"]

    def columns(encoder, strings=("city", "kind")):
        return compose.ColumnTransformer([("numbers", pipe(impute.SimpleImputer(strategy="median"), preprocessing.StandardScaler()), numeric), ("strings", encoder, list(strings))])

    one_hot, ordinal = preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), preprocessing.OrdinalEncoder()
    return {
        "random-forest": (ensemble.RandomForestClassifier(60, max_depth=8, random_state=0), 0),
        "random-forest-three": (ensemble.RandomForestClassifier(40, random_state=0), 1),
        "random-forest-regressor": (ensemble.RandomForestRegressor(60, max_depth=9, random_state=0), 2),
        "extra-trees-three": (ensemble.ExtraTreesClassifier(50, max_depth=10, random_state=0), 1),
        "extra-trees-regressor": (ensemble.ExtraTreesRegressor(50, max_depth=10, random_state=0), 2),
        "gradient-boosting": (ensemble.GradientBoostingClassifier(random_state=0), 0),
        "gradient-boosting-three": (ensemble.GradientBoostingClassifier(n_estimators=50, random_state=0), 1),
        "gradient-boosting-regressor": (ensemble.GradientBoostingRegressor(max_depth=5, random_state=0), 2),
        "histogram-boosting": (ensemble.HistGradientBoostingClassifier(random_state=0), 0, "missing"),
        "histogram-boosting-three": (ensemble.HistGradientBoostingClassifier(max_iter=40, random_state=0), 1, "missing"),
        "histogram-boosting-regressor": (ensemble.HistGradientBoostingRegressor(random_state=0), 2, "missing"),
        "decision-tree-three": (tree.DecisionTreeClassifier(max_depth=12, random_state=0), 1),
        "ada-boost": (ensemble.AdaBoostClassifier(n_estimators=20, random_state=0), 0),
        "bagging-three": (ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=6), 10, random_state=0), 1),
        "isolation-forest": (ensemble.IsolationForest(n_estimators=30, random_state=0), 0),
        "logistic": (pipe(preprocessing.StandardScaler(), linear_model.LogisticRegression()), 0),
        "logistic-three": (pipe(preprocessing.MinMaxScaler(), linear_model.LogisticRegression()), 1),
        "sgd": (pipe(preprocessing.Normalizer("l2"), linear_model.SGDClassifier(loss="log_loss", random_state=0)), 0),
        "linear": (pipe(preprocessing.PolynomialFeatures(2), linear_model.LinearRegression()), 2),
        "ridge": (pipe(preprocessing.RobustScaler(), linear_model.Ridge()), 2),
        "lasso-selected": (pipe(feature_selection.SelectKBest(k=5), preprocessing.MaxAbsScaler(), linear_model.Lasso(0.01)), 2),
        "linear-svc-three": (pipe(preprocessing.StandardScaler(), svm.LinearSVC(random_state=0)), 1),
        "svc": (pipe(preprocessing.StandardScaler(), svm.SVC(kernel="poly", degree=2)), 0),
        "svc-rbf-three": (pipe(preprocessing.StandardScaler(), svm.SVC(kernel="rbf")), 1),
        "nu-svc-sigmoid": (pipe(preprocessing.StandardScaler(), svm.NuSVC(kernel="sigmoid", gamma=0.01, nu=0.6, probability=True, random_state=0)), 0),
        "svc-probability": (pipe(preprocessing.StandardScaler(), svm.SVC(probability=True, random_state=0)), 0),
        "svc-probability-three": (pipe(preprocessing.StandardScaler(), svm.SVC(probability=True, random_state=0)), 1),
        "svr": (pipe(preprocessing.StandardScaler(), svm.SVR(C=0.5)), 2),
        "one-class-svm": (svm.OneClassSVM(nu=0.2), 0),
        "binned-logistic": (pipe(preprocessing.KBinsDiscretizer(5, encode="onehot-dense"), linear_model.LogisticRegression()), 0),
        "binarized-bayes": (pipe(preprocessing.Binarizer(threshold=0.2), naive_bayes.BernoulliNB()), 1),
        "gaussian-bayes": (naive_bayes.GaussianNB(), 1),
        "discriminant": (pipe(decomposition.PCA(6), discriminant_analysis.LinearDiscriminantAnalysis()), 1),
        "network": (pipe(preprocessing.StandardScaler(), neural_network.MLPClassifier((16,), max_iter=30, random_state=0)), 1),
        "voting": (ensemble.VotingClassifier([("f", ensemble.RandomForestClassifier(20, max_depth=6, random_state=0)), ("l", linear_model.LogisticRegression())], voting="soft", flatten_transform=False), 0),
        "stacking": (ensemble.StackingClassifier([("f", ensemble.RandomForestClassifier(20, max_depth=6, random_state=0)), ("b", naive_bayes.GaussianNB())]), 0),
        "imputed-forest": (pipe(impute.SimpleImputer(strategy="mean"), ensemble.RandomForestClassifier(30, max_depth=8, random_state=0)), 1, "missing"),
        "columns-logistic": (pipe(columns(one_hot), linear_model.LogisticRegression()), 1, "frame"),
        "columns-forest": (pipe(columns(ordinal), ensemble.RandomForestClassifier(30, max_depth=8, random_state=0)), 0, "frame"),
        "columns-boosting": (pipe(columns(one_hot), ensemble.GradientBoostingRegressor(n_estimators=30, random_state=0)), 2, "frame"),
        "xgboost": (xgboost.XGBClassifier(n_estimators=60), 0, "missing"),
        "xgboost-three": (xgboost.XGBClassifier(n_estimators=30, max_depth=4), 3, "missing"),
        "xgboost-regressor": (xgboost.XGBRegressor(n_estimators=60), 2, "missing"),
        "lightgbm": (lightgbm.LGBMClassifier(n_estimators=60, verbose=-1), 0, "missing"),
        "lightgbm-three": (lightgbm.LGBMClassifier(n_estimators=30, verbose=-1), 1, "missing"),
        "lightgbm-regressor": (lightgbm.LGBMRegressor(n_estimators=60, verbose=-1), 2, "missing"),
        "lightgbm-categories": (lightgbm.LGBMClassifier(n_estimators=30, verbose=-1), 0, "categories"),
    }


def export(model, features):
    """The model as ONNX."""
    import lightgbm
    import numpy as np
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType
    from onnx import helper
    from skl2onnx import to_onnx

    if not hasattr(helper, "plain"):  # scikit-learn's histogram boosting has lists of np.uint32, which onnx does not take
        helper.plain = helper.make_attribute
        helper.make_attribute = lambda key, value, *more, **named: helper.plain(
            key, [int(v) for v in value] if isinstance(value, list) and value and isinstance(value[0], np.integer) else value, *more, **named)

    if not isinstance(features, np.ndarray):
        return to_onnx(model, features[:1], options={"zipmap": False} if hasattr(model, "predict_proba") else None, target_opset=OPSETS)
    types = [("X", FloatTensorType([None, features.shape[1]]))]
    if isinstance(model, xgboost.XGBModel):
        return onnxmltools.convert_xgboost(model, initial_types=types)
    if isinstance(model, lightgbm.LGBMModel):
        return onnxmltools.convert_lightgbm(model, initial_types=types, zipmap=False)
    options = {"zipmap": False} if hasattr(model, "predict_proba") else None
    if "SVC" in str(model) and not hasattr(model, "predict_proba"):
        options = {id(model.steps[-1][1]): {"raw_scores": True} | ({} if "Linear" in str(model) else {"zipmap": False})}
    return to_onnx(model, features[:1], options=options, target_opset=OPSETS)


def make(name, rows, train=2000, settings=None):
    """The exported model, its inputs for some rows, and the predictions of the model itself: a list of arrays."""
    import numpy as np

    model, target, *kind = pipelines()[name]
    model.set_params(**settings or {})
    if "frame" in kind:
        features, *targets = frame(train)
        test = frame(rows + 1)[0][1:]
    else:
        features, *targets = data(train, "missing" in kind)
        test = data(rows + 1, "missing" in kind)[0][1:]
    targets.append(np.unique(targets[1], return_inverse=True)[1])
    model.fit(features, targets[target], **({"categorical_feature": [FEATURES - 1]} if "categories" in kind else {}))
    exported = export(model, features)
    inputs = inputs_of(test) if "frame" in kind else {"X": test}
    want = [model.predict(test)]
    if hasattr(model, "predict_proba"):
        want.append(model.predict_proba(test))
    elif target < 2 and hasattr(model, "decision_function"):
        want.append(model.decision_function(test))
    return exported, inputs, want


def inputs_of(table):
    """The columns of a table as inputs of its model."""
    inputs = {name: table[[name]].to_numpy() for name in table.columns}
    return {name: v.astype("f4") if v.dtype.kind == "f" else v.astype(str) for name, v in inputs.items()}


def compare(want, got):
    """How many labels differ, and the greatest difference of numbers. Values are relative to the greatest one."""
    import numpy as np

    wrong, worst = 0, 0.0
    for w, g in zip(want, got):
        if w.dtype.kind in "iU" or g.dtype.kind in "iOU":
            wrong += int((w.astype(str).ravel() != g.astype(str).ravel()).sum())
            continue
        w, g = np.float64(w), np.float64(g)
        if w.ndim == 1 and g.ndim == 2 and g.shape[1] == 2:
            g = g[:, 1]
        g = g.reshape(w.shape)
        worst = max(worst, float(np.abs(w - g).max() / max(1, np.abs(w).max())))
    return wrong, worst


def session(model, threads=1):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def save(inputs, folder, rows):
    """Writes inputs as the program takes them: arrays, and strings line by line."""
    import numpy as np

    files = []
    for name, v in inputs.items():
        v = v[:rows]
        path = folder / f"{name}{rows}.{'txt' if v.dtype.kind == 'U' else 'npy'}"
        if v.dtype.kind == "U":
            path.write_text("".join(s + "\n" for s in v.ravel()))
        else:
            np.save(path, v)
        files.append(f"{name}={path}")
    return files


def ours(binary, model, files, threads, seconds, out=None):
    command = [binary, "-threads", str(threads), "-seconds", str(seconds)] + (["-out", str(out)] if out else []) + [str(model)] + files
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return [float(n) for n in done.stdout.split()]


def results(out, names):
    """The arrays that the program wrote."""
    import numpy as np

    arrays = dict(np.load(out))
    for name in names:
        text = pathlib.Path(f"{out}.{name}.txt")
        if text.exists():
            arrays[name] = np.array(text.read_text().splitlines())
            text.unlink()
    return [arrays[n] for n in names]


def child(model, threads, *files):
    import numpy as np

    feeds = {}
    for name, path in (f.split("=") for f in files):
        feeds[name] = np.load(path) if path.endswith("npy") else np.array(pathlib.Path(path).read_text().splitlines()).reshape(-1, 1).astype(object)
    s = session(model, int(threads))
    s.run(None, feeds)
    calls, begun = [], time.perf_counter()
    while len(calls) < 5 or time.perf_counter() - begun < SECONDS:
        t = time.perf_counter()
        s.run(None, feeds)
        calls.append(time.perf_counter() - t)
    print(1e3 * sorted(calls)[len(calls) // 2])


def main(binary, *args):
    timed, args = "-time" in args, [a for a in args if a != "-time"]
    value = {k: args[args.index(k) + 1] for k in ("-rows", "-keep") if k in args}
    names = [a for i, a in enumerate(args) if a[0] != "-" and (i == 0 or args[i - 1] not in value)]
    rows = int(value.get("-rows", 10000))
    head = ["pipeline", "labels", "difference", "labels, theirs", "difference, theirs"]
    batches = [1, 100, 10000]
    if timed:
        head += [f"{who}, {b}, {t}" for t in (1, 2) for b in batches for who in ("ours", "theirs")]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    ratios = []
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(value.get("-keep", temp))
        folder.mkdir(exist_ok=True)
        for name in pipelines():
            if names and not any(n in name for n in names):
                continue
            try:
                exported, inputs, want = make(name, rows)
                model = folder / (name + ".onnx")
                model.write_bytes(exported.SerializeToString())
                s = session(str(model))
                outputs = [o.name for o in s.get_outputs()]
                theirs = compare(want, s.run(None, {k: v.astype(object) if v.dtype.kind == "U" else v for k, v in inputs.items()}))
                out = folder / "y.npz"
                ours(binary, model, save(inputs, folder, rows), 1, 0, out)
                own = compare(want, results(out, outputs))
            except Exception as e:
                print(f"| {name} | {type(e).__name__}: {str(e)[:300]} |", flush=True)
                continue
            row = [name, str(own[0]), f"{own[1]:.1e}" + ("" if own[1] <= LIMIT and not own[0] else " WRONG"), str(theirs[0]), f"{theirs[1]:.1e}"]
            for threads in (1, 2) if timed else ():
                for batch in batches:
                    files, best = save(inputs, folder, batch), [math.inf, math.inf]
                    for _ in range(ROUNDS):
                        best[0] = min(best[0], ours(binary, model, files, threads, SECONDS)[1])
                        command = [sys.executable, __file__, "child", str(model), str(threads)] + files
                        best[1] = min(best[1], float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
                    row += [f"{batch / b * 1e3:,.0f}" for b in best]
                    ratios.append(best[1] / best[0])
            print("| " + " | ".join(row) + " |", flush=True)
    if ratios:
        print(f"\ntheir times over ours: geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1] == "child" else main(*sys.argv[1:])
