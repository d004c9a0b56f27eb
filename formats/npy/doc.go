// Package npy reads and writes NumPy's files of arrays: .npy, which holds one array, and
// .npz, a zip archive of named ones.
//
//	t, err := npy.ReadFile("x.npy")         // into memory of its own
//	f, err := npy.Open("x.npy")             // f.Tensor is the file itself, without a copy
//	a, err := npy.OpenArchive("weights.npz") // a.Tensor("dense/kernel")
//	err = npy.WriteFile("y.npy", out)
//
// # What is read
//
// Format versions 1.0, 2.0 and 3.0; bool, integers and floats of either byte order, if the
// element type has kernels (graph.DType); any shape. Arrays in Fortran order become
// tensors with column-major strides. Complex, text, time and record types are errors that
// name the type, and so are bfloat16, fixed16x16 and types of 8 bits and less other than
// integers of 8, for which the format has no name.
//
// A file may be damaged or hostile: every mistake in it is an error, and no header makes
// the package allocate more than a small multiple of the data that follows. Pickled
// objects are never read.
//
// # Mapped files
//
// Open and OpenArchive map a file into memory. Pages are read when an operation first
// needs them, so that an array may be larger than memory. A write to such a tensor
// changes neither the file nor what others see of it. The tensors and all views of them
// end with Close: using one is an error. Nobody may truncate the file before: reading what is gone ends the
// process, as it does in C.
//
// # What is written
//
// Little-endian files in C order, of the same bytes that NumPy writes. NewWriter writes
// an array row by row when the number of rows is not known yet.
package npy
