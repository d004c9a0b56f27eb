"""Writes models of operators of the domain ai.onnx.ml with what onnxruntime computes with them, and small pipelines of scikit-learn,
XGBoost and LightGBM with their own predictions.

Run in this folder, with the packages of bench/models/pipelines.py. ml/NAME.npz holds the inputs and the outputs of ml/NAME.onnx, with the
names in/X and out/Y; strings are lines of UTF-8, with the names text in/X and text out/Y. With arguments, only models whose names contain
one of them are written.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

sys.path.append("../../../bench/models")
import pipelines

rng = np.random.default_rng(1)
folder = pathlib.Path("ml")
folder.mkdir(exist_ok=True)
KINDS = {np.dtype(t): n for n, t in ((1, "f4"), (2, "u1"), (3, "i1"), (5, "i2"), (6, "i4"), (7, "i8"), (9, "?"), (10, "f2"), (11, "f8"))}


def wanted(name):
    return len(sys.argv) == 1 or any(a in name for a in sys.argv[1:])


def write(name, inputs, outputs):
    arrays = {}
    for kind, all in (("in/", inputs), ("out/", outputs)):
        for k, v in all.items():
            if v.dtype.kind in "UO":
                arrays["text " + kind + k] = np.frombuffer("".join(s + "\n" for s in v.ravel()).encode(), "u1")
            else:
                arrays[kind + k] = v
    np.savez_compressed(folder / name, **arrays)


def save(name, op, inputs, outputs=1, opset=3, theirs=None, **attrs):
    """theirs are results where onnxruntime does not have the operator for the types, or has a mistake."""
    if not wanted(name):
        return
    names, outs = [f"x{i}" for i in range(len(inputs))], [f"y{i}" for i in range(outputs)]
    text = [x.dtype.kind in "UO" for x in inputs]
    ports = [helper.make_tensor_value_info(n, 8 if t else KINDS[x.dtype], [f"d{k}" if k == 0 else d for k, d in enumerate(x.shape)])
             for n, x, t in zip(names, inputs, text)]
    node = helper.make_node(op, names, outs, domain="ai.onnx.ml", **attrs)
    feeds = {n: x.astype(object) if t else x for n, x, t in zip(names, inputs, text)}

    def model(types):
        graph = helper.make_graph([node], "g", ports, [helper.make_tensor_value_info(o, t, None) if t else helper.make_empty_tensor_value_info(o) for o, t in zip(outs, types)])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", opset)], ir_version=8)

    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    try:
        got = theirs or ort.InferenceSession(model([0] * outputs).SerializeToString(), options).run(None, feeds)
    except Exception as e:
        print(name, str(e)[:300])
        return
    got = [pipelines_of_maps(y) if isinstance(y, list) else y for y in got]
    onnx.save(model([8 if y.dtype.kind in "UO" else KINDS[y.dtype] for y in got]), folder / (name + ".onnx"))
    write(name, feeds, dict(zip(outs, got)))


def pipelines_of_maps(rows):
    """The numbers of maps with one list of keys."""
    return np.array([[row[k] for k in rows[0]] for row in rows], "f4")


def f(*shape):
    return rng.standard_normal(shape).astype("f4")


def forest(trees, depth, features, modes=("BRANCH_LEQ",), values=5):
    """Attributes of nodes, and the leaves: (tree, node)."""
    names = "treeids nodeids featureids values modes truenodeids falsenodeids missing_value_tracks_true".split()
    a, leaves = {"nodes_" + n: [] for n in names}, []

    def grow(tree, ids, depth):
        node = len(ids)
        ids.append(node)
        at = len(a["nodes_treeids"])
        row = [tree, node, 0, 0.0, "LEAF", 0, 0, 0]
        for k, v in zip(a, row):
            a[k].append(v)
        if depth and (node == 0 or rng.random() < 0.8):
            a["nodes_featureids"][at] = int(rng.integers(features))
            a["nodes_values"][at] = float(rng.integers(-values, values) / 2)
            a["nodes_modes"][at] = modes[int(rng.integers(len(modes)))]
            a["nodes_missing_value_tracks_true"][at] = int(rng.integers(2))
            a["nodes_truenodeids"][at] = grow(tree, ids, depth - 1)
            a["nodes_falsenodeids"][at] = grow(tree, ids, depth - 1)
        else:
            leaves.append((tree, node))
        return node

    for tree in range(trees):
        grow(tree, [], depth)
    return a, leaves


def votes(prefix, leaves, targets, positive=False, only=None):
    """Attributes of leaves: one or more targets of each."""
    rows = []
    for tree, node in leaves:
        for k in range(targets) if only is None else [only]:
            if targets == 2 or only is not None or rng.random() < 0.9:
                rows.append((tree, node, k, float(np.float32(rng.random() if positive else rng.standard_normal()))))
    return {prefix + "_treeids": [r[0] for r in rows], prefix + "_nodeids": [r[1] for r in rows], prefix + "_ids": [r[2] for r in rows],
            prefix + "_weights": [r[3] for r in rows]}


ALL = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def half(x):
    """Numbers that are often thresholds, and NaNs."""
    x = (np.round(2 * x) / 2).astype(x.dtype)
    x[rng.random(x.shape) < 0.15] = np.nan
    x[rng.random(x.shape) < 0.05] = -0.0
    return x


x = half(2 * f(40, 5))
for mode in ALL:
    a, leaves = forest(4, 4, 5, (mode,))
    save("regressor_" + mode[7:].lower(), "TreeEnsembleRegressor", [x], n_targets=1, **a, **votes("target", leaves, 1))
for by in ("SUM", "AVERAGE", "MIN", "MAX"):
    for targets in (1, 3):
        a, leaves = forest(5, 3, 5, ALL)
        save(f"regressor_{by.lower()}_{targets}", "TreeEnsembleRegressor", [x], n_targets=targets, aggregate_function=by, base_values=[0.5, -1.0, 2.0][:targets],
             **a, **votes("target", leaves, targets, only=None if targets > 1 else 0))
for after in ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"):
    a, leaves = forest(1 if after == "PROBIT" else 3, 3, 5)
    save("regressor_" + after.lower(), "TreeEnsembleRegressor", [x], n_targets=3, post_transform=after, **a, **votes("target", leaves, 3, positive=after == "PROBIT"))
for kind in ("f8", "i4", "i8"):
    a, leaves = forest(3, 4, 5)
    save("regressor_" + kind, "TreeEnsembleRegressor", [np.nan_to_num(3 * x).astype(kind)], n_targets=1, **a, **votes("target", leaves, 1))
a, leaves = forest(3, 5, 5)
a["nodes_values_as_tensor"] = numpy_helper.from_array(np.array(a.pop("nodes_values")) + 1e-9, "v")
v = votes("target", leaves, 1)
v["target_weights_as_tensor"] = numpy_helper.from_array(np.array(v.pop("target_weights")) / 3, "w")
save("regressor_double", "TreeEnsembleRegressor", [x.astype("f8")], n_targets=1, **a, **v)

for after in ("NONE", "SOFTMAX", "LOGISTIC"):
    for base in ([], [0.1, 0.2, -0.3]):
        a, leaves = forest(4, 3, 5)
        save(f"classifier_3_{after.lower()}_{len(base)}", "TreeEnsembleClassifier", [x], 2, post_transform=after, base_values=base or None, classlabels_int64s=[7, 3, 5],
             **a, **votes("class", leaves, 3))
    for base in ([], [0.25], [0.25, 0.5]):
        for only, positive in ((0, True), (0, False), (1, True), (1, False), (None, False)):
            a, leaves = forest(3, 3, 5)
            save(f"classifier_2_{after.lower()}_{len(base)}_{only}_{'positive' if positive else 'mixed'}", "TreeEnsembleClassifier", [x], 2, post_transform=after,
                 base_values=base or None, classlabels_int64s=[0, 1], **a, **votes("class", leaves, 2, positive, only))
a, leaves = forest(3, 3, 5)
save("classifier_strings", "TreeEnsembleClassifier", [x], 2, classlabels_strings=["no", "maybe", "yes"], **a, **votes("class", leaves, 3))
a, leaves = forest(3, 3, 5)
save("classifier_labels", "TreeEnsembleClassifier", [x], 2, classlabels_strings=["no", "yes"], **a, **votes("class", leaves, 2, only=0))

# Leaves with votes for some of the classes. What onnxruntime leaves undefined is not here: one base value of two classes, and a row without any
# vote for three.
others, rng = rng, np.random.default_rng(2)
for after in ("NONE", "SOFTMAX", "LOGISTIC"):
    for classes, bases in ((2, ([], [0.25, 0.5])), (3, ([], [0.1, 0.2, -0.3]))):
        for base in bases:
            for positive in (True, False):
                a, leaves = forest(2, 2, 5)
                rows = [(*leaf, int(k), float(np.float32(rng.random() if positive else -rng.random())))
                        for leaf in leaves for k in rng.permutation(classes)[: rng.integers(classes == 3, 2)]]
                save(f"classifier_some_{classes}_{after.lower()}_{len(base)}_{'positive' if positive else 'negative'}", "TreeEnsembleClassifier", [x], 2, post_transform=after,
                     base_values=base or None, classlabels_int64s=list(range(classes)), **a,
                     **{"class_" + n: [r[k] for r in rows] for k, n in enumerate(("treeids", "nodeids", "ids", "weights"))})
rng = others


def t(x, kind="f4"):
    return numpy_helper.from_array(np.array(x, kind), "t")


# The example of ONNX's documentation, and a test for membership.
save("ensemble", "TreeEnsemble", opset=5, inputs=[np.array([1.2, 3.4, -0.12, 1.66, 4.14, 1.77], "f8").reshape(3, 2)], n_targets=2, aggregate_function=1, post_transform=0, tree_roots=[0],
     nodes_modes=t([0, 0, 0], "u1"), nodes_featureids=[0, 0, 0], nodes_splits=t([3.14, 1.2, 4.2], "f8"), nodes_truenodeids=[1, 0, 1],
     nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 2, 3], nodes_falseleafs=[0, 1, 1], leaf_targetids=[0, 1, 0, 1], leaf_weights=t([5.23, 12.12, -12.23, 7.21], "f8"))
save("ensemble_members", "TreeEnsemble", opset=5, inputs=[np.array([1.2, 3.4, -0.12, np.nan, 12, 7], "f4").reshape(-1, 1)], n_targets=4, aggregate_function=1, post_transform=0, tree_roots=[0],
     membership_values=t([1.2, 3.7, 8, 9, np.nan, 12, 7, np.nan]), nodes_modes=t([0, 6, 6], "u1"), nodes_featureids=[0, 0, 0], nodes_splits=t([11, 232344.0, 0]),
     nodes_truenodeids=[1, 0, 1], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 2, 3], nodes_falseleafs=[0, 1, 1], leaf_targetids=[0, 1, 2, 3], leaf_weights=t([1, 10, 1000, 100]))
save("ensemble_leaf", "TreeEnsemble", opset=5, inputs=[f(4, 2)], n_targets=1, tree_roots=[0], nodes_modes=t([0], "u1"), nodes_featureids=[0], nodes_splits=t([0]), nodes_truenodeids=[0],
     nodes_trueleafs=[1], nodes_falsenodeids=[0], nodes_falseleafs=[1], leaf_targetids=[0], leaf_weights=t([3]))

y = f(30, 4)
for after in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
    save("linear_3_" + after.lower(), "LinearClassifier", [y], 2, coefficients=f(12).tolist(), intercepts=[0.1, 0.2, -0.3], classlabels_ints=[4, 2, 9], post_transform=after)
    save("linear_2_" + after.lower(), "LinearClassifier", [y], 2, coefficients=f(4).tolist(), intercepts=[0.1], classlabels_ints=[4, 2], post_transform=after)
save("linear_1", "LinearClassifier", [y], 2, coefficients=f(4).tolist(), intercepts=[0.1], classlabels_ints=[5], multi_class=0)
save("linear_strings", "LinearClassifier", [y], 2, coefficients=f(8).tolist(), intercepts=[0.1, 0.0], classlabels_strings=["a", "b"], post_transform="LOGISTIC")
save("linear_i8", "LinearClassifier", [(5 * y).astype("i8")], 2, coefficients=f(12).tolist(), intercepts=[0.1, 0.2, -0.3], classlabels_ints=[0, 1, 2])
save("linear_regressor", "LinearRegressor", [y], coefficients=f(8).tolist(), intercepts=[0.1, 0.2], targets=2)
save("linear_regressor_bare", "LinearRegressor", [y], coefficients=f(4).tolist(), post_transform="NONE")

for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
    common = dict(kernel_type=kernel, kernel_params=[0.3, 0.5, 3.0])
    save("svm_regressor_" + kernel.lower(), "SVMRegressor", [y], support_vectors=f(24).tolist(), coefficients=f(6).tolist(), n_supports=6, rho=[0.2], **common)
    save("svm_classifier_" + kernel.lower(), "SVMClassifier", [y], 2, support_vectors=f(28).tolist(), coefficients=f(14).tolist(), vectors_per_class=[2, 3, 2], rho=[0.2, -0.1, 0.3],
         classlabels_ints=[3, 1, 2], **common)
save("svm_regressor_bare", "SVMRegressor", [y], coefficients=f(4).tolist(), rho=[0.2])
save("svm_one_class", "SVMRegressor", [y], support_vectors=f(24).tolist(), coefficients=f(6).tolist(), n_supports=6, rho=[0.2], one_class=1, kernel_type="RBF", kernel_params=[0.3, 0.0, 0.0])
for classes in (2, 3):
    pairs, count = classes * (classes - 1) // 2, 2 * classes
    common = dict(support_vectors=f(4 * count).tolist(), vectors_per_class=[2] * classes, rho=f(pairs).tolist(), kernel_type="RBF", kernel_params=[0.3, 0.0, 0.0])
    for after in ("NONE", "LOGISTIC"):
        for sign in ("mixed", "positive"):
            k = f(count * (classes - 1))
            save(f"svm_{classes}_{after.lower()}_{sign}", "SVMClassifier", [y], 2, coefficients=(np.abs(k) if sign == "positive" else k).tolist(), classlabels_strings=["a", "b", "c"][:classes], post_transform=after, **common)
    save(f"svm_{classes}_probabilities", "SVMClassifier", [y], 2, coefficients=f(count * (classes - 1)).tolist(), prob_a=(-np.abs(f(pairs))).tolist(), prob_b=f(pairs).tolist(),
         classlabels_ints=list(range(classes)), **common)
save("svm_bare", "SVMClassifier", [y], 2, coefficients=f(12).tolist(), rho=[0.2], classlabels_ints=[3, 1, 2])

for kind in ("f4", "f8", "i4", "i8"):
    z = (4 * f(6, 3)).astype(kind)
    save("scaler_" + kind, "Scaler", [z], offset=[0.5, 1.0, -1.5], scale=[2.0, 0.5, 3.0])
    for norm in ("MAX", "L1", "L2"):
        z[2] = 0
        save(f"normalizer_{norm.lower()}_{kind}", "Normalizer", [z], norm=norm)
save("scaler_one", "Scaler", [f(6, 3)], offset=[0.5], scale=[2.0])
save("binarizer", "Binarizer", [f(6, 3)], threshold=0.25)
z = f(6, 3)
z[::2, 1], z[1, 2] = np.nan, 7
save("imputer_nan", "Imputer", [z], imputed_value_floats=[1.0, 2.0, 3.0], replaced_value_float=np.nan)
save("imputer_number", "Imputer", [z], imputed_value_floats=[1.0], replaced_value_float=7.0)
save("imputer_i8", "Imputer", [np.array([[1, -9, 3], [-9, 2, 3]])], imputed_value_int64s=[4, 5, 6], replaced_value_int64=-9)
words = np.array([["a", "b"], ["c", "nothing"], ["b", "a"]])
save("one_hot_strings", "OneHotEncoder", [words], cats_strings=["a", "b", "c"])
save("one_hot_f4", "OneHotEncoder", [np.array([[1.0, 2.0], [4.0, 3.0]], "f4")], cats_int64s=[1, 2, 3])
save("one_hot_i8", "OneHotEncoder", [np.array([1, 2, 2])], cats_int64s=[1, 2, 3], zeros=0)
save("mapper_words", "CategoryMapper", [words], cats_strings=["a", "b", "c"], cats_int64s=[5, 6, 7], default_int64=9)
save("mapper_numbers", "CategoryMapper", [np.array([[5, 6], [1, 7]])], cats_strings=["a", "b", "c"], cats_int64s=[5, 6, 7], default_string="none")
save("labels_1", "LabelEncoder", [words], opset=1, classes_strings=["b", "a", "c"], default_int64=42)
save("labels_words", "LabelEncoder", [words], opset=2, keys_strings=["a", "b", "a"], values_int64s=[1, 2, 3], default_int64=7)
save("labels_both", "LabelEncoder", [words], opset=2, keys_strings=["a", "b"], values_strings=["x", "y"])
save("labels_floats", "LabelEncoder", [np.array([1.5, np.nan, -0.0, 9], "f4")], opset=4, keys_floats=[0.0, 1.5, np.nan], values_strings=["zero", "some", "none"], default_string="?")
save("labels_ints", "LabelEncoder", [np.array([[5, 1], [2, 8]])], opset=2, keys_int64s=[8, 1, 5], values_floats=[0.25, 0.5, 0.75], default_float=-1.0)
save("labels_tensors", "LabelEncoder", [words], opset=4, keys_tensor=numpy_helper.from_array(np.array(["c", "a"], object), "k"), values_tensor=t([1, 2], "i2"), default_tensor=t([3], "i2"))
save("extractor", "ArrayFeatureExtractor", [f(4, 5), np.array([3, 0, 3])], 1)
save("extractor_vector", "ArrayFeatureExtractor", [f(5), np.array([[3], [2]])], 1)
save("vectorizer", "FeatureVectorizer", [f(3, 2), f(3, 4)], inputdimensions=[2, 4])
save("zip_map", "ZipMap", [f(4, 3)], classlabels_strings=["a", "b", "c"])
save("zip_map_ints", "ZipMap", [f(4, 2)], classlabels_int64s=[3, 5])

SMALL = {"n_estimators": 4, "max_iter": 12, "max_depth": 4, "early_stopping": False}
for name, (model, *rest) in pipelines.pipelines().items():
    if not wanted("pipeline_" + name):
        continue
    few = {k: v for k, v in ((p, SMALL[p.split("__")[-1]]) for p in model.get_params() if p.split("__")[-1] in SMALL) if "Logistic" not in type(model).__name__}
    exported, inputs, want = pipelines.make(name, 20, 150, {k: v for k, v in few.items() if not (k.endswith("early_stopping") and "network" == name)})
    onnx.save(exported, folder / f"pipeline_{name}.onnx")
    outs = [o.name for o in exported.graph.output]
    write("pipeline_" + name, inputs, {k: np.asarray(v).astype("f4" if np.asarray(v).dtype.kind == "f" else None) if np.asarray(v).dtype.kind == "f" else np.asarray(v) for k, v in zip(outs, want)})
