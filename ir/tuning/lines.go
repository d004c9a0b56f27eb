package tuning

// Lines has the constants of lookups, and of the strategies for ops on lines.
type Lines struct {
	// LineElems is about how many elements a call of gather or sort has. ScatterCols is how
	// many columns one of scatter has, which takes all indices of a line: eight cache lines
	// of the widest type.
	LineElems, ScatterCols int
	// GatherBytes is how many bytes of each row a reduction of gathered rows takes at a time: of up to 32
	// rows it works in eight such rows, in the first-level cache. Zen 4: rows of 3 KB in parts of 1 KB take 1.1 to 3.5
	// times as long as whole ones. GatherElems is about how many elements of the table a call reads. GatherColumns is
	// how many columns such rows have at least, and SumColumns those of sums of floats: shorter ones are stored and then
	// reduced. Zen 4, sums of 16 rows of 2 to 8 columns take a third of the time where they are not stored.
	GatherBytes, GatherElems, GatherColumns, SumColumns int
	// TableUpdates is how many updates for each element of its table a piece of a scatter has at
	// least, and PieceUpdates how many in all: indices of 256 KB. Zen 4, 4M updates of 4096
	// elements, one thread: pieces of 16 updates for each element take 1.5 times as long as one piece.
	TableUpdates, PieceUpdates int
	// LineWork is what an element costs that is copied or combined by its index, in
	// additions: as much as LoadWork.
	LineWork float64
	// SortWork is what an element of a line costs that is sorted, in additions. Zen 3 with AVX2,
	// lines of 1000 float32: 4 ns, or 1.4 ns where a few are selected.
	SortWork float64
	// SortChunk is up to how many elements of a line are put in order by one call: 0.6 ms, or 1.2 where words of eight
	// bytes are sorted, of which a chunk of a longer line has half as many. MergeElems is how many a call has that merges. MergeWork is what an
	// element of a line costs that is merged, in additions. Zen 3 with AVX2, 10,000,000 float32: 127 ms in all; chunks and
	// blocks of 65,536 take 1.26 times as long, of 32,768 twice as long.
	SortChunk, MergeElems int
	MergeWork             float64
	// SortLines is from how many long lines on each is put in order by one goroutine, in its local
	// memory: all goroutines have some.
	SortLines int
	// RecurrenceRows is how many lines a call of recurrence has at least: a cache line of
	// float32 that are side by side. It computes four at a time.
	RecurrenceRows int
	// LookupWork is what an element costs that is looked up in a table of 256 entries, in
	// additions. BenchmarkWeights, Zen 4 with AVX2: 21 to 28.
	LookupWork float64
	// TableWork is what it costs to have a loop of its own that looks up, in additions: 0.2 microseconds.
	TableWork float64
	// TableBytes is how many bytes a loop that looks up stores at most if it has less than TableRows rows: no
	// blocks of them go through the cache.
	TableBytes, TableRows int
}

func defaultLines() Lines {
	return Lines{
		LineElems: 1 << 14, ScatterCols: 64, GatherBytes: 4096, GatherElems: 1 << 16, GatherColumns: 16, SumColumns: 2, TableUpdates: 64, PieceUpdates: 1 << 15, LineWork: 8,
		SortWork: 250, SortChunk: 1 << 17, MergeElems: 1 << 17, MergeWork: 500, SortLines: 16,
		RecurrenceRows: 16, LookupWork: 25, TableWork: 1 << 14, TableBytes: 64 << 20, TableRows: 64,
	}
}

// TablePays reports whether it takes less time to look up n elements of size bytes in tables with entries elements, to store
// them and to read them, than to compute them where they are needed. The work is that of an element of four bytes, in additions. Zen 3 with AVX2, in a loop that multiplies and adds: of float32, exp 0.9 to 1.25 of the time that it takes to
// compute them, tanh 0.4 to 0.8, pow 0.1 to 0.2; of float64 exp 0.4.
func (m *Machine) TablePays(work float64, entries, n, size int) bool {
	work *= float64(max(4, size)) / 4
	gain := work - m.LookupWork - m.LoadWork
	return 2*entries <= n && gain*float64(n) > work*float64(entries)+m.TableWork
}
