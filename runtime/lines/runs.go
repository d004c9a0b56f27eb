package lines

// runs are the runs of a line, all of the same length except the last. Within a class, elements need not be in the order of their
// keys.
type runs[K word] struct {
	keys    []K
	length  int
	bit     int // where keys begin in a word
	classes []class[K]
	bounds  []int64
}

func (r *runs[K]) count() int { return (len(r.keys)-1)/r.length + 1 }

func (r *runs[K]) run(i int) []K { return r.keys[i*r.length : min((i+1)*r.length, len(r.keys))] }

// bound returns a list of bounds, one for each run. find stores from and to; the others are for split.
func (r *runs[K]) bound(i int) []int64 { return r.bounds[i*r.count():][:r.count()] }
func (r *runs[K]) from() []int64       { return r.bound(0) }
func (r *runs[K]) to() []int64         { return r.bound(1) }

// find stores the bounds, in each run, of the elements first to end-1 of the merged line.
func (r *runs[K]) find(first, end int) {
	from, to, most := r.from(), r.to(), r.bound(2)
	clear(from)
	for i := range most {
		most[i] = int64(len(r.run(i)))
	}
	r.split(int64(first), from, most)
	copy(to, from)
	for i := range most {
		most[i] = int64(len(r.run(i)))
	}
	r.split(int64(end), to, most)
}

// split sets least[i] to the number of elements of run i among the first n of all; on entry it is between least[i] and most[i].
// Each step divides all runs at the key of one element of the run with the most undecided elements: the middle
// one or, every other time, the one where n would be if keys were spread evenly.
func (r *runs[K]) split(n int64, least, most []int64) {
	less, upTo := r.bound(3), r.bound(4)
	for interpolates := true; ; interpolates = !interpolates {
		missing, left, longest := n, int64(0), 0
		for i, l := range least {
			missing -= l
			left += most[i] - l
			if most[i]-l > most[longest]-least[longest] {
				longest = i
			}
		}
		if missing <= 0 || left == 0 {
			return
		}
		if missing >= left {
			copy(least, most)
			return
		}
		part := 0.5
		if interpolates {
			part = float64(missing) / float64(left)
		}
		at := least[longest] + int64(float64(most[longest]-least[longest])*part)
		key := r.run(longest)[at] >> uint(r.bit)
		equal := class[K]{key, key}
		for _, c := range r.classes {
			if c.has(key) {
				equal = c
			}
		}
		var allLess, allUpTo int64
		for i, l := range least {
			between := r.run(i)[l:most[i]]
			from := belowNear(between, equal.least, r.bit, int(float64(len(between))*part))
			less[i] = l + int64(from)
			upTo[i] = less[i] + int64(upToNear(between[from:], equal.most, r.bit))
			allLess += less[i]
			allUpTo += upTo[i]
		}
		switch {
		case n < allLess:
			copy(most, less)
			most[longest] = min(most[longest], at) // fewer, if the run is not sorted
		case n > allUpTo:
			copy(least, upTo)
			least[longest] = max(least[longest], at+1)
		default:
			rest := n - allLess
			for i := range least {
				some := min(rest, upTo[i]-less[i])
				least[i] = less[i] + some
				rest -= some
			}
			return
		}
	}
}

// below returns the number of words whose keys, which begin at the given bit, are below key.
func below[K word](x []K, key K, bit int) int {
	least, most := 0, len(x)
	for least < most {
		if i := int(uint(least+most) / 2); x[i]>>uint(bit) < key {
			least = i + 1
		} else {
			most = i
		}
	}
	return least
}

// belowNear is below for a result near a guess: it searches at distances that double.
func belowNear[K word](x []K, key K, bit, guess int) int {
	least, most := 0, len(x)
	for apart := 8; least < most; apart *= 2 {
		at := min(guess, most-1)
		if x[at]>>uint(bit) < key {
			least = at + 1
			if guess = at + apart; guess >= most {
				break
			}
		} else {
			most = at
			if guess = at - apart; guess < least {
				break
			}
		}
	}
	return least + below(x[least:most], key, bit)
}

// upToNear is upToKey for a small result.
func upToNear[K word](x []K, key K, bit int) int {
	if key == ^K(0)>>uint(bit) {
		return len(x)
	}
	return belowNear(x, key+1, bit, 0)
}

// upToKey returns the number of words whose key is not greater than the given one.
func upToKey[K word](x []K, key K, bit int) int {
	if key == ^K(0)>>uint(bit) {
		return len(x)
	}
	return below(x, key+1, bit)
}

// keepOrder stores the keys of a class in the order of the runs, in their places in sorted.
func (r *runs[K]) keepOrder(sorted []K, c class[K]) {
	from := below(sorted, c.least, 0)
	equal := sorted[from:][:upToKey(sorted[from:], c.most, 0)]
	if len(equal) == 0 {
		return
	}
	for i := range r.count() {
		piece := r.run(i)[r.from()[i]:r.to()[i]]
		from := below(piece, c.least, 0)
		n := copy(equal, piece[from:][:upToKey(piece[from:], c.most, 0)])
		equal = equal[n:]
	}
}
