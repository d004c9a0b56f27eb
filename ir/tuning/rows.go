package tuning

// RowGroups has the constants of row groups and of the products in them, measured on Zen 3, which has a second-level
// cache of 512 KiB, unless a comment says otherwise.
type RowGroups struct {
	// LookAhead is the number of later steps that are searched for members of a group. It bounds compile time.
	LookAhead int
	// BlockBytes is about the size of the memory that one block of a row group touches. It stays in a second-level
	// cache beside the data of other cores and of the next block.
	BlockBytes int
	// AheadBytes is about the size of one operand in a block, if the group touches at least AheadFrom bytes, has no product and
	// no scan, and its rows are not longer. One of its steps waits for reads and another for writes, and what
	// is read ahead of one arrives while the other runs. Without hints the processor reads ahead 2 KiB. Zen 4, softmax of
	// 16 MiB of float32 in rows of 128, 512 and 1,024: 0.65, 0.5 and 0.65 of the time of blocks of 64 KiB, and with
	// 4 KiB 0.85, 0.8 and 0.65. In the caches larger blocks are faster, as they take fewer calls.
	AheadBytes, AheadFrom int
	// PrefetchBytes is the greatest part of the next block that is prefetched, if a group reads an array of at least
	// PrefetchFrom bytes. PrefetchLeast is the least: two cache lines. Zen 3, rows of 128, 256, 512 and 1,024 float32,
	// 16 MiB, where 1 is the time of blocks of 2 KiB without prefetches: softmax 0.7, 0.7, 0.85 and 0.9, normalization
	// 0.6, 0.65, 0.75 and 0.85, variance 0.5, 0.55, 0.75 and 0.75.
	PrefetchBytes, PrefetchFrom, PrefetchLeast int
	// StreamBytes is the greatest size of the memory that a block touches if it is reduced and not read again, so that it
	// need not stay in a cache. Zen 4, sums of 4096 rows of 4,096 float32: 0.95 of the time of blocks of 128 KiB.
	StreamBytes int
	// RowBytes is the greatest size of the memory that one row of a row group touches. Longer rows do not stay in any
	// cache, and a few of them leave nothing to share out.
	RowBytes int
	// ProductRows is the number of rows that a group with a product takes at a time: the right matrix goes through the
	// caches once for each block. Fewer are taken if together they exceed ProductBlocks times RowBytes.
	ProductRows, ProductBlocks int
	// LeastProductRows is the least number of rows of a group with a product. Fewer leave too few blocks to share
	// out, and the stored value is small.
	LeastProductRows int
	// LeastProduct is the least number of pairs of all elements of a product of a batch. One call multiplies many smaller
	// products, while a group has a call for each. Zen 3, 512 products of 4x4 and their biases: 0.2 of the time
	// without a group.
	LeastProduct int

	// HeldBytes is the greatest size of a block of rows that is kept for windows, in the second-level or last-level
	// cache. Xeon with 2 MiB of second-level cache, nine slices of a picture: 384 KiB take 1.25 times as long as 1280,
	// because blocks of few rows compute more of them again.
	HeldBytes int
	// HeldFrom is the size of the smallest value that needs blocks.
	HeldFrom int
	// HeldOnce is HeldBytes for blocks that compute nothing again, if a row fits. Emerald Rapids: 16 taps of 1M float32
	// take 0.86 of the time of 1 MiB, sums of rows found by index 0.99.
	HeldOnce int
	// HeldLeast is the size of the largest value that is one block: it stays in the first-level cache. Zen 4, 16 rows
	// found by index, times a number: 150 ns, in four blocks 280.
	HeldLeast int
	// HeldWork is the cost of writing a byte to memory and reading it again, in additions: its cache line is moved
	// three times, at 10 GB/s.
	HeldWork float64

	// PackedRows is the least number of left rows, and PackedBytes the size of one right matrix, above which the right
	// matrix is packed into panels before the product. A smaller matrix stays in the first-level cache unpacked. For
	// fewer rows the copy would cost as much as the product, unless the matrix is not contiguous and must be copied
	// anyway.
	PackedRows, PackedBytes int
}

func defaultRowGroups() RowGroups {
	const heldBytes = 1 << 20
	return RowGroups{
		LookAhead: 64, BlockBytes: 192 << 10, AheadBytes: 4 << 10, AheadFrom: 16 << 20, PrefetchBytes: 16 << 10, PrefetchFrom: 2 << 20, PrefetchLeast: 128, StreamBytes: 2 << 20, RowBytes: 1 << 20,
		ProductRows: 96, ProductBlocks: 4, LeastProductRows: 4 * 96, LeastProduct: 1024,
		HeldBytes: heldBytes, HeldFrom: heldBytes + 1, HeldOnce: 192 << 10, HeldLeast: 16 << 10, HeldWork: 20,
		PackedRows: 32, PackedBytes: 32 << 10,
	}
}
