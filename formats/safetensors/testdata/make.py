"""Writes the tensors that the tests read. Run in this folder, with the package safetensors."""

import numpy as np
from safetensors.numpy import save_file

x = np.arange(6).reshape(2, 3)
names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64"]
tensors = {name: x.astype(name) for name in names}
tensors["scalar"] = np.array(2.5, "f4")
tensors["empty"] = np.zeros((0, 3), "f4")
save_file(tensors, "all.safetensors", {"format": "np"})
