// Package tuning describes a machine in one value: every tuned constant of the schedule's strategies and the runtime, with
// the measurement behind it, and the costs of steps that follow from them. No result depends on a constant. Constants of the
// code of kernels, which is the same on every machine, are beside that code in ir/kernel, codegen and runtime/lines. The
// passes' weights, counts that any machine agrees on, are in package passes.
package tuning

// Machine describes one machine. Fields named Bytes are in bytes, Rows, Cols and Elems in rows, columns and elements, and Work
// in additions of float32. In the measurements, "Zen 3" is an AMD EPYC with two shared virtual processors.
type Machine struct {
	// Workers is the greatest number of goroutines that compute one task. Blocks depend on it, results do not.
	Workers int
	// Vector is the size of a register of AVX2 or NEON, in bytes. SetVector sets the constants that depend on the best engine's.
	Vector int

	// LoadWork is the cost of reading and writing the operands of one index of a step, in additions of float32.
	LoadWork float64
	// WakeWork is the least work worth waking a goroutine for, in additions: about 10 microseconds on Zen 3.
	WakeWork float64
	// PieceWork is the least work of a piece for a goroutine that is awake, in additions: about 0.6
	// microseconds on Zen 3.
	PieceWork float64
	// AwakeWork is the least work for a second goroutine that already spins, in additions.
	AwakeWork float64
	// WakeNanos is the time to wake a goroutine, in nanoseconds.
	WakeNanos float64
	// ChunkElems is about the number of elements of a chunk of a task: some tens of microseconds.
	ChunkElems int
	// DotChunkElems is ChunkElems for products, whose elements are pairs, which cost little.
	DotChunkElems int
	// BlockElems is the greatest number of elements of a block. Go's runtime cannot stop a goroutine during a
	// kernel call.
	BlockElems int
	// CallElems is the number of elements of one kernel call if their ops cost at most CheapWork additions:
	// some twenty microseconds on Zen 3. More expensive ops get proportionally fewer, but at least LeastCallElems. Assembly
	// cannot be preempted, so a longer call would delay the garbage collector.
	CallElems, LeastCallElems int
	CheapWork                 float64
	// CallNanos is the longest call by the estimate of CallTimes, and the longest time between two looks at the
	// context, in nanoseconds. A collection waits that long for a goroutine.
	CallNanos int
	// AssemblyCalls and GoCalls are the call times of assembly and of portable kernels.
	AssemblyCalls, GoCalls CallTimes
	// NearBytes is the size of the largest table that stays in the second-level cache, with at least one cache line
	// per row.
	NearBytes int
	// RowWork is the time to begin a row in a kernel, in additions. Zen 3: 0.85 ns for rows of 8 columns.
	RowWork float64
	// PortableWork is the time of a portable kernel divided by that of an assembly kernel.
	PortableWork float64
	// PackBytes is the size of a packed tile that a single kernel reads: half of a first-level cache.
	PackBytes int
	// AcrossCols is the greatest number of columns of a tile that is copied column by column. Fewer columns
	// leave more rows, which are contiguous in memory there.
	AcrossCols int
	// StageWork is the cost of copying an element into local memory, in additions, if the copy also brings it into the
	// cache. It was chosen by the choices it leads to: with the 50 that BenchmarkWeights measures for strided
	// elements in the cache, planes of pixels are made by a table, which takes 2.3 times as long.
	StageWork float64
	// InterleaveWork is the cost of loading or storing an element of an interleaved operand in registers, in additions.
	InterleaveWork float64

	// TransposedBytes is the greatest number of bytes of transposed operands in a block, which stay in the second-level
	// cache. TransposedWidth is the width of the block in bytes. Zen 3, 4096x4096 float32: blocks of 128x256 and 512x64
	// elements take 1.9 times as long as a sum without a transposition, 256x128 1.7, 1024x32 3, and 256x256, which
	// fill the cache, 1.9.
	TransposedBytes, TransposedWidth int
	// TransposedCols is the least number of columns of a step whose operands are transposed block by block. Shorter
	// rows are packed tile by tile.
	TransposedCols int

	// ShortCols is the greatest number of columns of rows that are joined into longer ones. Rows that fill a vector
	// and need a copy of an input are joined if they have fewer than CopiedCols. LeastRows is the least number of rows worth it.
	ShortCols, CopiedCols, LeastRows int
	// AcrossRows is the least number of rows of a dense tile that is packed row by row. A tile of fewer is packed
	// column by column.
	AcrossRows int

	// NonTemporalFrom is the size of the smallest output that is stored past the caches: half the last-level cache of
	// Zen 3. There both ways were about equal at 8 MiB, and this one a little faster from 16 MiB on. Emerald Rapids, past the
	// caches: if a later step reads the output, 4 MiB take 1.2 of the time, 8 MiB 1.0 and 16 MiB 0.9; if none does,
	// 0.75. Prefetches gain nothing in short loops there.
	NonTemporalFrom int
	// NonTemporalRow is the least size of a row of such an output, unless rows begin at cache lines. NonTemporalTileRow
	// is that if tiles are copied. Zen 4: rows of 4 KB take 0.75 of the time of ordinary stores, of 1.3 KB 0.95; running
	// sums of rows of 16 KB, by tiles, 0.6, of 4 KB 1.25.
	NonTemporalRow, NonTemporalTileRow int
	// NonTemporalWork is the greatest work per element, in additions, of an output whose tiles are copied past the
	// caches. Such copies do not overlap with computing, as writing back from the caches does, so a longer
	// computation is faster without.
	NonTemporalWork float64
	// NonTemporalBytes is the size of a tile that is stored past the caches. While one is stored the processor
	// reads ahead about that much of what the next one needs: see AheadBytes. Zen 4, the sum of two arrays of 64 MiB:
	// 0.75 of the time of tiles of 8 KiB.
	NonTemporalBytes int

	// UnrolledOps is the greatest number of operations of a body that computes all indices of a short axis together. It
	// bounds the code of a kernel, and is not measured.
	UnrolledOps int
	// PatternsTried is the greatest number of patterns of a tiling that are compared for one operation, small ones first. Four
	// operations of two arguments have 22; where masks are combined there are hundreds, and 60 such operations took 0.1 s to
	// compile with all of them, on Zen 3.
	PatternsTried int
	// WayBytes is the size of a way of the first-level cache, in bytes: addresses so far apart share a set. It is 64 sets of
	// 64 bytes on every amd64 processor of AMD and Intel.
	WayBytes int

	// FillOperands is the greatest number of broadcast operands for which the schedule tries full columns.
	FillOperands int

	// TileBytes is the size of a register of a tiling. The registers and operands of a few instructions then
	// share a first-level cache: sizes from 4 to 8 KiB differ by a twentieth on Zen 3. It is no multiple of a
	// page: with four operands, tiles of whole pages take 1.15 of the time on Zen 4, as the processor reads ahead within a page.
	TileBytes int
	// TilingBytes is the size of all live registers of a tiling and the operands that several calls read. A
	// register has as many elements as fit, but at least LeastTile. Zen 4: five float64 operands take 0.9 of the time
	// of 24 KiB, four float32 operands 0.92 of that of 40 KiB.
	TilingBytes, LeastTile int
	// TilingWork is the cost of writing and reading an element of a register of a tiling, in additions.
	// BenchmarkWeights measures 8 on a Xeon with AVX2, for two kernels instead of one of both ops. Of 900 steps of the
	// benchmark program, 8 and 2 differ in one, which takes the same time. With 2, the contrast of a picture of bytes is not
	// computed by a table, which takes 0.66 of the time on Zen 4.
	TilingWork float64
	// TilingTimes is how many times as long as assembling kernels takes their tilings may take before they are replaced. A
	// tiling loses about a third of its time, so the loss is then about what assembling costs.
	TilingTimes float64
	// AssembleNanos is the time to assemble a kernel and to make its schedule again, AssembleWork the time for each addition of
	// the cost of its body, in nanoseconds. EPYC with AVX-512, ten operations that cost 28 additions: 170 microseconds of
	// processor time on a busy machine. AssembleExpanded is the time for the square of the cost of its composed ops, whose
	// long expansions compete for registers. There exp takes 0.3 to 3 ms, sin 2 to 6 ms, exp with log and tanh 7 to 24 ms, and
	// log with tanh of float64 19 to 79 ms; the first kernel of a process takes most.
	AssembleNanos, AssembleWork, AssembleExpanded float64

	RowGroups
	Lines
	PrefixScan
	Reduction
	DraftSizes
	Matmul MatmulBlocks
}

// Default returns a machine with the measured constants and the given number of workers.
func Default(workers int) *Machine {
	return &Machine{
		Workers: workers, Vector: 32,
		LoadWork: 8, WakeWork: 1 << 20, PieceWork: 1 << 16,
		AwakeWork: 150_000, WakeNanos: 10_000, ChunkElems: 32 << 10, DotChunkElems: 256 << 10,
		BlockElems: 64 << 10, CallElems: 32 << 10, LeastCallElems: 1024, CheapWork: 64,
		CallNanos: 50_000, AssemblyCalls: assemblyCalls, GoCalls: goCalls, NearBytes: 256 << 10,
		RowWork: 85, PortableWork: 4, PackBytes: 16 << 10, AcrossCols: 32, StageWork: 4, InterleaveWork: 1,
		TransposedBytes: 128 << 10, TransposedWidth: 512, TransposedCols: 64,
		ShortCols: 64, CopiedCols: 8, LeastRows: 16, AcrossRows: 8,
		NonTemporalFrom: 16 << 20, NonTemporalRow: 1 << 10, NonTemporalTileRow: 16 << 10, NonTemporalWork: 8, NonTemporalBytes: 4 << 10,
		UnrolledOps: 32, PatternsTried: 64, WayBytes: 4096,
		FillOperands: 4, TileBytes: 6 << 10, TilingBytes: 20 << 10, LeastTile: 256, TilingWork: 4, TilingTimes: 4, AssembleNanos: 100_000, AssembleWork: 1_500, AssembleExpanded: 600,
		RowGroups:  defaultRowGroups(),
		Lines:      defaultLines(),
		PrefixScan: defaultPrefixScan(),
		Reduction:  defaultReduction(),
		DraftSizes: DraftSizes{FormBytes: 128 << 10, GroupTasks: 256},
		Matmul:     matmulBlocks,
	}
}

// SetVector sets the constants that depend on the vector size of the best kernels, in bytes.
func (m *Machine) SetVector(bytes int) {
	m.Matmul.setVector(bytes)
	m.Reduction.setVector(bytes)
}
