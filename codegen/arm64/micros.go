package arm64

import "github.com/stridefuse/stridefuse/ir/kernel"

// micros has the functions that write micro-kernels, by kind. They return an error for a kernel that NEON has not.
var micros = map[kernel.MicroKind]func(m *kernel.Micro) (*Program, error){
	kernel.Dot:            compileDot,
	kernel.DotHalves:      compileDot,
	kernel.DotBytes:       compileDot,
	kernel.DotWindows:     compileDot,
	kernel.DotLeftWindows: compileDot,
	kernel.DotBatch:       compileDot,
	kernel.Pack:           compilePack,
	kernel.Transpose:      compileTranspose,
	kernel.Insert:         compileInsert,
	kernel.Lookup:         compileLookup,
	kernel.ScanRows:       compileScan,
	kernel.ReduceColumns:  compileReduceColumns,
	kernel.StoreNT:        compileStoreNT,
	kernel.Prefetch:       compilePrefetch,
}
