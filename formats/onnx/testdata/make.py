"""Writes the models that the tests load, and what onnxruntime computes with them.

Run in this folder, with the packages onnx, onnxruntime and numpy. NAME.npz holds the inputs and the outputs of NAME.onnx, with
the names in/X and out/Y.
"""

import pathlib

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node, value = helper.make_node, helper.make_tensor_value_info
rng = np.random.default_rng(1)


def const(name, x):
    return numpy_helper.from_array(np.asarray(x), name)


def save(name, nodes, inputs, outputs, inits=(), feeds=None, functions=(), opset=21, external=False):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(inits))
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid("local", 1)] if functions else [])
    model = helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=10)
    if external:
        pathlib.Path(name + ".bin").unlink(missing_ok=True)
        onnx.save(model, name + ".onnx", save_as_external_data=True, location=name + ".bin", size_threshold=0)
    else:
        onnx.save(model, name + ".onnx")
    if feeds is not None:
        outs = ort.InferenceSession(name + ".onnx").run(None, feeds)
        arrays = {"in/" + k: v for k, v in feeds.items()}
        arrays |= {"out/" + o.name: v for o, v in zip(outputs, outs)}
        np.savez(name + ".npz", **arrays)


x = rng.standard_normal((3, 4)).astype("f4")
w, b = rng.standard_normal((5, 4)).astype("f4"), rng.standard_normal(5).astype("f4")
dense = [node("Gemm", ["input.1", "w", "b"], ["h"], transB=1), node("Relu", ["h"], ["out:0"])]
save("dense", dense, [value("input.1", F, ["batch size", 4])], [value("out:0", F, ["batch size", 5])],
     [const("w", w), const("b", b)], {"input.1": x})
save("external", dense, [value("input.1", F, ["n", 4])], [value("out:0", F, ["n", 5])],
     [const("w", w), const("b", b)], {"input.1": x}, external=True)

# Sizes that are symbolic, computed by nodes: [n, 4] becomes [n, 2, 2] and [n*4].
save("sizes", [
    node("Shape", ["x"], ["s"]),
    node("Gather", ["s", "zero"], ["n"]),
    node("Unsqueeze", ["n", "zeros"], ["n1"]),
    node("Concat", ["n1", "twos"], ["to"], axis=0),
    node("Reshape", ["x", "to"], ["split"]),
    node("Mul", ["n", "four"], ["all"]),
    node("Unsqueeze", ["all", "zeros"], ["all1"]),
    node("Reshape", ["x", "all1"], ["flat"]),
    node("Range", ["zero", "n", "one"], ["rows"]),
], [value("x", F, ["n", 4])], [value("split", F, None), value("flat", F, None), value("rows", I, None)],
    [const("zero", np.int64(0)), const("one", np.int64(1)), const("four", np.int64(4)),
     const("zeros", np.array([0])), const("twos", np.array([2, 2]))], {"x": x})

# Tensors in lists rather than raw, of the types that have lists.
lists = [helper.make_tensor("f", F, [2], [1.5, -2]), helper.make_tensor("d", TensorProto.DOUBLE, [2], [1.5, -2]),
         helper.make_tensor("i", TensorProto.INT32, [2], [1, -2]), helper.make_tensor("l", I, [2], [1, -2]),
         helper.make_tensor("u", TensorProto.UINT8, [2], [1, 255]), helper.make_tensor("h", TensorProto.FLOAT16, [2], [1.5, -2]),
         helper.make_tensor("b", B, [2], [True, False])]
save("lists", [node("Cast", [t.name], ["c" + t.name], to=F) for t in lists] +
     [node("Sum", ["x"] + ["c" + t.name for t in lists], ["y"])], [value("x", F, [2])], [value("y", F, [2])], lists,
     {"x": np.array([10, 20], "f4")})

# A function of the model's own, with an attribute and its default.
fn = helper.make_function("local", "scaled", ["a"], ["r"], [
    helper.make_node("Constant", [], ["k"]), node("Mul", ["a", "k"], ["r"])], [helper.make_opsetid("", 21)],
    attribute_protos=[helper.make_attribute("factor", 3.0)])
ref = fn.node[0].attribute.add()
ref.name, ref.ref_attr_name, ref.type = "value_float", "factor", onnx.AttributeProto.FLOAT
save("function", [node("scaled", ["x"], ["u"], domain="local"), node("scaled", ["u"], ["y"], domain="local", factor=0.5)],
     [value("x", F, [3, 4])], [value("y", F, [3, 4])], feeds={"x": x}, functions=[fn])

# Control flow that is decided at load.
then = helper.make_graph([node("Add", ["x", "x"], ["t"])], "then", [], [value("t", F, None)])
other = helper.make_graph([node("Neg", ["x"], ["e"])], "else", [], [value("e", F, None)])
save("if", [node("If", ["yes"], ["y"], then_branch=then, else_branch=other)], [value("x", F, [3, 4])], [value("y", F, None)],
     [const("yes", np.bool_(True))], {"x": x})
body = helper.make_graph([
    node("Mul", ["v", "x"], ["v2"]), node("Cast", ["i"], ["fi"], to=F), node("Add", ["v2", "fi"], ["v3"]),
    node("Identity", ["c"], ["c2"]), node("Identity", ["v3"], ["each"]),
], "body", [value("i", I, []), value("c", B, []), value("v", F, None)],
    [value("c2", B, []), value("v3", F, None), value("each", F, None)])
save("loop", [node("Loop", ["count", "yes", "x"], ["last", "all"], body=body)], [value("x", F, [3, 4])],
     [value("last", F, None), value("all", F, None)], [const("count", np.int64(3)), const("yes", np.bool_(True))], {"x": x})
body = helper.make_graph([node("Add", ["s", "row"], ["s2"]), node("Mul", ["s2", "row"], ["each"])],
                         "body", [value("s", F, [4]), value("row", F, [4])], [value("s2", F, [4]), value("each", F, [4])])
save("scan", [node("Scan", ["start", "x"], ["last", "all"], body=body, num_scan_inputs=1)], [value("x", F, [3, 4])],
     [value("last", F, None), value("all", F, None)], [const("start", np.zeros(4, "f4"))], {"x": x})

# Convolutions of bytes, with a zero point and a scale for each channel of the kernel.
save("quantized", [
    node("ConvInteger", ["x", "w", "xz", "wz"], ["sums"], pads=[1, 1, 1, 1]),
    node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wzs", "ys", "yz", "b"], ["y"], pads=[1, 0, 1, 0], strides=[2, 1]),
], [value("x", TensorProto.UINT8, [1, 2, 5, 6])], [value("sums", TensorProto.INT32, None), value("y", TensorProto.UINT8, None)],
    [const("w", rng.integers(-128, 128, (3, 2, 3, 3)).astype("i1")), const("xz", np.uint8(120)), const("wz", np.int8(3)),
     const("xs", np.float32(0.02)), const("ws", np.array([0.01, 0.02, 0.03], "f4")), const("wzs", np.zeros(3, "i1")),
     const("ys", np.float32(0.05)), const("yz", np.uint8(128)), const("b", np.array([100, -200, 300], "i4"))],
    {"x": rng.integers(0, 256, (1, 2, 5, 6)).astype("u1")})

# Images of another size.
modes = [("nearest", "asymmetric", "floor"), ("nearest", "half_pixel", "round_prefer_floor"), ("nearest", "half_pixel", "round_prefer_ceil"),
         ("nearest", "align_corners", "ceil"), ("linear", "half_pixel", "floor"), ("linear", "align_corners", "floor"),
         ("linear", "pytorch_half_pixel", "floor"), ("linear", "asymmetric", "floor")]
nodes, outs = [], []
for k, (mode, place, nearest) in enumerate(modes):
    for how, args in ("up", ["x", "", "up"]), ("down", ["x", "", "down"]), ("to", ["x", "", "", "to"]):
        outs.append(f"{how}{k}")
        nodes.append(node("Resize", args, [outs[-1]], mode=mode, coordinate_transformation_mode=place, nearest_mode=nearest))
save("resize", nodes, [value("x", F, [1, 2, 4, 6])], [value(o, F, None) for o in outs],
     [const("up", np.array([1, 1, 2, 3], "f4")), const("down", np.array([1, 1, 0.6, 0.5], "f4")), const("to", np.array([1, 2, 5, 3]))],
     {"x": rng.standard_normal((1, 2, 4, 6)).astype("f4")})

# What is not supported.
save("unsupported", [node("NonZero", ["x"], ["i"]), node("StringNormalizer", ["x"], ["d"]), node("StringNormalizer", ["x"], ["d2"]),
                     node("Special", ["x"], ["s"], domain="local"), node("Abs", ["d"], ["y"])],
     [value("x", F, [4, 4])], [value("y", F, None)])

# Recurrent layers: directions, lengths, first states, peepholes, other activations.
def weights(*shape):
    return (rng.standard_normal(shape) / 2).astype("f4")


steps, batch, width, size = 5, 3, 4, 6
nodes, outs, inits = [], [], [const("lengths", np.array([5, 2, 4], "i4"))]
for op, gates, states, more in ("RNN", 1, 1, {}), ("GRU", 3, 1, {"linear_before_reset": 1}), ("GRU", 3, 1, {}), ("LSTM", 4, 2, {}), ("LSTM", 4, 2, {"input_forget": 1}):
    for direction in "forward", "reverse", "bidirectional":
        k, n = len(nodes), 2 if direction == "bidirectional" else 1
        inits += [const(f"w{k}", weights(n, gates * size, width)), const(f"r{k}", weights(n, gates * size, size)),
                  const(f"b{k}", weights(n, 2 * gates * size)), const(f"h{k}", weights(n, batch, size))]
        ins = ["x", f"w{k}", f"r{k}", f"b{k}", "lengths" if k % 2 else "", f"h{k}"]
        if op == "LSTM":
            inits += [const(f"c{k}", weights(n, batch, size)), const(f"p{k}", weights(n, 3 * size))]
            ins += [f"c{k}", f"p{k}"]
        attributes = dict(more, direction=direction, hidden_size=size)
        if k % 3 == 1:
            attributes |= {"activations": {"RNN": ["LeakyRelu"], "GRU": ["HardSigmoid", "Softsign"], "LSTM": ["Sigmoid", "ScaledTanh", "Affine"]}[op] * n,
                           "activation_alpha": {"RNN": [0.2], "GRU": [0.3], "LSTM": [0.7, 0.9]}[op] * n,
                           "activation_beta": {"RNN": [0.0], "GRU": [0.4], "LSTM": [0.8, 0.1]}[op] * n}
        if k % 3 == 2:
            attributes["clip"] = 0.5
        names = [f"y{k}", f"last{k}", f"cell{k}"][:1 + states]
        outs += names
        nodes.append(node(op, ins, names, **attributes))
save("recurrent", nodes, [value("x", F, [steps, batch, width])], [value(o, F, None) for o in outs], inits, {"x": weights(steps, batch, width)})

# Places of GridSample and RoiAlign, inside and outside of the image.
nodes, outs = [], []
for mode in "linear", "cubic", "nearest":
    for padding in "zeros", "border", "reflection":
        for corners in 0, 1:
            outs.append(f"{mode}_{padding}_{corners}")
            nodes.append(node("GridSample", ["x", "grid"], [outs[-1]], mode=mode, padding_mode=padding, align_corners=corners))
for mode in "avg", "max":
    for place in "half_pixel", "output_half_pixel":
        outs.append(f"{mode}_{place}")
        nodes.append(node("RoiAlign", ["x", "rois", "images"], [outs[-1]], mode=mode, coordinate_transformation_mode=place,
                          output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.5))
save("sampling", nodes, [value("x", F, ["n", 2, 4, 5]), value("grid", F, ["n", 3, 4, 2]), value("rois", F, ["k", 4]), value("images", I, ["k"])],
     [value(o, F, None) for o in outs], (), {"x": weights(2, 2, 4, 5), "grid": (rng.random((2, 3, 4, 2)) * 2.8 - 1.4).astype("f4"),
                                             "rois": np.array([[0, 0, 6, 7], [-4, 1, 3, 12], [2, 2, 2.5, 2.5]], "f4"), "images": np.array([0, 1, 1])})

# Sequences, whose elements are known at load.
save("sequence", [
    node("SplitToSequence", ["x", "two"], ["parts"], axis=1),
    node("SequenceInsert", ["parts", "x", "one"], ["more"]),
    node("SequenceErase", ["more", "zero"], ["fewer"]),
    node("SequenceAt", ["fewer", "zero"], ["first"]),
    node("SequenceLength", ["fewer"], ["count"]),
    node("ConcatFromSequence", ["fewer"], ["all"], axis=1),
    node("SequenceConstruct", ["first", "x"], ["pair"]),
    node("ConcatFromSequence", ["pair"], ["stack"], axis=0, new_axis=1),
], [value("x", F, ["n", 4])], [value("first", F, None), value("count", I, None), value("all", F, None), value("stack", F, None)],
    [const("zero", np.int64(0)), const("one", np.int64(1)), const("two", np.int64(2))], {"x": x})

# The first Resize, and Upsample.
for name, op, opset in ("resize10", "Resize", 10), ("upsample9", "Upsample", 9):
    save(name, [node(op, ["x", s], [f"{mode}_{s}"], mode=mode) for mode in ("nearest", "linear") for s in ("up", "down")],
         [value("x", F, [1, 2, 4, 6])], [value(f"{mode}_{s}", F, None) for mode in ("nearest", "linear") for s in ("up", "down")],
         [const("up", np.array([1, 1, 1.5, 3], "f4")), const("down", np.array([1, 1, 0.6, 0.5] if op == "Resize" else [1, 1, 1, 2], "f4"))],
         {"x": weights(1, 2, 4, 6)}, opset=opset)

# Normalizations behind products with constant weights, which may become part of those, and behind others.
def norm(n):
    return [rng.uniform(.5, 2, n), rng.standard_normal(n), rng.standard_normal(n), rng.uniform(.1, 3, n)]


x, y = rng.standard_normal((2, 4, 6, 5)).astype("f4"), rng.standard_normal((3, 8)).astype("f4")
weights = {"conv": (6, 4, 3, 3), "grouped": (8, 2, 3, 1), "transposed": (4, 3, 2, 2), "gemm": (7, 8), "mat": (8, 5), "twice": (5, 4, 1, 1)}
inits = [const(k, rng.standard_normal(s).astype("f4")) for k, s in weights.items()]
inits += [const(k, rng.standard_normal(n).astype("f4")) for k, n in (("conv_b", 6), ("gemm_b", 7))]
outs = []
for k, n in (("conv", 6), ("grouped", 8), ("transposed", 3), ("gemm", 7), ("mat", 5), ("twice", 5), ("given", 4)):
    inits += [const(k + "_" + p, v.astype("f4")) for p, v in zip(("s", "o", "m", "v"), norm(n))]
    outs.append(node("BatchNormalization", [k + "_y" if k != "given" else "x"] + [k + "_" + p for p in "somv"], [k + "_z"], epsilon=1e-3))
save("normalized", [
    node("Conv", ["x", "conv", "conv_b"], ["conv_y"], pads=[1, 1, 1, 1]),
    node("Conv", ["x", "grouped"], ["grouped_y"], group=2, strides=[2, 1]),
    node("ConvTranspose", ["x", "transposed"], ["transposed_y"], strides=[2, 2]),
    node("Gemm", ["y", "gemm", "gemm_b"], ["gemm_y"], transB=1, alpha=.5, beta=2.),
    node("MatMul", ["y", "mat"], ["mat_y"]),
    node("Conv", ["x", "twice"], ["twice_y"]),
    node("Neg", ["twice_y"], ["twice_n"]),
] + outs, [value("x", F, ["n", 4, 6, 5]), value("y", F, ["m", 8])],
    [value(o.output[0], F, None) for o in outs] + [value("twice_n", F, None)], inits, {"x": x, "y": y})
