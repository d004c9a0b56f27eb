package tuning

// Lines has the constants of table lookups and of the strategies for ops on lines: gather, scatter, sort
// and recurrence.
type Lines struct {
	// LineElems is about how many elements one call of gather or sort handles.
	LineElems int
	// ScatterCols is the number of columns of one call of scatter, which takes all indices of a line: eight
	// cache lines of the widest type.
	ScatterCols int
	// GatherBytes is how many bytes of each row a reduction of gathered rows takes at a time. It works on up to 32
	// rows at once and keeps eight such parts in the first-level cache. Zen 4: rows of 3 KB take 1.1 to 3.5
	// times as long in parts of 1 KB as whole.
	GatherBytes int
	// GatherElems is about how many elements of the table one call of such a reduction reads.
	GatherElems int
	// LineWork is the cost of copying or combining an element by its index, in additions: that of LoadWork.
	LineWork float64
	// SortWork is the cost of sorting an element of a line, in additions. Zen 3 with AVX2, lines of 1000 float32:
	// 4 ns an element, or 1.4 ns if only a few are selected.
	SortWork float64
	// SortChunk is the greatest number of elements of a line that is always sorted whole, and may be transposed. Several
	// goroutines share a longer line: each sorts a chunk of SortChunk elements or more, or of half as many 8-byte words, and
	// then the chunks are merged. Zen 3 with AVX2: a chunk of 131,072 float32 takes 0.8 ms, and two goroutines take 1.5 times
	// the processor time of one for 1,048,576.
	SortChunk int
	// MergeElems is the number of elements that one call merges.
	MergeElems int
	// MergeWork is the cost of merging an element of a line, in additions.
	MergeWork float64
	// NthWork is the cost of selecting elements from a line, for each of its elements, in additions.
	NthWork float64
	// SortLines is the least number of long lines of which each is sorted by one goroutine. Fewer lines would leave
	// goroutines idle.
	SortLines int
	// RecurrenceRows is the least number of lines of a call of recurrence, which computes four at a time: a cache
	// line of float32 that lie side by side.
	RecurrenceRows int
	// LookupWork is the cost of looking up an element in a table of 256 entries, in additions.
	// BenchmarkWeights, Zen 4 with AVX2: 21 to 28.
	LookupWork float64
}

func defaultLines() Lines {
	return Lines{
		LineElems: 1 << 14, ScatterCols: 64, GatherBytes: 4096, GatherElems: 1 << 16, LineWork: 8,
		SortWork: 250, SortChunk: 1 << 17, MergeElems: 1 << 17, MergeWork: 500, NthWork: 80, SortLines: 16,
		RecurrenceRows: 16, LookupWork: 25,
	}
}
