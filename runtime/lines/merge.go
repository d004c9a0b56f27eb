package lines

import (
	mathbits "math/bits"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Merging. Each block of a merged line is computed independently: a search finds the segments of the runs that make it up (Odeh,
// Green, Mwassi, Shmueli and Birk 2012, "Merge Path", for two runs); they are copied one behind another. Few segments are merged in
// pairs, and many are sorted: a quicksort of vectors takes less time than many rounds of merges.

// pairsTo4 and pairsTo8 are the greatest numbers of segments that are merged in pairs, of words of four and eight bytes. Zen 3:
// a round takes 2.9 ns a word, and a sort of 128K words 6.3 and 12 ns.
const pairsTo4, pairsTo8 = 2, 8

// mergeOf returns the function of a micro-kernel that merges runs.
func mergeOf(m *kernel.Micro, s sorters) func(*abi.Frame) {
	places, down := m.Op.Info().Places, m.Op.Info().Descending
	switch size := m.Type.Size(); {
	case size == 8 && places:
		return mergeRecords(s.wide)
	case places:
		return mergeWords(s.wide, 8*size)
	case size == 8:
		return mergeKeys(keysOf[uint64](m.Type, down), s.wide)
	case size == 4:
		return mergeKeys(keysOf[uint32](m.Type, down), s.narrow)
	case size == 1:
		return mergeKeys(keysOf[uint8](m.Type, down), s.narrow)
	}
	panic("BUG: lines: no merge of " + m.Type.String())
}

// merged is a call that merges runs.
type merged[K word] struct {
	f           *abi.Frame
	runs        runs[K]
	work        [3]unsafe.Pointer
	span, block int
	at          int // argument with the numbers of the blocks
}

// mergedOf returns the merge that a frame describes. Its first args arguments are the runs. Keys begin at the given bit of a word.
func mergedOf[K word](f *abi.Frame, args, bit int) merged[K] {
	fields := f.Step[args+6:]
	elems, run, bounds := fields[1], fields[2], fields[5]
	c := merged[K]{f: f, work: [3]unsafe.Pointer(f.Ptr[args+2:]), span: fields[3], block: fields[4], at: args}
	c.runs = runs[K]{keys: rowOf[K](f, 0, 0, elems), length: run, bit: bit}
	if need := kernel.MergeBounds(elems, run); need > bounds {
		panic(&ir.IndexError{Index: int64(need), Extent: bounds})
	}
	c.runs.bounds = unsafe.Slice((*int64)(f.Ptr[args+5]), bounds)
	return c
}

// out returns row r of the output.
func (c *merged[K]) out(r int) (from unsafe.Pointer, across int) {
	return unsafe.Add(c.f.Ptr[c.at+1], r*c.f.Step[c.at+1]), c.f.Step[c.at+6]
}

// find finds the segments of the runs that make up row r.
func (c *merged[K]) find(r int) {
	at := *(*int64)(unsafe.Add(c.f.Ptr[c.at], r*c.f.Step[c.at]))
	from := kernel.MergedFrom(at, c.f.Cols, len(c.runs.keys), c.block)
	c.runs.find(from, from+c.f.Cols)
}

// memory returns scratch memory i for a row.
func memory[T any, K word](c *merged[K], i int) []T {
	return unsafe.Slice((*T)(c.work[i]), c.f.Cols)
}

// gatherPieces copies the segments of the runs one behind another, from arrays of elements that are parallel to their keys. It
// adds far to an element for each run before its own.
func gatherPieces[T word, K word](r *runs[K], from, to []T, far T) {
	for i := range r.count() {
		piece := from[i*r.length:][r.from()[i]:r.to()[i]]
		piece = piece[:min(len(piece), len(to))]
		if add := far * T(i); add == 0 {
			copy(to, piece)
		} else {
			for j, e := range piece {
				to[j] = e + add
			}
		}
		to = to[len(piece):]
	}
	clear(to) // for runs that are not sorted
}

// merge merges the gathered segments. Their words have keys of the given number of bits. The result is in words or in spare.
func (c *merged[K]) merge(s sorter[K], words, spare []K, bits int) []K {
	if n := c.runs.count(); n > pairsTo8 || n > pairsTo4 && unsafe.Sizeof(K(0)) == 4 {
		return s.sort(words, spare, len(words), c.runs.bit, c.runs.bit+bits)
	}
	ends := c.runs.bound(2)
	end := int64(0)
	for i := range ends {
		end += c.runs.to()[i] - c.runs.from()[i]
		ends[i] = min(end, int64(len(words)))
	}
	for len(ends) > 1 {
		from, pairs := int64(0), ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[min(i+1, len(ends)-1)]
			mergePair(words[from:middle], words[middle:end], spare[from:end])
			pairs = append(pairs, end)
			from = end
		}
		ends = pairs
		words, spare = spare, words
	}
	return words
}

// mergePair merges two runs of words into out, from both ends at once, without branches that depend on the words. Of equal words,
// those of x come first.
func mergePair[K word](x, y, out []K) {
	for min(len(x), len(y)) >= 2 {
		n := min(len(x), len(y)) / 2 // steps: even if all take words of one run, they do not pass its middle
		i, j, k, l := 0, 0, len(x)-1, len(y)-1
		first, last := out[:n], out[len(out)-n:]
		for at := range first {
			a, b := x[i], y[j]
			_, lesser := mathbits.Sub64(uint64(b), uint64(a), 0)
			first[at] = min(a, b)
			i += 1 - int(lesser)
			j += int(lesser)
			a, b = x[k], y[l]
			_, lesser = mathbits.Sub64(uint64(b), uint64(a), 0)
			last[n-1-at] = max(a, b)
			k -= int(lesser)
			l -= 1 - int(lesser)
		}
		x, y, out = x[i:k+1], y[j:l+1], out[n:len(out)-n]
	}
	for len(x) > 0 && len(y) > 0 {
		if y[0] < x[0] {
			out[0], y = y[0], y[1:]
		} else {
			out[0], x = x[0], x[1:]
		}
		out = out[1:]
	}
	copy(out[copy(out, x):], y)
}

// mergeKeys returns the function that merges runs of exact keys.
func mergeKeys[U bits, K word](k keys[U], s sorter[K]) func(*abi.Frame) {
	var classes []class[K]
	for _, c := range k.classes() {
		if k.zero != 0 {
			classes = append(classes, class[K]{K(c.least), K(c.most)})
		}
	}
	return func(f *abi.Frame) {
		if f.Cols == 0 || f.Rows == 0 {
			return
		}
		c := mergedOf[K](f, 1, 0)
		c.runs.classes = classes
		for r := range f.Rows {
			c.find(r)
			work := memory[K](&c, 0)
			gatherPieces(&c.runs, c.runs.keys, work, 0)
			sorted := c.merge(s, work, memory[K](&c, 1), 8*int(unsafe.Sizeof(U(0))))
			for _, equal := range classes {
				c.runs.keepOrder(sorted, equal)
			}
			out, across := c.out(r)
			putElements(k, sorted, s, line[U]{out, across, f.Cols})
		}
	}
}

// mergeWords returns the function that merges runs of words whose keys have the given number of bits.
func mergeWords(s sorter[uint64], bits int) func(*abi.Frame) {
	return func(f *abi.Frame) {
		if f.Cols == 0 || f.Rows == 0 {
			return
		}
		c := mergedOf[uint64](f, 1, 32)
		for r := range f.Rows {
			c.find(r)
			work := memory[uint64](&c, 0)
			gatherPieces(&c.runs, c.runs.keys, work, uint64(c.span))
			out, across := c.out(r)
			putPlaces(out, across, c.merge(s, work, memory[uint64](&c, 1), bits))
		}
	}
}

// mergeRecords returns the function that merges runs of keys and positions. It sorts the keys of a block together with their
// index in the block.
func mergeRecords(s sorter[uint64]) func(*abi.Frame) {
	asTheyAre := keys[uint64]{infinity: ^uint64(0)}
	return func(f *abi.Frame) {
		if f.Cols == 0 || f.Rows == 0 {
			return
		}
		c := mergedOf[uint64](f, 2, 0)
		places := rowOf[uint32](f, 1, 0, len(c.runs.keys))
		for r := range f.Rows {
			c.find(r)
			work := memory[uint64](&c, 0)
			gatherPieces(&c.runs, c.runs.keys, work, 0)
			words := placesOfWide(asTheyAre, line[uint64]{c.work[0], 8, f.Cols}, s, memory[uint64](&c, 1), memory[uint64](&c, 2))
			of := memory[uint32](&c, 0) // the keys are no longer needed
			gatherPieces(&c.runs, places, of, uint32(c.span))
			out, across := c.out(r)
			for i, w := range words {
				*(*int64)(unsafe.Add(out, i*across)) = int64(of[uint32(w)])
			}
		}
	}
}
