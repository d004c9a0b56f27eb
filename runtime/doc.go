// Package runtime executes schedules.
//
// An [Executor] links a nest.Program, which package passes/schedule makes: it looks the
// kernels up in the registry of package runtime/abi, and turns loops and strides into
// counters and pointer increments. The result is a [Linked] program; it can run many
// times, from several goroutines, on the buffers that each run gives. [Bound] is a linked
// program with its buffers checked and set.
//
// Loops, tiles, packing and the order of calls are in the schedule. A program without loops
// whose calls together take less than 50 microseconds, by estimate, is run as a list of calls. An interpreter runs
// all others; it divides only a call that may take longer than that,
// into calls of the same kernel on parts of its rows or columns. The tasks of
// a program run one after the other. The iterations of a task are independent, and a pool
// of workers divides them. The results do not depend on the number of workers.
//
// A run allocates nothing once its scratch memory exists. One kernel call lasts some tens
// of microseconds at most, so that the garbage collector is not held up, and a run checks
// its context as often. Sorts are Go code, which Go's runtime can interrupt: lines of up to
// 131,072 elements are sorted in one call, about 1 ms, longer ones in such chunks, between
// which a run checks its context. A panic in a worker is returned as an error.
//
// Programs use package graph, which calls this one. The packages below it are
// runtime/tensor (arrays), runtime/abi (the interface to compiled kernels),
// runtime/builtin (the kernels that every program can use), runtime/lines (the kernels of
// gathers, scatters and sorts), runtime/kerneltest (the comparison of kernels with their
// definition) and runtime/internal/memory (the memory of tensors and programs).
//
// In this package Go's own runtime is imported as goruntime.
package runtime
