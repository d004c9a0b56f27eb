package lines

import "unsafe"

const (
	// selectSquare decides between selecting the first n elements of a line and sorting it: a line is selected from if n*n is
	// at most selectSquare times its length. Each element found is inserted among those before it, which moves about n*n
	// elements in a line in random order. Zen 4, lines of 256 to 32,768 elements of 4 bytes: both take the same time where n*n is
	// 1.7 to 2.6 times the length; with 8 bytes selecting takes half the time there.
	// selectMoves is the greatest number of moves per element of the line. In a line whose first elements come last, each
	// element moves all others, and sorting is faster.
	selectSquare, selectMoves = 2, 8

	// searchedFrom is the least length of a line in which the engine searches for the least elements. Emerald Rapids, the first
	// one and the first three elements: lines of 10 take 1.4 times as long as a search one by one, of 20 as long, of 32 0.7.
	searchedFrom = 20
)

// first stores the positions of the first n elements of the sorted line in places, in order, and their keys in found. It reports
// whether that took few moves, and gives up otherwise. Both slices have room for the whole line.
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
			if key := k.of(x.at(i)); key < last { // of equal elements the first stays
				moves += insert(found, places, uint64(key), i)
				last = U(found[n-1])
			}
		}
	}
	return moves <= selectMoves*x.count
}

// firstBelow is first for engines that search for the least elements. A few elements of the line give an upper bound for the keys,
// so that the search finds few others.
func firstBelow[U bits, K word](k keys[U], x line[U], s sorter[K], n int, found, places []uint64) bool {
	few := sliceOf[K](found)[:max(n, min(x.count/4, 1<<12))]
	makeKeys(k, line[U]{x.from, x.across, len(few)}, s, few)
	few = s.sort(few, sliceOf[K](places)[:len(few)], n, 0, 8*int(unsafe.Sizeof(U(0))))
	most := k.of(k.element(U(few[n-1]))) // n elements have keys up to this one
	if most >= ^U(0)-1 {
		return false
	}
	most++ // least has two keys for zeros

	// Positions that are found are kept behind those that are stored.
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
	return has == n // false if another goroutine has changed the line
}

// skip returns a position at or behind i, in steps of four, where one of the next four keys may be below last, or where fewer
// than four are left. Once some elements are found, few keys are below last.
func (k keys[U]) skip(x line[U], i int, last U) int {
	for ; i+4 <= x.count; i += 4 {
		four := line[U]{unsafe.Add(x.from, i*x.across), x.across, 4}
		if min(k.least(four.at(0)), k.least(four.at(1)), k.least(four.at(2)), k.least(four.at(3))) < last {
			break
		}
	}
	return i
}

// insert puts a key and its position behind the keys that are not greater, drops the last key, and returns the number of keys
// moved.
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
