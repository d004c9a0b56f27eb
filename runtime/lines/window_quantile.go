package lines

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/scalar"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Quantiles of sliding windows, by the algorithm of Suomela (Median filtering is equivalent to sorting, 2014). A line is
// cut into blocks of the size of a window, and each block is sorted. A window has the last elements of one block and the
// first ones of the next. The present elements of each block are a linked list in ascending order: from one window to
// the next an element of the first block is unlinked, and one of the second block is linked again at the place that it
// had, as lists by Knuth's dancing links. Two pointers divide the present elements into those before the wanted place and the
// others. So a step takes a constant time beside the sorting, if the place stays about the same.

// sortedBlock is a block of a line. Its elements have numbers in ascending order; count is the number behind the last.
type sortedBlock struct {
	count      int
	keys       []uint64 // by number; the last one, of count, is greater than all keys
	places     []int32  // by number: the index in the block
	numbers    []int32  // by index in the block
	next, prev []int32  // by number: the neighbours that are present; those of count are the first and the last
	head       int      // the first present number that is not before the wanted place
	before     int      // the number of present elements before it
}

// newSortedBlock cuts a block for up to size elements from memory.
func newSortedBlock(memory []uint64, size int) (b sortedBlock, rest []uint64) {
	ints := func() []int32 {
		words := (size + 2) / 2
		list := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(memory))), size+1)
		memory = memory[words:]
		return list
	}
	b.keys, memory = memory[:size+1], memory[size+1:]
	b.places, b.numbers, b.next, b.prev = ints(), ints(), ints(), ints()
	return b, memory
}

// fill makes all elements present, and none before the wanted place.
func (b *sortedBlock) fill() {
	n := b.count
	for i := range n + 1 {
		b.next[i], b.prev[i] = int32(i+1), int32(i-1)
	}
	b.next[n], b.prev[0] = 0, int32(n)
	b.head, b.before = int(b.next[n]), 0
}

// empty removes all elements, from the last one on, so that push can put them back from the first one on.
func (b *sortedBlock) empty() {
	b.fill()
	for i := b.count - 1; i >= 0; i-- {
		n := b.numbers[i]
		b.next[b.prev[n]], b.prev[b.next[n]] = b.next[n], b.prev[n]
	}
	b.head = b.count
}

// pop unlinks the element at an index. One element fewer is then before the wanted place, unless none was.
func (b *sortedBlock) pop(index int) {
	n := int(b.numbers[index])
	b.next[b.prev[n]], b.prev[b.next[n]] = b.next[n], b.prev[n]
	switch {
	case n < b.head:
		b.before--
	default:
		if n == b.head {
			b.head = int(b.next[n])
		}
		if b.before > 0 {
			b.retreat()
		}
	}
}

// push puts the element at an index back. As many elements as before stay before the wanted place.
func (b *sortedBlock) push(index int) {
	n := b.numbers[index]
	b.next[b.prev[n]], b.prev[b.next[n]] = n, n
	if int(n) < b.head {
		b.head = int(b.prev[b.head])
	}
}

func (b *sortedBlock) advance() { b.head, b.before = int(b.next[b.head]), b.before+1 }
func (b *sortedBlock) retreat() { b.head, b.before = int(b.prev[b.head]), b.before-1 }

// windowQuantiles computes the quantiles of lines of elements with the bits U.
type windowQuantiles[U bits, K word, F float32 | float64] struct {
	k      keys[U]
	narrow sorter[K]
	wide   sorter[uint64]
}

func windowQuantileOf(m *kernel.Micro, s sorters) func(*abi.Frame) {
	if m.Type == ir.Float32 {
		return windowQuantiles[uint32, uint32, float32]{keysOf[uint32](m.Type, false), s.narrow, s.wide}.rows
	}
	return windowQuantiles[uint64, uint64, float64]{keysOf[uint64](m.Type, false), s.wide, s.wide}.rows
}

// rows computes all rows of a block.
func (q windowQuantiles[U, K, F]) rows(f *abi.Frame) {
	length, across, acrossPlaces, acrossOut := f.Step[4], f.Step[5], f.Step[6], f.Step[7]
	if f.Cols == 0 {
		return
	}
	size := length - f.Cols + 1
	memory := unsafe.Slice((*uint64)(f.Ptr[3]), kernel.WindowQuantileWork(size))
	work, memory := memory[:size], memory[size:]
	spare, memory := memory[:size], memory[size:]
	a, memory := newSortedBlock(memory, size)
	b, _ := newSortedBlock(memory, size)
	for r := range f.Rows {
		x := line[U]{unsafe.Add(f.Ptr[0], r*f.Step[0]), across, length}
		places, out := unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2])
		block := func(at int) line[U] {
			if at >= length {
				return line[U]{}
			}
			return line[U]{unsafe.Add(x.from, at*across), across, min(size, length-at)}
		}
		q.sort(&b, block(0), work, spare)
		for at := 0; at < f.Cols; at += size {
			a, b = b, a
			last := block(at + size)
			q.sort(&b, last, work, spare)
			q.windows(&a, &b, block(at), last, min(size, f.Cols-at), unsafe.Add(places, at*acrossPlaces), acrossPlaces, unsafe.Add(out, at*acrossOut), acrossOut)
		}
	}
}

// sort sorts the elements of a block. Equal elements keep their order.
func (q windowQuantiles[U, K, F]) sort(b *sortedBlock, x line[U], work, spare []uint64) {
	n := x.count
	b.count = n
	if n > 0 {
		for i, w := range placesOf(q.k, x, n, q.narrow, q.wide, work[:n], spare[:n]) {
			place := int32(uint32(w))
			b.places[i], b.numbers[place] = place, int32(i)
			b.keys[i] = uint64(q.k.of(x.at(int(place))))
		}
	}
	b.keys[n] = math.MaxUint64
}

// windows computes the first count quantiles of the windows that begin in block a and end in block b.
func (q windowQuantiles[U, K, F]) windows(a, b *sortedBlock, xa, xb line[U], count int, places unsafe.Pointer, acrossPlaces int, out unsafe.Pointer, acrossOut int) {
	a.fill()
	b.empty()
	size, before := a.count, 0 // before is how many elements are before the wanted place
	for i := range count {
		if i > 0 {
			a.pop(i - 1)
			b.push(i - 1)
			if a.before+b.before < before {
				q.advance(a, b)
			}
		}
		at, t, ok := ir.QuantilePlace(float64(*(*F)(unsafe.Add(places, i*acrossPlaces))), size)
		y := F(math.NaN())
		if ok {
			for ; before < at; before++ {
				q.advance(a, b)
			}
			for ; before > at; before-- {
				q.retreat(a, b)
			}
			n, m := a.head, b.head
			y = q.lesser(a, n, xa, b, m, xb)
			if t > 0 {
				if precedes(a, n, b, m) {
					n = int(a.next[n])
				} else {
					m = int(b.next[m])
				}
				y = q.between(y, q.lesser(a, n, xa, b, m, xb), F(t))
			}
		}
		*(*F)(unsafe.Add(out, i*acrossOut)) = y
	}
}

// advance moves the first element at or behind the wanted place before it. Of equal elements those of a come first.
func (q windowQuantiles[U, K, F]) advance(a, b *sortedBlock) {
	if precedes(a, a.head, b, b.head) {
		a.advance()
	} else {
		b.advance()
	}
}

// retreat moves the last element before the wanted place behind it.
func (q windowQuantiles[U, K, F]) retreat(a, b *sortedBlock) {
	switch {
	case a.before == 0:
		b.retreat()
	case b.before == 0 || !precedes(a, int(a.prev[a.head]), b, int(b.prev[b.head])):
		a.retreat()
	default:
		b.retreat()
	}
}

// precedes reports whether number i of a is before number j of b. One behind the last is not, unless both are.
func precedes(a *sortedBlock, i int, b *sortedBlock, j int) bool {
	return a.keys[i] <= b.keys[j] && (i < a.count || j == b.count)
}

// lesser returns the lesser one of element number i of a and number j of b.
func (q windowQuantiles[U, K, F]) lesser(a *sortedBlock, i int, xa line[U], b *sortedBlock, j int, xb line[U]) F {
	if precedes(a, i, b, j) {
		return *(*F)(unsafe.Add(xa.from, int(a.places[i])*xa.across))
	}
	return *(*F)(unsafe.Add(xb.from, int(b.places[j])*xb.across))
}

// between returns lo + t*(hi-lo), or lo if both are equal or lo is -Inf and hi finite.
func (q windowQuantiles[U, K, F]) between(lo, hi, t F) F {
	if lo == hi || math.IsInf(float64(lo), -1) && float64(hi) < math.Inf(1) {
		return lo
	}
	distance := hi - lo
	if unsafe.Sizeof(t) == 4 {
		return F(scalar.FMA32(float32(t), float32(distance), float32(lo)))
	}
	return F(math.FMA(float64(t), float64(distance), float64(lo)))
}
