"""Trains the network of this example and writes digits.onnx, digits.npy and labels.npy.

Run in this folder, with the packages numpy, onnx and scikit-learn, which has the data: 1,797 handwritten digits of 8 by 8 pixels
(E. Alpaydin and C. Kaynak, 1998, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, CC BY 4.0).
"""

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

rng = np.random.default_rng(0)
data = load_digits()
images = data.images.astype("f4")[:, None]  # 0 to 16
order = rng.permutation(len(images))
images, labels = images[order], data.target[order]
held = 200  # not trained on


def conv(x, w, b):
    x = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    parts = sliding_window_view(x, (3, 3), axis=(2, 3))  # n c h w 3 3
    return np.einsum("nchwij,ocij->nohw", parts, w, optimize=True) + b[:, None, None], parts


def conv_back(grad, parts, w):
    dw = np.einsum("nohw,nchwij->ocij", grad, parts, optimize=True)
    padded = np.pad(grad, [(0, 0), (0, 0), (1, 1), (1, 1)])
    back = sliding_window_view(padded, (3, 3), axis=(2, 3))
    return dw, grad.sum((0, 2, 3)), np.einsum("nohwij,ocij->nchw", back, w[:, :, ::-1, ::-1], optimize=True)


def pool(x):
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max((3, 5))
    return y, blocks == y[:, :, :, None, :, None]


def pool_back(grad, mask):
    n, c, h, _, w, _ = mask.shape
    return (mask * grad[:, :, :, None, :, None]).reshape(n, c, 2 * h, 2 * w)


def init(*shape):
    return (rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype("f4")


p = [init(8, 1, 3, 3), np.zeros(8, "f4"), init(16, 8, 3, 3), np.zeros(16, "f4"), init(10, 64), np.zeros(10, "f4")]
m, v = [np.zeros_like(a) for a in p], [np.zeros_like(a) for a in p]


def forward(x):
    a, pa = conv(x / 16, p[0], p[1])
    b, ma = pool(np.maximum(a, 0))
    c, pb = conv(b, p[2], p[3])
    d, mb = pool(np.maximum(c, 0))
    flat = d.reshape(len(x), -1)
    return flat @ p[4].T + p[5], (a, pa, ma, c, pb, mb, d.shape, flat)


step = 0
for epoch in range(40):
    for at in np.array_split(rng.permutation(len(images) - held) + held, 25):
        scores, (a, pa, ma, c, pb, mb, shape, flat) = forward(images[at])
        e = np.exp(scores - scores.max(1, keepdims=True))
        g = e / e.sum(1, keepdims=True)
        g[np.arange(len(at)), labels[at]] -= 1
        g /= len(at)
        grads = [None] * 6
        grads[4], grads[5] = g.T @ flat, g.sum(0)
        gc = pool_back((g @ p[4]).reshape(shape), mb) * (c > 0)
        grads[2], grads[3], gb = conv_back(gc, pb, p[2])
        grads[0], grads[1], _ = conv_back(pool_back(gb, ma) * (a > 0), pa, p[0])
        step += 1
        for i, d in enumerate(grads):  # Adam
            m[i] = 0.9 * m[i] + 0.1 * d
            v[i] = 0.999 * v[i] + 0.001 * d * d
            p[i] -= 0.003 * (m[i] / (1 - 0.9**step)) / (np.sqrt(v[i] / (1 - 0.999**step)) + 1e-8)
right = (forward(images[:held])[0].argmax(1) == labels[:held]).sum()
print(f"{right} of {held} digits that it was not trained on are right")

node = helper.make_node
names = ["w1", "b1", "w2", "b2", "w3", "b3"]
graph = helper.make_graph(
    [
        node("Div", ["image", "most"], ["scaled"]),
        node("Conv", ["scaled", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
        node("Relu", ["c1"], ["r1"]),
        node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p1", "w2", "b2"], ["c2"], pads=[1, 1, 1, 1]),
        node("Relu", ["c2"], ["r2"]),
        node("MaxPool", ["r2"], ["p2"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["p2"], ["flat"]),
        node("Gemm", ["flat", "w3", "b3"], ["scores"], transB=1),
        node("Softmax", ["scores"], ["probability"]),
    ],
    "digits",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 1, 8, 8])],
    [helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["n", 10])],
    [numpy_helper.from_array(np.array(16, "f4"), "most")] + [numpy_helper.from_array(a.astype("f4"), n) for a, n in zip(p, names)],
)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), "digits.onnx")
np.save("digits.npy", images[:held, 0].astype("u1"))
np.save("labels.npy", labels[:held].astype("u1"))
