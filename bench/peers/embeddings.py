"""Texts a second of a model by PyTorch and onnxruntime, beside `go test . -bench Embed -cpu THREADS`.

    pip install torch transformers onnxruntime onnxscript
    python peers.py DIR THREADS

Texts have the same number of tokens, as those of the benchmark. Prints a line for each library, length and number of texts: the least
time of a text in milliseconds.
"""
import pathlib
import sys
import tempfile
import time

import numpy as np
import onnxruntime
import torch
import transformers

folder, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
torch.set_grad_enabled(False)


class Encoder(torch.nn.Module):
    """A text's vector: the mean of its tokens' vectors, normalized."""

    def __init__(self):
        super().__init__()
        self.model = transformers.AutoModel.from_pretrained(folder).eval()

    def forward(self, ids, mask):
        hidden = self.model(input_ids=ids, attention_mask=mask, token_type_ids=torch.zeros_like(ids)).last_hidden_state
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        return torch.nn.functional.normalize((hidden * weights).sum(1) / weights.sum(1), dim=1)


def least(f):
    f()
    times, end = [], time.perf_counter() + 0.5
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


encoder = Encoder()
with tempfile.TemporaryDirectory() as tmp:
    path = pathlib.Path(tmp) / "model.onnx"
    ids = torch.ones(2, 8, dtype=torch.int64)
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length")
    shapes = ({0: batch, 1: length}, {0: batch, 1: length})
    torch.onnx.export(encoder, (ids, torch.ones_like(ids)), str(path), dynamo=True, dynamic_shapes=shapes, input_names=["ids", "mask"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

for tokens in 16, 128, 512:
    for texts in 1, 8, 32:
        ids = np.full((texts, tokens), 1996, np.int64)
        ids[:, 0], ids[:, -1] = 101, 102
        mask = np.ones_like(ids)
        mine = {"PyTorch": lambda: encoder(torch.from_numpy(ids), torch.from_numpy(mask)).numpy(),
                "onnxruntime": lambda: session.run(None, {"ids": ids, "mask": mask})[0]}
        assert np.abs(mine["PyTorch"]() - mine["onnxruntime"]()).max() < 1e-5
        for name, f in mine.items():
            print(f"tokens={tokens}/texts={texts} {name} {least(f) / texts * 1000:.3g}", flush=True)
