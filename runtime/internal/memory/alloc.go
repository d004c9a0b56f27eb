package memory

import (
	"fmt"
	"strings"
	"unsafe"
)

// Aligned memory for tensors, arenas and scratch. Large buffers are on huge pages, and a buffer that the machine cannot
// hold is an error.

const (
	// Alignment is the alignment of buffers in bytes: a cache line, and the widest vector. It only affects speed;
	// kernels accept any address.
	Alignment = 64

	hugeBuffer = 4 << 20 // from this size on, huge pages are requested
	hugePage   = 2 << 20

	// unclearedFrom is the size in bytes from which clearing memory takes time.
	unclearedFrom = 64 << 10
)

// Allocate returns nbytes zeroed bytes that begin at a multiple of 64. The garbage collector keeps them while any
// pointer into them lives. A request that memory can't hold is an error; it never panics and never gets the process
// killed.
func Allocate(nbytes int) ([]byte, error) {
	r, err := Reserve(nbytes)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.allocate(nbytes, makeBytes)
}

// Uncleared is Allocate without zeroing, for memory that is part of the reservation. It takes microseconds for any
// size: the system zeroes fresh pages when they are first written.
func (r *Reservation) Uncleared(nbytes int) ([]byte, error) {
	if nbytes < unclearedFrom {
		return r.allocate(nbytes, makeBytes)
	}
	return r.allocate(nbytes, makeUncleared)
}

// Block is Uncleared for memory of a result, which Keep may be given later: its capacity is that of a size class.
func (r *Reservation) Block(nbytes int) ([]byte, error) {
	if nbytes == 0 {
		return []byte{}, nil
	}
	size, _ := SizeClass(nbytes)
	block, err := r.Uncleared(size)
	if err != nil {
		return nil, err
	}
	return block[:nbytes], nil
}

// allocate returns bytes of the reservation that begin on a multiple of 64.
func (r *Reservation) allocate(nbytes int, alloc func(int) ([]byte, error)) ([]byte, error) {
	if nbytes == 0 {
		return []byte{}, nil
	}
	// Go's size classes align every multiple of 64 to 64 bytes. That is not promised, so check, and shift by hand if it
	// ever changes.
	buf, err := alloc((nbytes+Alignment-1)&^(Alignment-1) + spread(nbytes))
	if err == nil && misaligned(buf) != 0 {
		if buf, err = alloc(nbytes + Alignment); err == nil {
			buf = alignBytes(buf)
		}
	}
	r.take(int64(nbytes))
	if err != nil {
		return nil, err
	}
	if nbytes >= hugeBuffer {
		adviseHugePages(wholePages(buf))
		if limited() { // makes the ends of an unwritten buffer visible: see largestRun
			buf[0], buf[nbytes-1] = 0, 0
		}
	}
	return buf[:nbytes:nbytes], nil
}

// spread returns the number of bytes to leave free after a large buffer. Go allocates large objects one after the
// other, so arrays of 2^24 float32 would start exactly 64 MiB apart, and a loop over four of them would hit the same
// banks of memory: 11.1 ms a pass, and 9.5 ms with 2 MiB between them. If addresses are limited the result is 0, so
// that a buffer fits where one of its size was.
func spread(nbytes int) int {
	if nbytes < hugeBuffer || limited() {
		return 0
	}
	return min(nbytes/32, hugePage) &^ (Alignment - 1)
}

// makeBytes is make, with its panic turned into an error.
func makeBytes(n int) (buf []byte, err error) {
	defer cannot(n, &buf, &err)
	return make([]byte, n), nil
}

// makeUncleared returns bytes that are not zeroed. strings.Builder is the only part of Go's library that provides such
// memory; nothing else refers to it.
func makeUncleared(n int) (buf []byte, err error) {
	defer cannot(n, &buf, &err)
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n), nil
}

// cannot turns a panic of an allocation into an error. It is deferred.
func cannot(n int, buf *[]byte, err *error) {
	if p := recover(); p != nil {
		*buf, *err = nil, fmt.Errorf("%s can't be allocated: %v", byteCount(int64(n)), p)
	}
}

// misaligned returns the bytes by which buf starts past a multiple of 64.
func misaligned(buf []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % Alignment)
}

// alignBytes drops up to 63 leading bytes, so that the rest is aligned.
func alignBytes(buf []byte) []byte {
	if over := misaligned(buf); over != 0 {
		return buf[Alignment-over:]
	}
	return buf
}

// wholePages returns the part of buf that consists of whole 2 MiB pages.
func wholePages(buf []byte) []byte {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(buf)))
	skip := int(-at % hugePage)
	if skip >= len(buf) {
		return nil
	}
	return buf[skip : skip+(len(buf)-skip)/hugePage*hugePage]
}
