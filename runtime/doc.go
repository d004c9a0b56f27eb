// Package runtime executes schedules.
//
// An [Executor] links a nest.Program, which package passes/schedule makes: it looks the
// kernels up in the registry of package runtime/abi, and turns loops and strides into
// counters and pointer increments. The result is a [Linked] program; it can run many
// times, from several goroutines, on the buffers that each run gives. [Bound] is a linked
// program with its buffers checked and set.
//
// Loops, tiles, packing and the order of calls are determined by the schedule. A program without loops whose calls together are
// estimated to take less than 50 microseconds is run as a list of calls. An interpreter runs all other programs. It makes only one
// change: a call that may take longer is divided into calls of the same kernel on parts of its rows or columns. The tasks of
// a program run one after the other. The iterations of a task are independent, and a pool of workers divides them. The results do not
// depend on the number of workers.
//
// A run allocates nothing once its scratch memory exists. A kernel call lasts at most some tens of microseconds, so that it does not delay the
// garbage collector, and a run checks its context equally often. Sorts are Go code, which Go's runtime can interrupt: lines of up to
// 131,072 elements are sorted in one call of about 1 ms, and longer ones in chunks of that size, between which a run checks its
// context. A panic in a worker is returned as an error.
//
// Programs use package graph, which calls this one. The packages below it are
// runtime/tensor (arrays), runtime/abi (the interface to compiled kernels),
// runtime/builtin (the kernels that every program can use), runtime/lines (the kernels of
// gathers, scatters and sorts), runtime/kerneltest (the comparison of kernels with their
// definition) and runtime/internal/memory (the memory of tensors and programs).
//
// In this package Go's own runtime is imported as goruntime.
package runtime
