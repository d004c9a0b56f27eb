package tuning

// NEON returns a machine for the kernels of arm64, with the given number of workers. Its constants differ from those of Default where
// caches or vectors do. The sizes are those in the technical reference manuals of Neoverse N1 and V1, with 1 MiB as the second-level
// cache, which Graviton 2 and 3 have: N1 may have 256 KiB and more, V1 512 KiB and more. None is measured; docs/speed.md says how to.
func NEON(workers int) *Machine {
	const (
		first  = 64 << 10 // bytes of the first-level cache
		second = 1 << 20  // bytes of the second-level cache
	)
	m := Default(workers)
	m.Vector = 16 // a register
	m.SetVector(m.Vector)

	// A way has 16 KiB, but there are 4 of them: addresses 8 KiB apart, which share two sets, find room for 8 lines, as in the 8 ways of
	// 4 KiB for which Default has 4 KiB.
	m.WayBytes = first / 8
	m.Matmul.SetBytes = m.WayBytes / 2

	// The same parts of the caches as in Default.
	m.PackBytes = first / 2
	m.LaneBytes = first / 2
	m.FlatBytes = first / 2
	m.PairBytes = first / 2
	m.HeldLeast = first / 2
	m.PackedBytes = first
	m.TileBytes = 12 << 10   // as much of the first-level cache as in Default, and no multiple of a page
	m.TilingBytes = 40 << 10 // as much of the first-level cache as in Default
	m.NearBytes = second / 2
	m.TransposedBytes = second / 4
	m.Matmul.LeftBytes = second / 4
	m.BlockBytes = 3 * second / 8
	m.Matmul.BatchBytes = first / 2
	return m
}
