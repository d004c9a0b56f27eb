"""Writes the arrays that the tests read. Run in this folder, with NumPy."""

import zipfile

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
np.save("complex_fortran.npy", np.asfortranarray((x + 1j * x[::-1]).astype(">c16")))
np.save("bfloat16.npy", (x.astype("f4").view("u4") >> 16).astype("u2").view("V2"))
data = open("bfloat16.npy", "rb").read()
open("bfloat16.npy", "wb").write(data.replace(b"|V2", b"<V2"))  # as ml_dtypes writes them
point = np.dtype([("x", "<f4"), ("y", ">f8")])
record = np.dtype([("a", "?"), (("a title", "b"), ">i4"), ("pair", "<c8", (2,)), ("at", point), ("none", "<f4", (0,))], align=True)
records = np.zeros((2, 3), record)
records["a"], records["b"], records["pair"] = x % 2, x, (x[..., None] * np.array([1, 1j]))
records["at"]["x"], records["at"]["y"] = x + 0.5, -x
np.save("record.npy", records)
np.save("record_fortran.npy", np.asfortranarray(records))
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, x.astype("f4"), version=(2, 0))
np.savez("stored.npz", a=x.astype("f4"), b=x.astype(">i4"))
with zipfile.ZipFile("mixed.npz", "w") as z:  # arrays with and without the suffix, one twice, and other members
    for name, text in {"d/": b"", "d/a.npy": None, "b": None, "readme.txt": b"hello", "short": b"\x93NUM"}.items():
        z.writestr(name, open("float32.npy", "rb").read() if text is None else text)
    z.writestr("d/a.npy", open("int32.npy", "rb").read())
np.savez_compressed("compressed.npz", a=x.astype("f4"), b=x.astype(">i4"))
