package tuning

// CallTimes are how long kernels take at most, in nanoseconds. The runtime divides calls by
// them, so that no call holds up Go's garbage collector: an estimate is too high for most
// kernels. The numbers are those of the slowest element types and of operands that come from
// memory.
type CallTimes struct {
	Begin float64 // to begin a call
	Byte  float64 // to read or write a byte of an element
	Cost  float64 // of the cost in ir's table of ops
	Move  float64 // to copy an element to or from elements that are apart
	Pair  float64 // of elements that are multiplied and added by dot
}

// assemblyCalls and goCalls were measured on Zen 3, two virtual processors, shared, with
// AVX2 and with the portable kernels.
var (
	assemblyCalls = CallTimes{Begin: 5, Byte: 0.1, Cost: 0.04, Move: 4, Pair: 0.1}
	goCalls       = CallTimes{Begin: 5, Byte: 0.1, Cost: 1.2, Move: 6, Pair: 4}
)
