// Command genkernels generates fused kernels for a package's graphs. Put this line beside a function that returns the
// programs, in a package other than main:
//
//	//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels
//
//	func Graphs() ([]*graph.Program, error) { ... }
//
// and run go generate. It writes zkernels_amd64.s with the kernels, the Go declarations and registration beside it,
// zkernels_generic.go with the same kernels for other machines, and zkernels_test.go, which checks them all. Commit the
// files. A program without generated kernels runs too: it calls the library's own kernels, which pass over memory more
// often.
//
// Usage:
//
//	genkernels [-func name] [-out dir] [-avx2] [-check] [-list]
//	genkernels -from file [-from file] [-pkg name] [-out dir] [-avx2] [-check] [-list]
//	genkernels -pkg name [-out dir] [-avx2] [-check] [-list] -
//	genkernels -builtin|-portable [-out dir] [-check] [-list]
//	genkernels -check packages
//
// The first form uses the package in the current directory. The second makes exactly the kernels in lock files: those
// that programs lacked when they ran with graph.Record or STRIDEFUSE_RECORD=file. It then tidies these files: each signature
// once, sorted. The third reads kernel signatures
// from standard input, one per line, as -list prints them. The fourth makes the kernels of this library's own packages
// runtime/builtin and runtime/builtin/portable. The fifth checks each package that matches go list's patterns, such as
// ./..., and has a go:generate line of this tool.
//
// With -avx2 assembly is made for AVX2 alone: none for AVX-512, which processors that support it would prefer, and none for
// arm64. That makes fewer files, and is as fast on amd64 for kernels that wait for memory.
//
// -func is the function to call, by default Graphs; -out is the folder for the files, by default the current one.
// -check writes nothing; it prints how many kernels are missing and unused and what would change, and exits with 1 if
// anything would. -list prints the signatures of the kernels and writes nothing.
//
// The tool's own dependencies must be in the module's go.sum. Add them by
//
//	go get -tool github.com/stridefuse/stridefuse/cmd/genkernels
//
// after which the line can also be //go:generate go tool genkernels.
package main
