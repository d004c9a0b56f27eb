package binfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// BigEndian reports whether this machine stores the most significant byte first.
var BigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// NumBytes returns the bytes of an array's elements. It returns an error if they overflow int, an extent is negative,
// there are too many axes, or the element type has no kernels.
func NumBytes(dt graph.DType, shape []int) (int, error) {
	if err := dt.Check(); err != nil {
		return 0, err
	}
	if len(shape) > layout.MaxRank {
		return 0, fmt.Errorf("%d axes: there can be %d", len(shape), layout.MaxRank)
	}
	n, err := layout.NumElems(shape)
	if err != nil {
		return 0, err
	}
	if n > math.MaxInt/dt.Size() {
		return 0, fmt.Errorf("%s takes %d times %d bytes, which passes int", tensor.TypeText(dt, shape), n, dt.Size())
	}
	return n * dt.Size(), nil
}

// Tensor returns the tensor whose elements are data, without a copy: contiguous, in row-major or column-major order as
// the layout says. The elements have this machine's byte order and may be at any address.
func Tensor(dt graph.DType, l layout.Layout, data []byte) (*graph.Tensor, error) {
	if err := check(dt, l, data); err != nil {
		return nil, err
	}
	return tensor.Over(dt, l, unsafe.Pointer(unsafe.SliceData(data))), nil
}

// check returns an error unless data has the size of the tensor's elements.
func check(dt graph.DType, l layout.Layout, data []byte) error {
	n, err := NumBytes(dt, l.Shape)
	if err != nil {
		return err
	}
	if n != len(data) {
		return fmt.Errorf("%s takes %d bytes, there are %d", tensor.TypeText(dt, l.Shape), n, len(data))
	}
	if dt == graph.Bool {
		if i := slices.IndexFunc(data, func(b byte) bool { return b > 1 }); i >= 0 {
			return fmt.Errorf("element %d is no bool: its byte is %d", i, data[i])
		}
	}
	return nil
}

// firstBlock is the size of the memory that Read allocates before it has seen a byte.
const firstBlock = 16 << 20

// Read reads n bytes into aligned memory. The memory grows with the bytes that r returns, so a wrong n does no harm.
func Read(r io.Reader, n int) ([]byte, error) {
	var buf []byte
	for {
		next, err := graph.Data[uint8](graph.New(graph.Uint8, min(n, max(firstBlock, 2*len(buf)))))
		if err != nil {
			return nil, err
		}
		have := copy(next, buf)
		buf = next
		got, err := io.ReadFull(r, buf[have:])
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("the data ends after %d of %d bytes", have+got, n)
		case err != nil:
			return nil, err
		case len(buf) == n:
			return buf, nil
		}
	}
}

// Write writes the elements in row-major order, little-endian.
func Write(w io.Writer, t *graph.Tensor) error {
	if err := t.Err(); err != nil {
		return err
	}
	t = t.Contiguous()
	if err := t.Err(); err != nil {
		return err
	}
	data := unsafe.Slice((*byte)(t.Pointer()), t.Bytes())
	if BigEndian {
		data = slices.Clone(data)
		Swap(data, t.DType().Size())
	}
	_, err := w.Write(data)
	return err
}

// Swap reverses the bytes of each element of the given size.
func Swap(data []byte, size int) {
	if size == 1 {
		return
	}
	for element := range slices.Chunk(data, size) {
		slices.Reverse(element)
	}
}

// Memory returns the bytes of a row-major tensor in this machine's byte order, without a copy.
func Memory(t *graph.Tensor) []byte { return unsafe.Slice((*byte)(t.Pointer()), t.Bytes()) }
