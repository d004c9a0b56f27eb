"""Exports small networks by PyTorch, and what onnxruntime computes with them.

Run in this folder, with the packages torch, onnx, onnxscript, onnxruntime and numpy. The files have the form of those of make.py.
"""

import numpy as np
import onnx
import onnxruntime as ort
import torch
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.skip = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
        if before == after and stride == 1:
            self.skip = nn.Identity()

    def forward(self, x):
        return torch.relu(self.second(self.first(x)) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1))
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1), 1))


class Encoder(nn.Module):
    """Token embedding, an encoder layer as in BERT, and a mean over the tokens that are not padding."""

    def __init__(self, words=50, size=32, heads=4):
        super().__init__()
        self.words, self.heads = nn.Embedding(words, size), heads
        self.places = nn.Parameter(torch.randn(64, size) / 10)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)

    def forward(self, tokens, mask):
        n, length = tokens.shape
        x = self.words(tokens) + self.places[:length]
        q, k, v = self.qkv(x).reshape(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(mask[:, None, None, :] == 0, float("-inf"))
        a = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(n, length, -1)
        x = self.norm1(x + self.out(a))
        x = self.norm2(x + self.down(nn.functional.gelu(self.up(x))))
        weight = mask.to(x.dtype)[..., None]
        return (x * weight).sum(1) / weight.sum(1)


class UNet(nn.Module):
    """Down twice and up again, by all ways to resize."""

    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.bottom = (nn.Conv2d(a, b, 3, padding=1) for a, b in ((2, 4), (4, 8), (8, 8)))
        self.norm, self.up1, self.up2, self.out = nn.GroupNorm(2, 4), nn.Conv2d(16, 4, 1), nn.ConvTranspose2d(4, 4, 2, 2), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        resize = nn.functional.interpolate
        a = nn.functional.silu(self.norm(self.down1(x)))
        b = nn.functional.hardswish(self.down2(nn.functional.max_pool2d(a, 2)))
        c = nn.functional.leaky_relu(self.bottom(nn.functional.avg_pool2d(b, 2)), 0.1)
        c = resize(c, scale_factor=2, mode="bilinear") + resize(c, size=b.shape[-2:])
        y = self.out(torch.cat([self.up2(self.up1(torch.cat([b, c], 1))), a], 1))
        return resize(resize(y, size=(9, 10), mode="bilinear", antialias=True), size=(12, 7), mode="bicubic", align_corners=True)


def save(name, model, args, names, shapes, feeds):
    for m in model.modules():  # statistics as after some training
        if isinstance(m, nn.BatchNorm2d):
            m.running_mean.normal_(0, 0.1)
            m.running_var.uniform_(0.5, 2)
    program = torch.onnx.export(model.eval(), args, input_names=names, output_names=["y"], dynamic_shapes=shapes, dynamo=True)
    program.save(name + ".onnx")
    proto = onnx.load(name + ".onnx")
    for node in proto.graph.node:  # traces of the exporter, most of the file
        del node.metadata_props[:]
        node.doc_string = ""
    del proto.graph.value_info[:], proto.graph.metadata_props[:]
    for port in list(proto.graph.input) + list(proto.graph.output):
        del port.metadata_props[:]
    onnx.save(proto, name + ".onnx")
    y = ort.InferenceSession(name + ".onnx").run(None, feeds)[0]
    np.savez(name + ".npz", **{"in/" + k: v for k, v in feeds.items()}, **{"out/y": y})


batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=64)
image = torch.randn(2, 3, 32, 32)
save("resnet", ResNet(), (image,), ["x"], ({0: batch},), {"x": image.numpy()})
tokens, mask = torch.randint(0, 50, (3, 7)), torch.ones(3, 7, dtype=torch.int64)
mask[1, 4:] = 0
save("encoder", Encoder(), (tokens, mask), ["tokens", "mask"], ({0: batch, 1: length}, {0: batch, 1: length}),
     {"tokens": tokens.numpy(), "mask": mask.numpy()})
image = torch.randn(2, 2, 16, 12)
save("unet", UNet(), (image,), ["x"], ({0: batch},), {"x": image.numpy()})
