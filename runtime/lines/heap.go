package lines

// selectFrom is how many times as long as what is wanted of it a line is at least whose
// first elements are selected rather than sorted.
const selectFrom = 16

// first stores the places of the elements of a line that come first in places, in order,
// with their keys in found: as many as both are long.
//
// It is a heap whose root is the last of the elements found so far. An element that comes
// before it takes its place.
func first[U bits](k keys[U], x line[U], found, places []uint64) {
	h := heap{found, places}
	for i := range found {
		found[i], places[i] = uint64(k.of(x.at(i))), uint64(i)
	}
	for i := len(found)/2 - 1; i >= 0; i-- {
		h.sift(i)
	}
	last := U(found[0])
	for i := len(found); i < x.count; i++ {
		if key := k.of(x.at(i)); key < last { // of equal ones the first stays
			found[0], places[0] = uint64(key), uint64(i)
			h.sift(0)
			last = U(found[0])
		}
	}
	for n := len(found) - 1; n > 0; n-- {
		h.swap(0, n)
		heap{found[:n], places[:n]}.sift(0)
	}
}

// heap is elements none of which comes after its parent, element (i-1)/2.
type heap struct{ keys, places []uint64 }

// after reports whether element i comes after element j.
func (h heap) after(i, j int) bool {
	return h.keys[i] > h.keys[j] || h.keys[i] == h.keys[j] && h.places[i] > h.places[j]
}

func (h heap) swap(i, j int) {
	h.keys[i], h.keys[j] = h.keys[j], h.keys[i]
	h.places[i], h.places[j] = h.places[j], h.places[i]
}

// sift moves element i down to its place.
func (h heap) sift(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.keys) {
			return
		}
		if child+1 < len(h.keys) && h.after(child+1, child) {
			child++
		}
		if !h.after(child, i) {
			return
		}
		h.swap(i, child)
		i = child
	}
}
