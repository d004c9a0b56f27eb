// Package builtin holds the kernels that every program can use: those of single
// operations, of pairs that often occur, and the micro-kernels that reductions,
// scans, products and copies are made of. Register makes them known.
//
// Where there is assembly, it has few Go loops: those that tilings are made of, for
// processors that cannot run the assembly. Elsewhere it imports those of package portable.
//
// All other files of the package are generated from the tables in ir and
// ir/kernel, in assembly and as Go loops.
package builtin

//go:generate go run ../../cmd/genkernels -builtin
