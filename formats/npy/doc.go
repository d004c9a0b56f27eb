// Package npy reads and writes NumPy's array files: .npy holds one array, .npz is a zip archive of named arrays.
//
//	t, err := npy.ReadFile("x.npy")         // into new memory
//	f, err := npy.Open("x.npy")             // f.Tensor is the mapped file, without a copy
//	a, err := npy.OpenArchive("weights.npz") // a.Tensor("dense/kernel")
//	err = npy.WriteFile("y.npy", out)
//
// # What is read
//
// Format versions 1.0, 2.0 and 3.0, of any shape: bool, integers and floats of either byte order, if the element type
// has kernels (graph.DType). Elements of two bytes without a type ("<V2") are bfloat16, as Python's package ml_dtypes
// writes it. Complex numbers become floats with a last axis of 2, as package cmplx has them. Arrays in Fortran order
// become tensors with column-major strides. ReadFields reads arrays of records, a tensor for each field. Other types
// are errors that name the type: text, times, objects, and those for which the format has no name (fixed16x16, floats
// of 8 bits and all types of 4 bits or fewer).
//
// Of an archive the members that end in .npy or begin as arrays do are arrays, others are left out. If a name is there
// twice, the later array counts, as in NumPy.
//
// A file may be damaged or hostile: every mistake in it is an error, and no header makes the package allocate more than
// a small multiple of the data that follows. Pickled objects are never read.
//
// # Mapped files
//
// Open and OpenArchive map a file into memory. Pages are read when an operation first needs them, so an array may be
// larger than memory. A write to such a tensor changes neither the file nor what other processes see. Close invalidates
// the tensors and all views of them: using one afterwards is an error. Nobody may truncate the file before Close:
// reading a missing page ends the process, as in C.
//
// # What is written
//
// Little-endian files in C order, with the same bytes that NumPy writes. NewWriter writes an array row by row when the
// number of rows is not known in advance.
package npy
