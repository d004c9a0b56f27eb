package tensor

import (
	"fmt"
	"slices"
	"unsafe"
)

// Copying of elements between two tensors of one dtype and shape, of any layouts. The result is as if all of the source
// were read before the first write.

// Copy writes the elements of src to dst, which has the same dtype and shape. Both may have any layout, and may
// overlap. If dst repeats a location, the last element written to it stays.
func Copy(dst, src *Tensor) error {
	for _, t := range []*Tensor{dst, src} {
		if err := t.check("copy"); err != nil {
			return err
		}
	}
	if dst.dtype != src.dtype || !slices.Equal(dst.layout.Shape, src.layout.Shape) {
		return fmt.Errorf("copy: dst is %s, src %s: they must be of one dtype and shape", dst.typeText(), src.typeText())
	}
	if dst.Size() == 0 {
		return nil
	}
	if Overlaps(dst, src) {
		if src = src.copied("copy: dst overlaps src"); src.err != nil {
			return src.err
		}
	}
	if dst.IsRowMajor() {
		src.gather(dst.Pointer())
		return nil
	}
	from, to := src.addr(src.layout.Offset), dst.addr(dst.layout.Offset)
	switch dst.dtype.Size() {
	case 1:
		copyAxis[uint8](dst, src, 0, to, from)
	case 2:
		copyAxis[uint16](dst, src, 0, to, from)
	case 4:
		copyAxis[uint32](dst, src, 0, to, from)
	case 8:
		copyAxis[uint64](dst, src, 0, to, from)
	default:
		panic(fmt.Sprintf("BUG: tensor: an element of %s has %d bytes", dst.dtype, dst.dtype.Size()))
	}
	return nil
}

// copyAxis copies the elements at two addresses, from an axis on.
func copyAxis[U any](dst, src *Tensor, axis int, to, from unsafe.Pointer) {
	if axis == dst.Rank() {
		*(*U)(to) = *(*U)(from)
		return
	}
	size := int(unsafe.Sizeof(*new(U)))
	toStep, fromStep := dst.layout.Strides[axis]*size, src.layout.Strides[axis]*size
	for i := range dst.layout.Shape[axis] {
		copyAxis[U](dst, src, axis+1, unsafe.Add(to, i*toStep), unsafe.Add(from, i*fromStep))
	}
}
