//go:build amd64 && !purego

package lines

import (
	"math"
	goruntime "runtime"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sums of bags for AVX2 and AVX-512, of float32 and float64. A bag is a set of rows of a table selected by indices; its sum may
// weight each row. One call of assembly sums many bags. Zen 4, bags of 16 rows of 64 float32 from a table in the caches:
// 3 to 4 ns for each row; calls of kernels for eight rows each take 5.5.

// bags is the argument of the assembly, in bags_amd64.h, bags_long_amd64.h and bags_ragged_amd64.h. Addresses are numbers: the
// assembly advances them up to the end of their memory, which the frame of the call keeps alive.
type bags struct {
	table, indices, weights, out              uintptr
	tableStep, indexStep, weightStep, outStep int // bytes to the next row of the table, and to the next bag's indices, weights and output
	across, acrossWeights                     int // bytes to the next index and weight of a bag
	apart, apartWeights                       int // bytes to the index and weight of the next row of an eight, or of a lane
	bags                                      int // bags left
	extent                                    int // rows of the table
	from, to, at                              int // the bytes of each row that are added; where the present ones begin
	ahead                                     int // distance to the bag, or group of four, that is prefetched
	outside                                   int64

	// Bags of up to 32 rows. Row numbers are doubled.
	length     int    // rows of a bag; not doubled for longer bags
	eights     int    // the first eight of a bag
	rows       [8]int // distances of the rows of an eight from its first one
	aheadBytes int    // to the indices that are prefetched
	laterBytes int    // to the next indices that are prefetched
	laterRows  int

	// Longer bags.
	work              uintptr // rows that hold partial sums
	workStep          int
	lanes             [4]int // bytes to the indices of the lanes of a four
	laneWeights       [4]int
	four, fourWeights uintptr // the first of the present four
	left              int     // rows left, from it on
}

// The functions of the assembly: by type, with or without weights, by length of bags; and ragged products. Each is followed by
// one for the last columns.
const (
	ofLong     = 2
	ofProducts = 4
	ofRagged   = 8
	ofFloat64  = 10
)

// sum sums bags of rows of the given number of bytes, or panics.
func (b *bags) sum(on abi.Engine, of, bytes int) {
	width := 4 * on.Vector()
	whole := bytes - bytes%width
	if whole > 0 {
		c := *b
		c.call(on, of, 0, whole)
	}
	if whole < bytes {
		b.call(on, of+1, whole, bytes)
	}
}

// call calls a function for bytes from to to-1 of each row.
func (b *bags) call(on abi.Engine, of, from, to int) {
	b.from, b.to, b.at = from, to, from
	if on == abi.AVX512 {
		sumAVX512(b, of)
	} else {
		sumAVX2(b, of)
	}
	if b.bags > 0 {
		panic(&ir.IndexError{Index: b.outside, Extent: b.extent})
	}
}

// short sets the bags' length to at most ir.ReduceLanes rows.
func (b *bags) short(length int, far bool) {
	step := 2 // from a row of an eight to the next, doubled
	switch {
	case length <= 4:
		step = 1
	case length <= 8:
	case length <= 16:
		step, b.eights = 4, 6
	default:
		step, b.eights = 8, 5
	}
	b.length = 2 * length
	b.apart, b.apartWeights = b.across*step/2, b.acrossWeights*step/2
	for i := range b.rows {
		b.rows[i] = i * step
	}
	b.ahead = math.MaxInt
	if far {
		b.ahead = (rowsAhead-1)/length + 1
		b.aheadBytes = b.ahead * b.indexStep
		b.laterRows = max(2, step)
		b.laterBytes = b.across * b.laterRows / 2
	}
}

// long sets the bags' length to more than ir.ReduceLanes rows.
func (b *bags) long(length int, far bool) {
	const fours = ir.ReduceLanes / 4
	b.length, b.left = length, length
	b.four, b.fourWeights = b.indices, b.weights
	b.apart, b.apartWeights = b.across*ir.ReduceLanes, b.acrossWeights*ir.ReduceLanes
	for i := range b.lanes {
		b.lanes[i], b.laneWeights[i] = i*fours*b.across, i*fours*b.acrossWeights
	}
	if far {
		b.ahead = (rowsAhead*fours-1)/length + 1
	}
}

// isBag reports whether a kernel sums rows of floats that indices select.
func isBag(m *kernel.Micro) bool {
	return m.Kind == kernel.GatherReduce && m.Op.Info().By == ir.OpAdd && ir.Floats.Has(m.Type)
}

// registerBags registers the kernels among all that sum bags.
func registerBags(all []*kernel.Micro) {
	var avx2, avx512 []abi.Kernel
	for _, m := range all {
		var sum func(*kernel.Micro, abi.Engine) func(*abi.Frame)
		switch {
		case isBag(m):
			sum = gatherSum
		case m.Kind == kernel.Ragged && m.Op.Info().Weighted && ir.Floats.Has(m.Type):
			sum = raggedProducts
		default:
			continue
		}
		avx2 = append(avx2, abi.Kernel{Sig: m.Signature(), Fn: sum(m, abi.AVX2)})
		avx512 = append(avx512, abi.Kernel{Sig: m.Signature(), Fn: sum(m, abi.AVX512)})
	}
	abi.RegisterBuiltin(abi.AVX2, avx2)
	abi.RegisterBuiltin(abi.AVX512, avx512)
}

// gatherSum returns an engine's function that sums rows selected by indices, or their products with weights.
func gatherSum(m *kernel.Micro, on abi.Engine) func(*abi.Frame) {
	op, out, of, size := m.Op.Info(), gatherOut(m.Op.Info()), 0, m.Type.Size()
	if m.Type == ir.Float64 {
		of += ofFloat64
	}
	if op.Weighted {
		of += ofProducts
	}
	return func(f *abi.Frame) {
		if f.Rows == 0 || f.Cols == 0 {
			return
		}
		address := func(arg int) uintptr { return uintptr(f.Ptr[arg]) }
		b := bags{table: address(0), indices: address(1), weights: address(2), out: address(out), work: address(out + 1),
			tableStep: f.Step[0], indexStep: f.Step[1], weightStep: f.Step[2], outStep: f.Step[out], workStep: f.Step[out+1],
			bags: f.Rows, extent: f.Step[out+2], across: f.Step[out+4], acrossWeights: f.Step[out+6]}
		length, far := f.Step[out+3], isFar(f.Step[0], f.Step[out+2])
		if length <= ir.ReduceLanes {
			b.short(length, far)
			b.sum(on, of, f.Cols*size)
		} else {
			b.long(length, far)
			b.sum(on, of+ofLong, f.Cols*size)
		}
		goruntime.KeepAlive(f)
	}
}

// raggedProducts returns an engine's function that sums the products of ragged rows.
func raggedProducts(m *kernel.Micro, on abi.Engine) func(*abi.Frame) {
	of, size, other := ofRagged, m.Type.Size(), raggedOf(m)
	if m.Type == ir.Float64 {
		of += ofFloat64
	}
	return func(f *abi.Frame) {
		if f.Cols == 1 {
			other(f)
			return
		}
		extent, offsets, count := f.Step[7], f.Step[8], f.Step[9]
		checkOffsets(f, offsets, count)
		b := bags{table: uintptr(f.Ptr[0]), tableStep: f.Step[0], across: f.Step[4], acrossWeights: f.Step[5], extent: extent, aheadBytes: rowsAhead * f.Step[4]}
		far := isFar(f.Step[0], extent)
		for r := range f.Rows {
			begin, end := raggedRow(f, r, count)
			b.bags, b.length, b.ahead = 1, end-begin, math.MaxInt
			if far { // a prefetched row may belong to one of the next sums
				b.ahead = rowsAhead - (count - end)
			}
			b.indices, b.weights = uintptr(f.Ptr[4])+uintptr(begin*b.across), uintptr(f.Ptr[5])+uintptr(begin*b.acrossWeights)
			b.out = uintptr(f.Ptr[6]) + uintptr(r*f.Step[6])
			b.sum(on, of, f.Cols*size)
		}
		goruntime.KeepAlive(f)
	}
}

// sumAVX2 sums bags with the given function of the assembly. At an index outside the table it stops, and leaves some bags.
//
//go:noescape
func sumAVX2(b *bags, of int)
