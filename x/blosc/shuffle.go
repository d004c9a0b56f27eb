package blosc

// Shuffles: transpositions of the bytes, or of the bits, of a block's elements. Bytes after the last whole element stay
// at the end.

// unshuffle reverses shuffleBytes.
func unshuffle(to, from []byte, size int) {
	n := len(to) / size
	for b := range size {
		for i, v := range from[b*n : (b+1)*n] {
			to[i*size+b] = v
		}
	}
	copy(to[n*size:], from[n*size:])
}

// shuffleBytes puts the first bytes of all elements first, then the second ones, and so on.
func shuffleBytes(to, from []byte, size int) {
	n := len(to) / size
	for b := range size {
		for i := range n {
			to[b*n+i] = from[i*size+b]
		}
	}
	copy(to[n*size:], from[n*size:])
}

// unshuffleBits reverses shuffleBits.
func unshuffleBits(to, from []byte, size int) {
	n, ok := bitRows(to, from, size)
	if !ok {
		return
	}
	clear(to[:n*size])
	for bit := range 8 * size {
		row := from[bit*n/8 : (bit+1)*n/8]
		for i := range n {
			to[i*size+bit/8] |= row[i/8] >> (i % 8) & 1 << (bit % 8)
		}
	}
}

// shuffleBits puts the first bits of all elements first, then the second ones, and so on, from each byte's least
// significant bit on. Blocks whose number of elements is no multiple of 8 are not shuffled.
func shuffleBits(to, from []byte, size int) {
	n, ok := bitRows(to, from, size)
	if !ok {
		return
	}
	clear(to[:n*size])
	for bit := range 8 * size {
		row := to[bit*n/8 : (bit+1)*n/8]
		for i := range n {
			row[i/8] |= from[i*size+bit/8] >> (bit % 8) & 1 << (i % 8)
		}
	}
}

// bitRows copies what bit shuffles leave in place, and returns the number of elements whose bits are shuffled, if any
// are.
func bitRows(to, from []byte, size int) (n int, ok bool) {
	n = len(to) / size
	if n%8 != 0 {
		copy(to, from)
		return 0, false
	}
	copy(to[n*size:], from[n*size:])
	return n, true
}
