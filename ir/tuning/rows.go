package tuning

// RowGroups has the constants of row groups and of the products in them, measured on
// Zen 3, which has a second-level cache of 512 KiB.
type RowGroups struct {
	// LookAhead is how many steps are searched for those of a group: it bounds compile time.
	LookAhead int
	// BlockBytes is how much memory one block of a row group touches, about: with what
	// other cores and the next block need, it stays in a second-level cache.
	BlockBytes int
	// AheadBytes is how much of one operand a block has, about, if the group touches AheadFrom bytes or more,
	// has no product and no scan, and its rows are not longer. One of its steps waits for memory to read,
	// another to write: what is read ahead of each comes while the other one runs, and that is about so much.
	// The processor alone reads ahead 2 KiB: Zen 4, softmax of 16 MiB of float32 in rows of 128, 512 and 1,024: 0.65, 0.5
	// and 0.65 of the time that blocks of 64 KiB take, and with 4 KiB 0.85, 0.8 and 0.65. In the caches
	// larger blocks are faster, as they take fewer calls.
	AheadBytes, AheadFrom int
	// PrefetchBytes is how much of the next block is prefetched at most, where a group reads an array of PrefetchFrom bytes or more. Zen 3,
	// rows of 128, 256, 512 and 1,024 float32, 16 MiB: softmax 0.7, 0.7, 0.85 and 0.9 of the time of blocks of 2 KiB without,
	// normalization 0.6, 0.65, 0.75 and 0.85, variance 0.5, 0.55, 0.75 and 0.75.
	// PrefetchLeast is how many bytes it is at least: two lines of the caches.
	PrefetchBytes, PrefetchFrom, PrefetchLeast int
	// StreamBytes is how much a block touches at most that is reduced and not read again: it need not
	// stay in a cache. Zen 4, sums of 4096 rows of 4,096 float32: 0.95 of the time of blocks of 128 KiB.
	StreamBytes int
	// RowBytes is the most that one row of a row group touches: beyond it the rows do not
	// stay in any cache, and few of them leave nothing to share out.
	RowBytes int
	// ProductRows is how many rows a group with a product takes at a time, if they are not
	// too long: the right matrix goes through the caches once for each block.
	// ProductBlocks is how many times RowBytes they may have together.
	ProductRows, ProductBlocks int
	// LeastProductRows is below how many rows there are too few blocks to share out, and
	// what is stored is small.
	LeastProductRows int
	// LeastProduct is how many pairs all elements of a product of a batch have at least, together: of smaller ones one call
	// multiplies many, and a group has a call for each. A Zen 3, 512 products of 4x4 and their biases: 0.2 of the time without
	// a group.
	LeastProduct int

	// HeldBytes is how much memory a block of rows takes at most that is kept for windows, in
	// the second-level or the last-level cache, and HeldFrom how much a value has at least that needs blocks. A Xeon
	// with 2 MiB of second-level cache, nine slices of a picture: 384 KiB take 1.25 times as
	// long as 1280, because blocks of few rows compute more of them again. HeldWork is the time
	// to write a byte to memory and read it again, in additions: its line is moved three times,
	// at 10 GB/s. HeldLeast is up to how much memory a value takes that is one block: it stays in
	// the first-level cache. Zen 4, 16 rows found by index, times a number: 150 ns, in four blocks 280.
	// HeldOnce is HeldBytes for blocks that compute nothing again, if a row fits. Emerald Rapids, 16 taps of 1M float32: 0.86 of the time of
	// 1 MiB, sums of rows found by index 0.99.
	HeldBytes, HeldFrom int
	HeldOnce            int
	HeldLeast           int
	HeldWork            float64

	// PackedRows and PackedBytes are from which number of rows of the left operand, and
	// beyond which size of one right matrix, that is packed into panels: a smaller one
	// stays in the first-level cache unpacked, and for fewer rows the copy would cost as
	// much as the product, unless its rows are not contiguous and it must be copied anyway.
	// One whose rows have MatmulBlocks.SetBytes or more the product packs block by block,
	// which costs less, up to PackedWideRows rows of the left operand.
	PackedRows, PackedWideRows, PackedBytes int
	// SwappedRows is up to how many rows times a transposed matrix, of more than PackedBytes, are
	// multiplied as that matrix times as many columns.
	SwappedRows int
	// SwappedPairs is from how many elements on windows of an image are multiplied as the left operand
	// with weights of SwappedColumns channels or more that never change: of fewer, the transpose of the
	// result takes too long, 0.3 ns for each of its elements. Where more than one lane for each
	// SwappedIdle channels is idle, up to SwappedWindows windows are: their lines fill no vectors either.
	// Zen 4, 3x3 convolutions of 7x7, 14x14 and 28x28 windows with 512, 256 and 128 channels: 0.75, 0.87
	// and 0.92 of the time, 56x56 with 64 channels 0.95, 7x7 with steps of two and 3 channels 0.85 to
	// 0.95, lines of 9 windows 0.68, 112x112 windows with 64 channels 1.00. Results that are
	// pooled are transposed after that, so that any windows are multiplied so, if the result for an image
	// has PooledBytes at most. With the pooling 28x28 windows of 27 elements with 32 channels take 0.83 of
	// the time, 28x28, 56x56 and 112x112 ones of 576 elements with 64 channels 0.87, 0.95 and 1.03.
	SwappedWindows, SwappedPairs, SwappedColumns, SwappedIdle, PooledBytes int
}

func defaultRowGroups() RowGroups {
	const heldBytes = 1 << 20
	return RowGroups{
		LookAhead: 64, BlockBytes: 192 << 10, AheadBytes: 4 << 10, AheadFrom: 16 << 20, PrefetchBytes: 16 << 10, PrefetchFrom: 2 << 20, PrefetchLeast: 128, StreamBytes: 2 << 20, RowBytes: 1 << 20,
		ProductRows: 96, ProductBlocks: 4, LeastProductRows: 4 * 96, LeastProduct: 1024,
		HeldBytes: heldBytes, HeldFrom: heldBytes + 1, HeldOnce: 192 << 10, HeldLeast: 16 << 10, HeldWork: 20, SwappedRows: 64,
		SwappedWindows: 196, SwappedPairs: 144, SwappedColumns: 32, PooledBytes: 1 << 20, SwappedIdle: 10,
		PackedRows: 32, PackedWideRows: 256, PackedBytes: 32 << 10,
	}
}
