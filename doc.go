// Package stridefuse is the root of a lazy n-d array compiler for Go. It holds
// no code: programs import graph, which has the tour.
//
// The packages, from the front door down:
//
//	graph           nodes, Compile and Program: what users meet
//	passes          from a graph to a plan: views to strides, fusion, buffers
//	runtime         tensors, the executor, the built-in kernels
//	ir              the vocabulary: types, layouts, ops, graphs, kernels, plans
//	codegen         kernels to files, and the portable Go form of each
//	codegen/machine kernels to vector instructions, for any width
//	codegen/avo     kernels to AVX2 assembly
//	cmd/genkernels  the go generate tool
//	bench           the benchmark program
//	examples        a folder a lesson
package stridefuse
