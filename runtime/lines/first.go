package lines

import "unsafe"

const (
	// The first n elements of a line are selected rather than sorted if the square of n is at most
	// selectSquare times as many as the line has: each that is found is inserted among those before, which
	// moves about n*n of them in a line in any order. Zen 4, 4 bytes, lines of 256 to 32,768: both take as
	// long where the square is 1.7 to 2.6 times the line; of 8 bytes selecting takes half the time there.
	// selectMoves is by how many places they are moved at most, for each element of the line: in a line
	// whose first elements are its last ones, each moves all. A sort takes less time then.
	selectSquare, selectMoves = 2, 8

	// searchedFrom is how many elements a line has at least of which an engine finds the least. Emerald Rapids, the first
	// one and the first three elements: of lines of 10 it takes 1.4 times as long as searching one by one, of 20 as long,
	// of 32 0.7.
	searchedFrom = 20
)

// first stores the places of the n elements of a line that come first in places, in order, with their
// keys in found. It reports whether that takes few moves, and gives up if not. There is memory for as many
// as the line has.
func first[U bits, K word](k keys[U], x line[U], s sorter[K], n int, found, places []uint64) bool {
	if n > selectSquare*(x.count/n) || 2*n > x.count {
		return false
	}
	if s.least != nil && x.count >= searchedFrom && inVectors[U, K](x) {
		return firstBelow(k, x, s, n, found, places)
	}
	found, places = found[:n], places[:n]
	moves := 0
	for i := range found {
		moves += insert(found[:i+1], places, uint64(k.of(x.at(i))), i)
	}
	last := U(found[n-1])
	for i := n; i < x.count && moves <= selectMoves*x.count; {
		i = k.skip(x, i, last)
		for end := min(i+4, x.count); i < end; i++ {
			if key := k.of(x.at(i)); key < last { // of equal ones the first stays
				moves += insert(found, places, uint64(key), i)
				last = U(found[n-1])
			}
		}
	}
	return moves <= selectMoves*x.count
}

// firstBelow is first where an engine finds the least elements. A few elements of the line bound the keys of those:
// few others are found.
func firstBelow[U bits, K word](k keys[U], x line[U], s sorter[K], n int, found, places []uint64) bool {
	few := sliceOf[K](found)[:max(n, min(x.count/4, 1<<12))]
	makeKeys(k, line[U]{x.from, x.across, len(few)}, s, few)
	few = s.sort(few, sliceOf[K](places)[:len(few)], n, 0, 8*int(unsafe.Sizeof(U(0))))
	most := k.of(k.element(U(few[n-1]))) // n elements are not more
	if most >= ^U(0)-1 {
		return false
	}
	most++ // least has two keys of zeros

	// Places that are found are behind those that are stored.
	least := unsafe.Slice((*uint32)(unsafe.Pointer(&places[x.count/2])), x.count)
	done, count := s.least(x.from, least, keysAs[K](k), K(most))
	for ; done < x.count; done++ {
		least[count] = uint32(done)
		count++
	}
	has, moves, last := 0, 0, most+1
	for _, place := range least[:count] {
		key := k.of(x.at(int(place)))
		if key >= last {
			continue
		}
		has = min(has+1, n)
		if moves += insert(found[:has], places, uint64(key), int(place)); has == n {
			last = U(found[n-1])
		}
		if moves > selectMoves*x.count {
			return false
		}
	}
	return has == n // not if another goroutine has changed the line
}

// skip returns the place from i on that is some fours behind it where a key below last may be among the
// next four, or where no four are left. Few keys are, once some elements are found.
func (k keys[U]) skip(x line[U], i int, last U) int {
	for ; i+4 <= x.count; i += 4 {
		four := line[U]{unsafe.Add(x.from, i*x.across), x.across, 4}
		if min(k.least(four.at(0)), k.least(four.at(1)), k.least(four.at(2)), k.least(four.at(3))) < last {
			break
		}
	}
	return i
}

// insert puts a key and its place behind the keys that are not greater, and returns how many it moves.
// The last one is dropped.
func insert(found, places []uint64, key uint64, place int) (moves int) {
	last := len(found) - 1
	places = places[:len(found)]
	j := last
	for ; j > 0 && found[j-1] > key; j-- {
		found[j], places[j] = found[j-1], places[j-1]
	}
	found[j], places[j] = key, uint64(place)
	return last - j
}
