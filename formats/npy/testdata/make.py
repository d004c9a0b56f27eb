"""Writes the arrays that the tests read. Run in this folder, with NumPy."""

import numpy as np

x = np.arange(6).reshape(2, 3)
names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64"]
for name in names:
    np.save(f"{name}.npy", x.astype(name))
np.save("big.npy", x.astype(">f4"))
np.save("fortran.npy", np.asfortranarray(x.astype("f4")))
np.save("scalar.npy", np.float64(2.5))
np.save("vector.npy", np.arange(3, dtype="f4"))
np.save("empty.npy", np.zeros((0, 3), "f4"))
np.save("complex.npy", x.astype("c8"))
np.save("record.npy", np.zeros(2, [("a", "f4"), ("b", "i4")]))
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, x.astype("f4"), version=(2, 0))
np.savez("stored.npz", a=x.astype("f4"), b=x.astype(">i4"))
np.savez_compressed("compressed.npz", a=x.astype("f4"), b=x.astype(">i4"))
