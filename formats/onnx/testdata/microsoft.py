"""Writes models of operators of the domain com.microsoft, and what onnxruntime computes with them.

Run in this folder, with the packages onnx, onnxruntime and numpy. microsoft/NAME.npz holds the inputs and the outputs of
microsoft/NAME.onnx, with the names in/X and out/Y. With arguments, only models whose names contain one of them are written.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

rng = np.random.default_rng(1)
folder = pathlib.Path("microsoft")
folder.mkdir(exist_ok=True)


def f(*shape):
    return rng.standard_normal(shape).astype("f4")


def u8(*shape):
    return rng.integers(0, 255, shape, "u1")


def i8(*shape):
    return rng.integers(-128, 127, shape, "i1")


def s(x):
    return np.float32(x)


def save(name, op, inputs, outputs=1, fixed=(), domain="com.microsoft", free=(), **attrs):
    """inputs are arrays or None; those with numbers in fixed are initializers; free has (input, axis) that are symbolic."""
    if len(sys.argv) > 1 and not any(a in name for a in sys.argv[1:]):
        return
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    outs = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
    kind = {np.dtype(t): n for n, t in ((1, "f4"), (2, "u1"), (3, "i1"), (5, "i2"), (6, "i4"), (7, "i8"), (9, "?"), (10, "f2"))}
    ports, inits, feeds = [], [], {}
    for i, x in enumerate(inputs):
        if x is None:
            continue
        x = np.asarray(x)
        if i in fixed:
            inits.append(numpy_helper.from_array(x, names[i]))
            continue
        shape = [f"d{i}_{k}" if (i, k) in free else n for k, n in enumerate(x.shape)]
        ports.append(helper.make_tensor_value_info(names[i], kind[x.dtype], shape))
        feeds[names[i]] = x
    node = helper.make_node(op, names, outs, domain=domain, **attrs)
    made = [helper.make_empty_tensor_value_info(o) for o in outs if o]
    graph = helper.make_graph([node], "g", ports, made, inits)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    onnx.save(model, folder / (name + ".onnx"))
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1  # with more threads it quantizes the states of an LSTM in groups
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        results = ort.InferenceSession(str(folder / (name + ".onnx")), options, providers=["CPUExecutionProvider"]).run(None, feeds)
    except Exception as e:
        print(name, str(e)[:200])
        (folder / (name + ".onnx")).unlink()
        return
    arrays = {"in/" + k: v for k, v in feeds.items()} | {"out/" + o: r for o, r in zip([o for o in outs if o], results)}
    np.savez(folder / (name + ".npz"), **arrays)


# Products and activations.
save("fused_matmul", "FusedMatMul", [f(2, 4, 3), f(2, 5, 4)], transA=1, transB=1, alpha=0.5)
save("fused_matmul_batch", "FusedMatMul", [f(3, 2, 4), f(4, 2, 5)], transBatchA=1, transBatchB=1, free=[(0, 0)])
save("transpose_matmul", "TransposeMatMul", [f(3, 4), f(5, 4)], transB=1)
for name, more in (("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_alpha": 0.1}), ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4})):
    save("fused_gemm_" + name.lower(), "FusedGemm", [f(3, 4), f(4, 5), f(5)], activation=name, alpha=0.5, beta=2.0, **more)
for name, more in (("Relu", {}), ("Clip", {"activation_params": [-0.5, 1.0]}), ("LeakyRelu", {"activation_params": [0.2]}), ("HardSigmoid", {"activation_params": [0.3, 0.4]})):
    save("fused_conv_" + name.lower(), "FusedConv", [f(1, 4, 6, 6), f(4, 2, 3, 3), f(4)], fixed=[1, 2], activation=name, group=2, **more, pads=[1, 1, 1, 1])
save("fused_conv_sum", "FusedConv", [f(1, 4, 6, 6), f(4, 4, 3, 3), f(4), f(1, 4, 6, 6)], fixed=[1, 2], activation="Relu", pads=[1, 1, 1, 1])
save("gelu", "Gelu", [3 * f(2, 7)])
save("bias_gelu", "BiasGelu", [f(2, 3, 7), f(7)])
save("fast_gelu", "FastGelu", [f(2, 3, 7), f(7)])
save("fast_gelu_alone", "FastGelu", [3 * f(2, 7)])
save("quick_gelu", "QuickGelu", [3 * f(2, 7)], alpha=1.5)
save("cdist", "CDist", [f(3, 4), f(5, 4)], metric="euclidean")
save("expand_dims", "ExpandDims", [f(3, 4), np.int32(1)], fixed=[1])
save("trilu", "Trilu", [f(2, 3, 4), np.int64(1)], upper=0)
save("gather_nd", "GatherND", [f(3, 4), np.array([[0, 1], [2, -1]])])

# Normalizations.
save("skip_layer_norm", "SkipLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)], outputs=["y", "", "", "sum"], free=[(0, 0), (1, 0)])
save("skip_layer_norm_broadcast", "SkipLayerNormalization", [f(2, 3, 8), f(3, 8), f(8)], epsilon=1e-5)
save("skip_rms_norm", "SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8), f(8)], outputs=["y", "", "", "sum"])
save("rms_norm", "SimplifiedLayerNormalization", [f(2, 3, 8), f(8)], domain="", epsilon=1e-6)
ids, segments = rng.integers(0, 9, (2, 4)).astype("i4"), rng.integers(0, 2, (2, 4)).astype("i4")
mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], "i4")
tables = [f(10, 8), f(6, 8), f(2, 8), f(8), f(8)]
save("embed_layer_norm", "EmbedLayerNormalization", [ids, segments, *tables, mask], outputs=2, fixed=range(2, 7), free=[(0, 0), (0, 1), (1, 0), (1, 1), (7, 0), (7, 1)])
save("embed_layer_norm_positions", "EmbedLayerNormalization", [ids, None, *tables[:2], None, *tables[3:], None, np.array([[3, 2, 1, 0]], "i4")], outputs=["y", "", "sum"], fixed=range(2, 7))

# Quantized products.
for name, a, b, za, zb in (("u8", u8, u8, np.uint8(120), np.uint8(90)), ("u8i8", u8, i8, np.uint8(120), np.int8(3)), ("i8", i8, i8, np.int8(-4), np.int8(7))):
    save("matmul_integer_to_float_" + name, "MatMulIntegerToFloat", [a(3, 8), b(8, 5), s(0.1), s(0.2), za, zb, f(5)])
    save("qgemm_" + name, "QGemm", [a(3, 8), s(0.1), za, b(5, 8), s(0.05), zb, rng.integers(-99, 99, 5).astype("i4")], transB=1, alpha=0.5)
save("matmul_integer_to_float_columns", "MatMulIntegerToFloat", [u8(2, 3, 8), i8(8, 5), s(0.1), np.abs(f(5)), None, i8(5)])
save("qgemm_quantized", "QGemm", [u8(3, 8), s(0.1), np.uint8(3), i8(8, 5), s(0.05), np.int8(0), None, s(4.0), np.uint8(100)])
save("dynamic_matmul", "DynamicQuantizeMatMul", [f(3, 8), i8(8, 5), s(0.1), np.int8(2), f(5)], free=[(0, 0)])
save("dynamic_matmul_columns", "DynamicQuantizeMatMul", [f(2, 3, 8), u8(8, 5), np.abs(f(5)), u8(5)])
save("mul_integer", "MulInteger", [u8(3, 4), np.uint8(7), u8(4), np.uint8(9)])
for bits, k, block in ((4, 32, 16), (4, 40, 16), (8, 32, 32)):
    blocks = (k + block - 1) // block
    base = [f(3, k), u8(6, blocks, block * bits // 8), np.abs(f(6 * blocks))]
    save(f"matmul_{bits}bits_{k}", "MatMulNBits", base, fixed=[1, 2], K=k, N=6, bits=bits, block_size=block)
    save(f"matmul_{bits}bits_{k}_zeros", "MatMulNBits", base + [u8(6 * ((blocks * bits + 7) // 8))], fixed=[1, 2, 3], K=k, N=6, bits=bits, block_size=block)
save("matmul_4bits_bias", "MatMulNBits", [f(2, 3, 32), u8(6, 2, 8), np.abs(f(6, 2)), None, None, f(6)], fixed=[1, 2, 5], K=32, N=6, bits=4, block_size=16, free=[(0, 1)])
save("gather_block", "GatherBlockQuantized", [u8(9, 16), np.array([[0, 3], [8, 2]]), np.abs(f(9, 2)), u8(9, 1)], fixed=[0, 2, 3], bits=4, block_size=16, quantize_axis=1)

# Quantized elementwise operators.
for kind, z in ((u8, np.uint8), (i8, np.int8)):
    n = "u8" if kind is u8 else "i8"
    zeros = [z(10), z(20), z(30)]
    save("qlinear_add_" + n, "QLinearAdd", [kind(3, 4), s(0.1), zeros[0], kind(4), s(0.2), zeros[1], s(0.3), zeros[2]])
    save("qlinear_mul_" + n, "QLinearMul", [kind(3, 4), s(0.1), zeros[0], kind(4), s(0.2), zeros[1], s(2.5), zeros[2]])
    save("qlinear_leaky_" + n, "QLinearLeakyRelu", [kind(3, 4), s(0.1), zeros[0], s(0.2), zeros[1]], alpha=0.1)
    save("qlinear_sigmoid_" + n, "QLinearSigmoid", [kind(3, 40), s(0.05), zeros[0], s(1 / 256), z(0)])
    save("qlinear_softmax_" + n, "QLinearSoftmax", [kind(3, 8), s(0.05), zeros[0], s(1 / 256), z(0)], opset=13)
    save("qlinear_concat_" + n, "QLinearConcat", [s(0.2), zeros[0], kind(2, 3), s(0.1), zeros[1], kind(2, 4), s(0.3), zeros[2]], axis=1)
    save("qlinear_avgpool_" + n, "QLinearAveragePool", [kind(1, 2, 5, 5), s(0.1), zeros[0], s(0.12), zeros[1]], kernel_shape=[2, 2], strides=[2, 2])
    save("qlinear_global_" + n, "QLinearGlobalAveragePool", [kind(1, 3, 5, 5), s(0.1), zeros[0], s(0.12), zeros[1]])
    save("qlinear_conv_" + n, "QLinearConv", [kind(1, 3, 5, 5), s(0.1), zeros[0], kind(4, 3, 3, 3), s(0.02), zeros[1], s(1.5), zeros[2], rng.integers(-99, 99, 4).astype("i4")], fixed=range(1, 9))
    save("qlinear_where_" + n, "QLinearWhere", [rng.random((3, 4)) < 0.5, kind(3, 4), s(0.1), zeros[0], kind(3, 4), s(0.2), zeros[1], s(0.3), zeros[2]], fixed=[2, 3, 5, 6, 7, 8])
    save("quantize_" + n, "QuantizeLinear", [f(3, 4), s(0.1), zeros[0]])
    save("dequantize_" + n, "DequantizeLinear", [kind(3, 4), s(0.1), zeros[0]])
save("qlinear_global_last", "QLinearGlobalAveragePool", [u8(1, 5, 5, 3), s(0.1), np.uint8(9), s(0.12), np.uint8(5)], channels_last=1)
save("quantize_i16", "QuantizeLinear", [f(3, 4), s(0.001), np.int16(50)])

# Recurrent.
for direction in ("forward", "reverse", "bidirectional"):
    d = 2 if direction == "bidirectional" else 1
    weights = [i8(d, 5, 16), i8(d, 4, 16), f(d, 32)]
    scales = [np.abs(f(d)) / 50 + s(0.01), np.zeros(d, "i1"), np.abs(f(d)) / 50 + s(0.01), np.zeros(d, "i1")]
    for steps in (3, 12):
        save(f"dynamic_lstm_{direction}_{steps}", "DynamicQuantizeLSTM", [f(steps, 2, 5), *weights, None, f(d, 2, 4), f(d, 2, 4), None, *scales], outputs=3, fixed=[1, 2, 3, 8, 9, 10, 11],
             free=[(0, 0), (0, 1)] if steps == 12 else [], hidden_size=4, direction=direction)
scales = [np.abs(f(1, 16)) / 50 + s(0.01), np.zeros((1, 16), "i1"), np.abs(f(1, 16)) / 50 + s(0.01), np.zeros((1, 16), "i1")]
save("dynamic_lstm_columns", "DynamicQuantizeLSTM", [f(3, 2, 5), i8(1, 5, 16), i8(1, 4, 16), f(1, 32), None, None, None, f(1, 12), *scales], outputs=3, fixed=[1, 2, 3, 7, 8, 9, 10, 11], hidden_size=4)

# Attention.
x, w, b = f(2, 4, 8), f(8, 24), f(24)
raw = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], "i4")
for name, m in (("none", None), ("raw", raw), ("lengths", np.array([3, 2], "i4")), ("ends", np.array([4, 3, 1, 0], "i4")), ("square", np.tril(np.ones((2, 4, 4), "i4")))):
    for way in (0, 1):
        save(f"attention_{name}_{way}", "Attention", [x, w, b, m], num_heads=2, unidirectional=way, free=[(0, 0), (0, 1)] if name == "none" else [])
past = f(2, 2, 2, 3, 4)
save("attention_past", "Attention", [x, w, b, None, past], outputs=2, num_heads=2, unidirectional=1, free=[(4, 3)])
save("attention_bias", "Attention", [x, w, b, None, None, f(1, 2, 4, 4)], num_heads=2, scale=0.3)
save("attention_sizes", "Attention", [x, f(8, 20), f(20)], num_heads=2, qkv_hidden_sizes=[8, 8, 4])
save("qattention", "QAttention", [u8(2, 4, 8), i8(8, 24), b, s(0.02), s(0.01), None, np.uint8(128), np.int8(0)], num_heads=2, fixed=[1, 2, 3, 4, 6, 7])
save("qattention_mask", "QAttention", [u8(2, 4, 8), i8(8, 24), b, s(0.02), s(0.01), np.array([3, 2], "i4"), np.uint8(128), np.int8(0)], num_heads=2, unidirectional=1)
q, k, v = f(2, 4, 8), f(2, 5, 8), f(2, 5, 8)
save("mha", "MultiHeadAttention", [q, k, v], num_heads=2, free=[(0, 1), (1, 1), (2, 1)])
save("mha_bias", "MultiHeadAttention", [q, k, v, b], num_heads=2)
save("mha_padding", "MultiHeadAttention", [q, k, v, None, np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], "i4")], num_heads=2)
save("mha_lengths", "MultiHeadAttention", [q, k, v, None, np.array([3, 5], "i4")], num_heads=2)
save("mha_scores", "MultiHeadAttention", [q, k, v, None, None, f(2, 2, 4, 5)], num_heads=2)
save("mha_packed", "MultiHeadAttention", [f(2, 4, 2, 3, 4)], num_heads=2)
save("mha_packed_kv", "MultiHeadAttention", [q, f(2, 5, 2, 2, 4)], num_heads=2)
save("mha_past", "MultiHeadAttention", [q, f(2, 4, 8), f(2, 4, 8), None, None, None, f(2, 2, 3, 4), f(2, 2, 3, 4)], outputs=3, num_heads=2, unidirectional=1, free=[(6, 2), (7, 2)])
save("mha_cross", "MultiHeadAttention", [q, f(2, 2, 5, 4), f(2, 2, 5, 4)], num_heads=2)
cos, sin = np.cos(np.outer(np.arange(12), [1, 0.1])).astype("f4"), np.sin(np.outer(np.arange(12), [1, 0.1])).astype("f4")
save("rotary", "RotaryEmbedding", [f(2, 3, 8), np.array([[0, 1, 2], [4, 5, 6]]), cos, sin], free=[(0, 0), (0, 1), (1, 0), (1, 1)])
save("rotary_offset", "RotaryEmbedding", [f(2, 2, 3, 4), np.array([3]), cos, sin], interleaved=1)
save("rotary_part", "RotaryEmbedding", [f(2, 3, 12), np.array([[0, 1, 2], [4, 5, 6]]), cos, sin], num_heads=2, rotary_embedding_dim=4)
wide_cos, wide_sin = np.cos(np.outer(np.arange(9), [1, 0.7, 0.5, 0.3, 0.1, 0.07, 0.05, 0.03])).astype("f4"), np.sin(np.outer(np.arange(9), [1, 0.7, 0.5, 0.3, 0.1, 0.07, 0.05, 0.03])).astype("f4")


def gqa(name, batch, length, before, lengths, packed=False, total_fixed=True, free=(), extra=(), **attrs):
    heads, shared, size = 4, 2, 16
    total = np.int32(max(lengths) + 1)
    q, k, v = f(batch, length, heads * size), f(batch, length, shared * size), f(batch, length, shared * size)
    if packed:
        q, k, v = np.concatenate([q, k, v], -1), None, None
    pk = pv = None
    if before is not None:
        pk, pv = f(batch, shared, before, size), f(batch, shared, before, size)
    rotary = [wide_cos, wide_sin] if attrs.get("do_rotary") else [None, None]
    inputs = [q, k, v, pk, pv, np.array(lengths, "i4"), total, *rotary, *extra]
    while inputs[-1] is None:
        inputs.pop()
    save("gqa_" + name, "GroupQueryAttention", inputs, outputs=3, fixed=[6] if total_fixed else [], free=free, num_heads=heads, kv_num_heads=shared, **attrs)


gqa("prompt", 2, 4, 0, [3, 3])
gqa("prompt_rotary", 2, 4, 0, [3, 3], do_rotary=1)
gqa("prompt_padded", 2, 4, 0, [3, 1], do_rotary=1)
gqa("token", 2, 1, 5, [5, 5], do_rotary=1)
gqa("token_lengths", 2, 1, 5, [5, 3], do_rotary=1)
gqa("token_data", 2, 1, 5, [5, 5], do_rotary=1, total_fixed=False, free=[(3, 2), (4, 2)])
gqa("token_number", 2, 1, 5, [5, 5], total_fixed=False)
gqa("packed", 1, 3, 0, [2], packed=True, do_rotary=1, rotary_interleaved=1)
gqa("window", 1, 6, 0, [5], local_window_size=3)
gqa("softcap", 1, 4, 0, [3], softcap=2.0, scale=0.7)
gqa("sink", 1, 4, 0, [3], smooth_softmax=1)
gqa("continued", 1, 3, 4, [6], do_rotary=1)
gqa("bias", 1, 4, 0, [3], extra=[None, f(1, 1, 4, 4)])
