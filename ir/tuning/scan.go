package tuning

// PrefixScan has the constants of the strategies that scan, measured on Zen 3 unless a comment says otherwise.
type PrefixScan struct {
	// ScanRows is the number of lines that are scanned side by side: the 4-byte elements of a vector.
	ScanRows int
	// ScanShort is the longest line, in bytes, that is transposed to be scanned. Zen 3, 262,144 lines of float32: lines of 2, 3 and
	// 4 elements take 0.04 to 0.08 of the time of lines side by side, of 8 0.5, of 16 0.6.
	ScanShort int
	// ScanBytes is the number of bytes of a row in a block that is scanned down its rows. That gives long runs of memory,
	// while a row, the running values and the carries stay in the second-level cache.
	ScanBytes int
	// ScanBytesLeast is the least value that ScanBytes is reduced to, where narrower blocks give work to more
	// goroutines. Such a block stays in the first-level cache.
	ScanBytesLeast int
	// ScanTileBytes is the size of a tile of several rows of running values that is stored past the caches. Zen 4, columns of
	// 4096x4096 float32: 4 KiB take 1.08 times as long as 8.
	ScanTileBytes int
	// ScanWork is the cost of scanning four bytes of a line, in additions. Zen 4, in the caches: 0.22 ns.
	ScanWork float64
	// ScanParallelBytes is the size of the running values of the blocks of a line that goroutines scan together. Two
	// blocks stay in the last-level cache. Zen 4, two goroutines, 16M float32 and float64: 1 to 4 MiB take the same time.
	ScanParallelBytes int
	// ScanBlocks is the greatest number of blocks of a line that goroutines scan together, as each is two tasks: 512 MiB of
	// results. It bounds the size of a schedule, and is not measured.
	ScanBlocks int
}

func defaultPrefixScan() PrefixScan {
	return PrefixScan{ScanRows: 8, ScanShort: 64, ScanBytes: 32 << 10, ScanBytesLeast: 4 << 10, ScanTileBytes: 8 << 10, ScanWork: 24, ScanParallelBytes: 2 << 20, ScanBlocks: 256}
}
