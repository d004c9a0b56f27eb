"""Writes the ONNX project's backend tests as cases of TestConformance: python cases.py FOLDER.

It needs the package onnx. A case has its model as a file, model.onnx, in place of the fields nodes and initializers; else the
form is that of conformance/README.md. Inputs and outputs that are no tensors have the type sequence, optional, string or complex.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test import loader
from onnx.backend.test.case.node import collect_testcases

STORED = {"float8_e4m3fn": "float8e4m3fn", "float8_e4m3fnuz": "float8e4m3fnuz", "float8_e5m2": "float8e5m2",
          "float8_e5m2fnuz": "float8e5m2fnuz", "float8_e8m0fnu": "float8e8m0", "float4_e2m1fn": "float4e2m1"}


def array(x, folder, file):
    """Writes one value, and returns the fields of the manifest that tell of it."""
    if isinstance(x, onnx.TensorProto):
        x = numpy_helper.to_array(x)
    if x is None or isinstance(x, (list, onnx.OptionalProto, onnx.SequenceProto)):
        return {"dtype": "sequence" if isinstance(x, list) else "optional", "shape": [], "file": ""}
    x = np.asarray(x)
    kind = x.dtype.name
    if x.dtype.kind in "OSUT":
        return {"dtype": "string", "shape": list(x.shape), "file": ""}
    if x.dtype.kind == "c":
        return {"dtype": "complex", "shape": list(x.shape), "file": ""}
    fields = {"dtype": STORED.get(kind, kind), "shape": list(x.shape), "file": file}
    if kind in STORED:
        fields["storage"], x = "uint8", x.view(np.uint8)
    elif kind == "bfloat16":
        fields["storage"], x = "uint16", x.view(np.uint16)
    elif kind in ("int4", "int2"):
        fields["storage"], x = "int8", x.astype(np.int8)
    elif kind in ("uint4", "uint2"):
        fields["storage"], x = "uint8", x.astype(np.uint8)
    np.save(folder / file, np.asarray(x, order="C"))
    return fields


def read(path, proto):
    """Reads the value of a file, of the type that the model has for it."""
    data = path.read_bytes()
    if proto.type.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def cases():
    """Yields group, name, model, inputs and outputs."""
    for c in collect_testcases(None):
        if c.data_sets and c.model is not None:
            yield c.kind, c.name, c.model, *c.data_sets[0]
    for kind in "pytorch-converted", "pytorch-operator", "simple":
        for c in loader.load_model_tests(kind=kind):
            folder = pathlib.Path(c.model_dir)
            model = onnx.load(folder / "model.onnx")
            ins, outs = ([read(folder / "test_data_set_0" / f"{side}_{i}.pb", port) for i, port in enumerate(ports)]
                         for side, ports in (("input", [p for p in model.graph.input][:len(list((folder / "test_data_set_0").glob("input_*.pb")))]),
                                             ("output", model.graph.output)))
            yield kind, c.name, model, ins, outs


def main(root):
    manifests, seen = {}, set()
    for group, name, model, ins, outs in cases():
        if name in seen:
            continue
        seen.add(name)
        folder = root / group / name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, folder / "model.onnx")
        opset = [i.version for i in model.opset_import if i.domain in ("", "ai.onnx")]
        ops = [(n.domain + "." if n.domain else "") + n.op_type for n in model.graph.node]
        test = {"name": name, "op": ops[0] if len(ops) == 1 else "graph", "opset": opset[0] if opset else 0, "model": "model.onnx"}
        for side, ports, values in ("in", model.graph.input, ins), ("out", model.graph.output, outs):
            test[side + "puts"] = [{"name": p.name, **array(x, folder, f"{side}_{i}.npy")}
                                   for i, (p, x) in enumerate(zip(ports, values))]
        manifests.setdefault(group, []).append(test)
    for group, tests in manifests.items():
        (root / group / "manifest.json").write_text(json.dumps({"format": 1, "group": group, "tests": tests}, indent=1))


main(pathlib.Path(sys.argv[1]))
