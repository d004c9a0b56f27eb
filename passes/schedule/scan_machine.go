package schedule

// scanMachine has the constants of prefix scans.
type scanMachine struct {
	// ScanRows is how many lines are scanned side by side: a kernel takes eight of four
	// bytes in a vector.
	ScanRows int
	// ScanBytes is how many bytes of a row a block has that is scanned down the rows: long
	// pieces of memory, while the row, the running values and the carries stay in the
	// second-level cache. Measured on Zen 3.
	ScanBytes int
	// ScanBytesLeast is how many it has at least where narrower blocks give work to more
	// workers: they stay in the first-level cache.
	ScanBytesLeast int
	// ScanDenseCols is from how many columns on dense rows are one long row, of which a
	// kernel reads elements that it has stored long before.
	ScanDenseCols int
}

var defaultScan = scanMachine{ScanRows: 8, ScanBytes: 32 << 10, ScanBytesLeast: 4 << 10, ScanDenseCols: 32}
