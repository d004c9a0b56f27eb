package tuning

// CallTimes estimates how long kernel calls take, in nanoseconds. The runtime divides long calls
// by it, so that no call delays Go's garbage collector for long. The numbers are those of the slowest
// element types and of operands in memory, so the estimate is too high for most kernels.
type CallTimes struct {
	Begin    float64 // to begin a call
	Byte     float64 // to read or write one byte of an element
	Cost     float64 // for one unit of Cost in ir's table of ops
	Move     float64 // to copy an element to or from a strided place
	Pair     float64 // for dot to multiply and add a pair of 8-byte elements
	Short    float64 // for dot to multiply and add a pair of shorter elements
	Row      float64 // to find a row by its index, not counting its elements
	Selected float64 // to combine one byte of a row found by its index
	Near     float64 // to find an element by its index and combine it, in a table of at most Machine.NearBytes
}

// assemblyCalls and goCalls are the times of the AVX2 kernels and of the portable kernels.
//
// They were measured on Zen 3, two shared virtual processors. Some have a margin:
//   - Move, assembly: transposes of 4096x4096 float32 take less (0.9 ns on a Xeon). The margin keeps their tiles whole; divided
//     tiles take 1.3 times as long. A pack that touches one cache line per element takes 4 ns an element: its longest
//     call is 0.13 ms.
//   - Row: gathers and scatters of single elements of 512 MiB take 11 to 23 ns on an otherwise idle Zen 4, and 20 to 28 ns
//     while other work shares the memory.
//   - Near: combinations of single elements of a table in the second-level cache take 0.3 to 2.5 ns.
//   - Short: more than twice the time of whole panels of float32. With 0.1, convolutions of 56x56 windows had one call for each line.
//   - Selected: five times what sums of gathered rows in the caches take on Zen 4. Row covers rows in memory.
var (
	assemblyCalls = CallTimes{Begin: 5, Byte: 0.1, Cost: 0.04, Move: 1.5, Pair: 0.1, Short: 0.05, Row: 25, Selected: 0.1, Near: 3}
	goCalls       = CallTimes{Begin: 5, Byte: 0.1, Cost: 1.2, Move: 6, Pair: 2, Short: 1, Row: 25, Selected: 2.5, Near: 3}
)
