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
)

// first stores the places of the elements of a line that come first in places, in order, with their
// keys in found: as many as both are long. It reports whether that takes few moves, and gives up if not.
func first[U bits](k keys[U], x line[U], found, places []uint64) bool {
	moves := 0
	for i := range found {
		moves += insert(found[:i+1], places, uint64(k.of(x.at(i))), i)
	}
	last := U(found[len(found)-1])
	for i := len(found); i < x.count && moves <= selectMoves*x.count; {
		i = k.skip(x, i, last)
		for end := min(i+4, x.count); i < end; i++ {
			if key := k.of(x.at(i)); key < last { // of equal ones the first stays
				moves += insert(found, places, uint64(key), i)
				last = U(found[len(found)-1])
			}
		}
	}
	return moves <= selectMoves*x.count
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
