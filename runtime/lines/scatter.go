package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Combinations by indices: histograms and segment sums.

// scatterOf returns the function that combines rows with those at indices of a type.
func scatterOf[I position](m *kernel.Micro) func(*abi.Frame) {
	return typed(m.Type, scatter[uint8, I](m), scatter[uint32, I](m), scatter[uint64, I](m), scatter[float32, I](m), scatter[float64, I](m))
}

// scatter returns the function that combines rows with those at their indices.
func scatter[T number, I position](m *kernel.Micro) func(*abi.Frame) {
	combine := combiner[T](m.Op.Info().By, m.Type)
	if m.Op == ir.OpScatterAdd { // inlined, for histograms and segment sums
		return scatterAdd[T, I]
	}
	return func(f *abi.Frame) {
		n, extent := f.Cols, f.Step[3]
		for r := range f.Rows {
			to := unsafe.Slice((*T)(unsafe.Add(f.Ptr[2], lineIndex[I](f.Ptr[0], f.Step[0], r, extent)*f.Step[2])), n)
			for c, e := range unsafe.Slice((*T)(unsafe.Add(f.Ptr[1], r*f.Step[1])), n) {
				to[c] = combine(to[c], e)
			}
		}
	}
}

// An addition to an element waits some cycles for the previous one to the same element. If a table has few elements, integers are
// therefore added to several copies of it in turn.
const (
	turns = 4
	// mostInTurn is the greatest number of elements of such a table: all four copies are in the first-level cache.
	mostInTurn = 256
	// tableApart is the number of elements between two copies. Processors compare only some bits of addresses; with a gap, a load
	// from one copy is less often mistaken for a load of what was just stored in another.
	tableApart = 24
)

func scatterAdd[T number, I position](f *abi.Frame) {
	n, extent := f.Cols, f.Step[3]
	if n == 1 {
		if inOrder := T(1)/2 != 0; !inOrder && extent > 0 && extent <= mostInTurn && f.Rows >= turns*extent && f.Step[0] == int(unsafe.Sizeof(I(0))) && f.Step[2] == int(unsafe.Sizeof(T(0))) {
			addInTurn[T, I](f)
			return
		}
		at, from, to, step, stepFrom, stepTo := f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Step[0], f.Step[1], f.Step[2]
		next, nextFrom := 0, 0
		for range f.Rows {
			i := int64(*(*I)(unsafe.Add(at, next)))
			if uint64(i) >= uint64(extent) {
				ir.LineIndex(i, extent)
			}
			*(*T)(unsafe.Add(to, int(i)*stepTo)) += *(*T)(unsafe.Add(from, nextFrom))
			next, nextFrom = next+step, nextFrom+stepFrom
		}
		return
	}
	for r := range f.Rows {
		from := unsafe.Slice((*T)(unsafe.Add(f.Ptr[1], r*f.Step[1])), n)
		to := unsafe.Slice((*T)(unsafe.Add(f.Ptr[2], lineIndex[I](f.Ptr[0], f.Step[0], r, extent)*f.Step[2])), n)
		to = to[:len(from)] // removes the bounds checks
		for c, e := range from {
			to[c] += e
		}
	}
}

// addInTurn adds integers to contiguous elements at contiguous indices.
func addInTurn[T number, I position](f *abi.Frame) {
	n, step, from, rows := f.Step[3], f.Step[1], f.Ptr[1], f.Rows
	indices, to := unsafe.Slice((*I)(f.Ptr[0]), rows), unsafe.Slice((*T)(f.Ptr[2]), n)
	var tables [(turns - 1) * (mostInTurn + tableApart)]T
	second, third, fourth := tables[:n], tables[n+tableApart:][:n], tables[2*(n+tableApart):][:n]
	a, b, c, d := f.Ptr[2], unsafe.Pointer(&second[0]), unsafe.Pointer(&third[0]), unsafe.Pointer(&fourth[0])
	at, one := f.Ptr[0], *(*T)(from)
	allInside := unsafe.Sizeof(I(0)) == 1 && n == kernel.Bytes
	for ; allInside && step == 0 && rows >= 2*turns; rows -= 2 * turns { // a histogram of bytes
		next := (*[2 * turns]I)(at)
		add(a, int64(next[0]), one)
		add(b, int64(next[1]), one)
		add(c, int64(next[2]), one)
		add(d, int64(next[3]), one)
		add(a, int64(next[4]), one)
		add(b, int64(next[5]), one)
		add(c, int64(next[6]), one)
		add(d, int64(next[7]), one)
		at = unsafe.Add(at, unsafe.Sizeof(*next))
	}
	for ; rows >= turns; rows -= turns {
		next := (*[turns]I)(at)
		i, j, k, l := int64(next[0]), int64(next[1]), int64(next[2]), int64(next[3])
		if uint64(i) >= uint64(n) || uint64(j) >= uint64(n) || uint64(k) >= uint64(n) || uint64(l) >= uint64(n) {
			break
		}
		if step == 0 {
			add(a, i, one)
			add(b, j, one)
			add(c, k, one)
			add(d, l, one)
		} else {
			add(a, i, *(*T)(from))
			add(b, j, *(*T)(unsafe.Add(from, step)))
			add(c, k, *(*T)(unsafe.Add(from, 2*step)))
			add(d, l, *(*T)(unsafe.Add(from, 3*step)))
			from = unsafe.Add(from, turns*step)
		}
		at = unsafe.Add(at, unsafe.Sizeof(*next))
	}
	for _, i := range indices[f.Rows-rows:] {
		to[ir.LineIndex(int64(i), n)] += *(*T)(from)
		from = unsafe.Add(from, step)
	}
	for i := range to {
		to[i] += second[i] + third[i] + fourth[i]
	}
}

// add adds e to element i of a table.
func add[T number](table unsafe.Pointer, i int64, e T) {
	*(*T)(unsafe.Add(table, i*int64(unsafe.Sizeof(e)))) += e
}
