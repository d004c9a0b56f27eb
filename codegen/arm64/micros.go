package arm64

import "github.com/stridefuse/stridefuse/ir/kernel"

func init() {
	for _, k := range []kernel.MicroKind{kernel.Dot, kernel.DotHalves, kernel.DotWindows, kernel.DotLeftWindows, kernel.DotBatch} {
		micros[k] = compileDot
	}
	micros[kernel.Pack] = compilePack
	micros[kernel.Transpose] = compileTranspose
	micros[kernel.Insert] = compileInsert
	micros[kernel.Lookup] = compileLookup
	micros[kernel.ScanRows] = compileScan
	micros[kernel.ReduceColumns] = compileReduceColumns
}
