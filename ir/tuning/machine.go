// Package tuning describes a machine: the constants that were tuned of the passes, the schedule's strategies and the
// runtime, with where they were measured, in one value, and the costs of steps that follow from them. No result depends
// on it. Constants of the code of kernels are beside that code, in ir/kernel, codegen and runtime/lines: it is the same on
// every machine.
package tuning

// Machine describes one machine; fields are in bytes, elements, or additions of float32 as named. "Zen 3" is an AMD EPYC
// of that kind, two virtual processors, shared.
type Machine struct {
	// Workers is how many goroutines compute one task at most. Results do not depend on
	// it, the blocks do.
	Workers int
	// Vector is the bytes of a vector register of AVX2: what SetVector sets is for the best engine's.
	Vector int

	// LoadWork is what reading and writing the operands of one index costs, in
	// additions of float32.
	LoadWork float64
	// WakeWork is the least work worth waking a goroutine for, and PieceWork the least of
	// a piece for one that is awake, in additions. Zen 3: about 10 and 0.6 microseconds.
	WakeWork, PieceWork float64
	// AwakeWork is the least work for a goroutine if the other one spins already, in
	// additions, and WakeNanos how long it takes to wake one.
	AwakeWork, WakeNanos float64
	// ChunkElems is how many elements a chunk of a task has, about: some tens of
	// microseconds. DotChunkElems is the same for products, whose elements are pairs, which
	// cost little.
	ChunkElems, DotChunkElems int
	// BlockElems is how many elements a block has at most. During a kernel call Go's
	// runtime cannot stop the goroutine.
	BlockElems int
	// CallElems is how many elements of ops that cost at most CheapWork additions one
	// kernel call handles: some twenty microseconds on Zen 3. Assembly cannot be
	// preempted, and a longer call would hold up the garbage collector. Of any body it
	// is at least LeastCallElems.
	CallElems, LeastCallElems int
	CheapWork                 float64
	// CallNanos is how long a call takes at most by the estimate of CallTimes, and what is
	// computed between two looks at the context: a collection waits as long for a
	// goroutine. AssemblyCalls and GoCalls are the times of the two kinds of engines.
	CallNanos              int
	AssemblyCalls, GoCalls CallTimes
	// NearBytes is up to which size a table of rows stays in the second-level cache, with a cache line
	// for each row at least.
	NearBytes int
	// RowWork is what a kernel takes to begin a row, in additions: Zen 3, 0.85 ns for
	// rows of 8 columns.
	RowWork float64
	// PortableWork is how many times as long a kernel of the portable engine takes.
	PortableWork float64
	// PackBytes is how many bytes a packed tile has that a single kernel reads: half of
	// a first-level cache.
	PackBytes int
	// AcrossCols is how many columns a tile has that is copied column by column: the
	// fewer, the more rows, which are contiguous in memory there.
	AcrossCols int
	// StageWork is what copying an element into local memory costs, in additions, where
	// the copy also brings it into the cache. It was chosen by its choices: with the 50 that
	// BenchmarkWeights measures for elements that are apart in the cache, planes of pixels are
	// made by a table, which takes 2.3 times as long.
	StageWork float64
	// ChannelWork is what loading or storing an element of an interleaved channel costs in registers, in additions.
	ChannelWork float64

	// TransposedBytes is how many bytes a block has at most of the operands that are
	// transposed, in the second-level cache, and TransposedWidth how wide it is, in
	// bytes. Zen 3, float32 of 4096x4096: 256x128 elements take 1.7 times as long as a
	// sum of the same, 128x256 and 512x64 1.9 times, 1024x32 three times; 256x256 fill
	// the cache, 1.9 times.
	TransposedBytes, TransposedWidth int
	// InterleavedRows is up to how many rows a transpose loads and stores as vectors of
	// interleaved elements.
	InterleavedRows int
	// TransposedCols is how many columns a step has at least whose operands are
	// transposed block by block. Rows of fewer are packed tile by tile.
	TransposedCols int

	// ShortCols is up to how many columns rows are joined, CopiedCols below how many that
	// pays even if an input is copied and they fill a vector, and LeastRows how many rows are worth it.
	ShortCols, CopiedCols, LeastRows int
	// AcrossRows is below how many columns a dense tile is packed column by column.
	AcrossRows int

	// NonTemporalFrom is how many bytes an output has at least that is stored past the
	// caches: half the last-level cache of Zen 3, where both ways were about equal at 8
	// MiB and this one a little faster from 16 MiB on. Xeon (Emerald Rapids), with a step behind that reads the output: 4 MiB
	// take 1.2 of the time past the caches, 8 MiB 1.0 and 16 MiB 0.9; without one 0.75. Prefetches gain nothing in short loops there.
	NonTemporalFrom int
	// NonTemporalRow is how many bytes a row of it has at least, unless rows begin where lines
	// of the caches do, and NonTemporalTileRow if tiles of it are copied. Zen 4, rows of 4 KB: 0.75 of
	// the time of ordinary stores, of 1.3 KB 0.95; running sums of rows of 16 KB, by tiles: 0.6, of 4 KB 1.25.
	NonTemporalRow, NonTemporalTileRow int
	// NonTemporalWork is how much work an element of it is at most, in additions, if tiles
	// of it are copied past the caches. Such copies do not go on in the background, as
	// writing back from the caches does, so a step that computes for long is faster without.
	NonTemporalWork float64
	// NonTemporalBytes is how many bytes a tile has that is stored past the caches. While it is
	// stored the processor reads ahead what the next one needs, by about so much: see AheadBytes. Zen 4, the sum
	// of two arrays of 64 MiB: 0.75 of the time of tiles of 8 KiB.
	NonTemporalBytes int

	// FillOperands is how many broadcast operands are tried as ones with columns.
	FillOperands int

	// TileBytes is the size of a register of a tiling. The registers and operands of a
	// few instructions then share a first-level cache; on Zen 3 sizes from 4 to 8 KiB
	// differ by a twentieth. It is no multiple of a page: on Zen 4 pieces of whole pages of four operands take
	// 1.15 of the time, as the processor reads ahead within a page.
	TileBytes int
	// TilingBytes is how many bytes the registers have that have values at once, with the
	// operands that several calls read: a register has as many elements as fit, but LeastTile at least.
	// Zen 4, five float64 operands: 0.9 of the time of 24 KiB; four float32 operands: 0.92 of that of 40 KiB.
	TilingBytes, LeastTile int
	// TilingWork is what writing and reading a register costs, in additions an element.
	// BenchmarkWeights, Xeon with AVX2: 8 for two kernels in place of one of both ops. Of 900
	// steps of the benchmark program 8 and 2 differ in one, which takes the same time. With 2, the
	// contrast of a picture of bytes is not computed by a table, which on Zen 4 takes 0.66 of the time.
	TilingWork float64

	Fusion
	RowGroups
	Lines
	PrefixScan
	Reduction
	Matmul MatmulBlocks
}

// Default returns the machine that the constants were measured on.
func Default(workers int) *Machine {
	return &Machine{
		Workers: workers, Vector: 32,
		LoadWork: 8, WakeWork: 1 << 20, PieceWork: 1 << 16,
		AwakeWork: 150_000, WakeNanos: 10_000, ChunkElems: 32 << 10, DotChunkElems: 256 << 10,
		BlockElems: 64 << 10, CallElems: 32 << 10, LeastCallElems: 1024, CheapWork: 64,
		CallNanos: 50_000, AssemblyCalls: assemblyCalls, GoCalls: goCalls, NearBytes: 256 << 10,
		RowWork: 85, PortableWork: 4, PackBytes: 16 << 10, AcrossCols: 32, StageWork: 4, ChannelWork: 1,
		TransposedBytes: 128 << 10, TransposedWidth: 512, TransposedCols: 64, InterleavedRows: 4,
		ShortCols: 64, CopiedCols: 8, LeastRows: 16, AcrossRows: 8,
		NonTemporalFrom: 16 << 20, NonTemporalRow: 1 << 10, NonTemporalTileRow: 16 << 10, NonTemporalWork: 8, NonTemporalBytes: 4 << 10,
		FillOperands: 4, TileBytes: 6 << 10, TilingBytes: 20 << 10, LeastTile: 256, TilingWork: 4,
		Fusion:     defaultFusion(),
		RowGroups:  defaultRowGroups(),
		Lines:      defaultLines(),
		PrefixScan: defaultPrefixScan(),
		Reduction:  defaultReduction(),
		Matmul:     matmulBlocks,
	}
}

// SetVector sets what depends on how many bytes the vectors of the best kernels have.
func (m *Machine) SetVector(bytes int) {
	m.Matmul.setVector(bytes)
	m.Reduction.setVector(bytes)
}
