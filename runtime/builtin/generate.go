// Package builtin holds the kernels that every program can use: those of single
// operations, of pairs that often occur, and the micro-kernels that reductions,
// scans, products and copies are made of. Register makes them known.
//
// Where there is assembly, it has the Go loops of basic operations on float32, float64, int32, int64, uint8 and
// bool and of functions of float32, and in place of what a build tag leaves out those that tilings are made of. Elsewhere it imports all loops of
// package portable.
//
// The kernels are generated from the tables in ir and ir/kernel.
package builtin

//go:generate go run ../../cmd/genkernels -builtin
