package tuning

// CallTimes are how long kernels take at most, in nanoseconds. The runtime divides calls by
// them, so that no call holds up Go's garbage collector: an estimate is too high for most
// kernels. The numbers are those of the slowest element types and of operands that come from
// memory.
type CallTimes struct {
	Begin    float64 // to begin a call
	Byte     float64 // to read or write a byte of an element
	Cost     float64 // of the cost in ir's table of ops
	Move     float64 // to copy an element to or from elements that are apart
	Pair     float64 // of elements of eight bytes that are multiplied and added by dot
	Short    float64 // of shorter ones
	Row      float64 // to find a row by its index, besides its elements
	Selected float64 // to combine a byte of a row that an index selects with others
	Near     float64 // to find an element by its index and to combine it, where the table has Machine.NearBytes at most
}

// assemblyCalls and goCalls were measured on Zen 3, two virtual processors, shared, with
// AVX2 and with the portable kernels. Move of assembly is that of transposes of 4096x4096
// float32 (0.9 ns on a Xeon) with a margin, so that their tiles are not divided, which takes
// 1.3 times as long. A pack whose elements are each in a cache line of its own takes 4 ns for
// an element: its longest call is 0.13 ms. Row is that of gathers and scatters of single elements of
// 512 MiB: 11 to 23 ns on a Zen 4 that does nothing else, and 20 to 28 where other work shares the memory. Near
// is that of combinations of single elements of a table in the second-level cache, 0.3 to 2.5 ns. Short is more
// than twice what whole panels of float32 take: with 0.1 convolutions of 56x56 windows had a call for each line. Selected is
// five times what sums of gathered rows in the caches take, on Zen 4: for rows in memory there is Row.
var (
	assemblyCalls = CallTimes{Begin: 5, Byte: 0.1, Cost: 0.04, Move: 1.5, Pair: 0.1, Short: 0.05, Row: 25, Selected: 0.1, Near: 3}
	goCalls       = CallTimes{Begin: 5, Byte: 0.1, Cost: 1.2, Move: 6, Pair: 4, Short: 4, Row: 25, Selected: 2.5, Near: 3}
)
