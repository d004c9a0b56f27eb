package tuning

// Constants of the graphs that package graph makes of statistics. They are no fields of Machine: a graph, and with it the order in which
// numbers are added, is the same for all machines.
const (
	// ShortWindow is the greatest size of sliding windows whose elements are added one by one: that is one loop, while running sums are two
	// stored arrays. Sums of windows of 32 of a million float64 took 0.4 of the time of running sums, of 100 elements 1.35 (Zen 4, November
	// 2026, beside other work).
	ShortWindow = 64

	// MostSelected is the greatest number of elements that are selected from a line. For more, the line is sorted. It is not measured.
	MostSelected = 16

	// ShortSelection is the longest line of which the last element in order is selected too, to find NaNs, because such a line is sorted
	// anyway.
	ShortSelection = 32

	// WindowBlocks is the least number of blocks of the size of a window in a line of a quantile of windows, which sorts one block more.
	WindowBlocks = 8

	// WindowLine is about how many windows such a line has: lines are computed side by side.
	WindowLine = 4096
)
