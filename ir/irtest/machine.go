package irtest

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Machine returns a machine on which it pays to divide all work, however small: into blocks, chunks and calls of about
// elems elements, for several goroutines, with stores past the caches. So a test of a few elements runs the code of a
// large program.
func Machine(elems int) *tuning.Machine {
	m := tuning.Default(1)
	m.WakeNanos /= m.WakeWork
	m.WakeWork, m.AwakeWork, m.PieceWork = 1, 1, 1
	m.ChunkElems, m.DotChunkElems = elems, elems
	m.BlockElems, m.CallNanos = min(m.BlockElems, elems), min(m.CallNanos, elems)
	m.NonTemporalFrom, m.NonTemporalRow, m.NonTemporalTileRow, m.NonTemporalWork = 0, 0, 0, math.Inf(1)
	m.PrefetchFrom, m.PrefetchLeast, m.FarBytes = 0, 0, 0

	m.SortChunk = min(m.SortChunk, elems)
	m.ScanRows, m.ScanParallelBytes = 2, 16*ir.ReduceChunk

	m.HeldFrom, m.HeldLeast, m.HeldWork = 0, 0, 1e9
	m.LeastProductRows, m.LeastProduct = 0, 0
	m.PackedRows, m.PackedBytes = 0, 0
	m.Matmul.LeastCols = 1
	return m
}
