// Command genkernels generates fused kernels for a package's graphs. Put it
// beside a function that returns the programs, in a package that is not main:
//
//	//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels
//
//	func Graphs() ([]*graph.Program, error) { ... }
//
// and run go generate. It writes zkernels_amd64.s with the kernels, the Go
// declarations and registration beside it, zkernels_generic.go with the same
// kernels for other machines, and zkernels_test.go, which checks them all.
// Commit the files. A program whose kernels have not been generated runs too,
// from the library's own kernels, which makes more passes over memory.
//
// Usage:
//
//	genkernels [-func name] [-out dir] [-avx2] [-check] [-list]
//	genkernels -from file [-from file] [-pkg name] [-out dir] [-avx2] [-check] [-list]
//	genkernels -pkg name [-out dir] [-avx2] [-check] [-list] -
//	genkernels -builtin|-portable [-out dir] [-check] [-list]
//	genkernels -check packages
//
// The first form uses the package in the current directory. The second makes exactly the
// kernels of lock files: those that programs lacked which ran with graph.Record or
// STRIDEFUSE_RECORD=file. The third reads
// kernel signatures from standard input, one a line, as -list prints them. The
// fourth makes the kernels of this library's own packages runtime/builtin and
// runtime/builtin/portable. The fifth
// checks each package of go list's patterns, such as ./..., that has a go:generate line
// of this tool.
//
// With -avx2 there is no assembly for AVX-512, which a processor that has it prefers: half
// the bytes, for kernels that wait for memory.
//
// -func is the function to call, Graphs without it; -out is where the files go,
// the current directory without it. -check writes nothing, and prints what
// would change, first how many kernels are missing and how many unused; it exits with 1
// if anything would. -list prints the signatures
// of the kernels and writes nothing.
//
// The tool's own dependencies have to be in the module's go.sum:
//
//	go get -tool github.com/stridefuse/stridefuse/cmd/genkernels
//
// does that, after which the line can also be //go:generate go tool genkernels.
package main
