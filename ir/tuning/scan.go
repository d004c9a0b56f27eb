package tuning

// PrefixScan has the constants of the strategies that scan, measured on Zen 3 if nothing else is said.
type PrefixScan struct {
	// ScanRows is how many lines are scanned side by side: a vector has that many
	// elements of four bytes.
	ScanRows int
	// ScanShort is up to how many bytes lines are transposed to be scanned. Zen 3, 262,144 lines of float32: of 2, 3 and 4 in
	// 0.04 to 0.08 of the time of lines side by side, of 8 in 0.5, of 16 in 0.6.
	ScanShort int
	// ScanBytes is how many bytes of a row a block has that is scanned down its rows: long
	// pieces of memory, while a row, the running values and the carries stay in the
	// second-level cache.
	ScanBytes int
	// ScanBytesLeast is how many it has at least where narrower blocks give work to more
	// goroutines: all of them stay in the first-level cache.
	ScanBytesLeast int
	// ScanTileBytes is how many bytes a tile of running values has that is stored past the caches, in
	// several rows. Zen 4, columns of 4096x4096 float32: 4 KiB take 1.08 times as long as 8.
	ScanTileBytes int
	// ScanWork is what it costs to scan four bytes of a line, in additions. Zen 4, in the caches:
	// 0.22 ns.
	ScanWork float64
	// ScanParallelBytes is how many bytes the running values have of the blocks of a line that
	// goroutines scan together. Two blocks stay in the last-level cache. Zen 4, two goroutines, 16M
	// float32 and float64: 1 to 4 MiB take the same time.
	ScanParallelBytes int
}

func defaultPrefixScan() PrefixScan {
	return PrefixScan{ScanRows: 8, ScanShort: 64, ScanBytes: 32 << 10, ScanBytesLeast: 4 << 10, ScanTileBytes: 8 << 10, ScanWork: 24, ScanParallelBytes: 2 << 20}
}
