//go:build amd64 && !purego

package lines

import (
	"math"
	goruntime "runtime"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sums of bags, which are rows of a table that indices select, or of their products with weights: of float32 and
// float64, for AVX2 and AVX-512. One call of assembly adds up many bags. Zen 4, bags of 16 rows of 64 float32 from a
// table in the caches: 3 to 4 ns for each row; calls of kernels for eight rows each take 5.5.

// bags is what the assembly reads, in bags_amd64.h, bags_long_amd64.h and bags_ragged_amd64.h. Addresses are numbers, as the assembly
// advances them up to the end of their memory, which the frame of the call keeps.
type bags struct {
	table, indices, weights, out              uintptr
	tableStep, indexStep, weightStep, outStep int // bytes to the next row of the table, and to those of the next bag
	across, acrossWeights                     int // bytes to the next index and weight of a bag
	apart, apartWeights                       int // bytes to those of the next row of an eight, or of a lane
	bags                                      int // how many are left
	extent                                    int // how many rows the table has
	from, to, at                              int // the bytes of each row that are added; where the present ones begin
	ahead                                     int // which bag or four is prefetched: so many later
	outside                                   int64

	// Bags of up to 32 rows. Numbers of rows are doubled.
	length     int    // how many rows a bag has; not doubled for longer bags
	eights     int    // which of the eights of a bag is the first one
	rows       [8]int // how far the rows of an eight are behind its first one
	aheadBytes int    // to the indices that are prefetched
	laterBytes int    // to the next one of these
	laterRows  int

	// Longer bags.
	work              uintptr // rows for sums that wait
	workStep          int
	lanes             [4]int // bytes to the indices of the lanes of a four
	laneWeights       [4]int
	four, fourWeights uintptr // the first of the present four
	left              int     // rows from it on
}

// The functions of the assembly, for a type, of products or not, and of bags by their lengths; of products in ragged
// rows. Behind each is one for the last columns.
const (
	ofLong     = 2
	ofProducts = 4
	ofRagged   = 8
	ofFloat64  = 10
)

// sum adds up bags of rows of so many bytes, or panics.
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

// call calls a function for some bytes of each row.
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

// short says that bags have so many rows, which are ir.ReduceLanes at most.
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

// long says that bags have so many rows, which are more than ir.ReduceLanes.
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

// gatherSum returns the function of an engine that adds up rows by their indices, or their products.
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

// raggedProducts returns the function of an engine that adds up the products of ragged rows.
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
			if far { // a row that is prefetched may be one of the next sums
				b.ahead = rowsAhead - (count - end)
			}
			b.indices, b.weights = uintptr(f.Ptr[4])+uintptr(begin*b.across), uintptr(f.Ptr[5])+uintptr(begin*b.acrossWeights)
			b.out = uintptr(f.Ptr[6]) + uintptr(r*f.Step[6])
			b.sum(on, of, f.Cols*size)
		}
		goruntime.KeepAlive(f)
	}
}

// isFar reports whether a table of so many rows, which are so far apart, is too large for the caches.
func isFar(step, rows int) bool { return max(step, -step) >= farBytes/max(1, rows) }

// sumAVX2 adds up bags with one of the functions. It stops at an index outside the table: some bags are left then.
//
//go:noescape
func sumAVX2(b *bags, of int)
