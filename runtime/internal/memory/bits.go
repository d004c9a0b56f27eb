package memory

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// LoadBits returns the element of a type at an address, in the low bits.
func LoadBits(dt ir.DType, p unsafe.Pointer) uint64 {
	switch dt.Size() {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	case 8:
		return *(*uint64)(p)
	}
	panic(fmt.Sprintf("BUG: memory: an element of %s has %d bytes", dt, dt.Size()))
}

// StoreBits writes an element of a type, from the low bits, to an address.
func StoreBits(dt ir.DType, p unsafe.Pointer, bits uint64) {
	switch dt.Size() {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 2:
		*(*uint16)(p) = uint16(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	case 8:
		*(*uint64)(p) = bits
	default:
		panic(fmt.Sprintf("BUG: memory: an element of %s has %d bytes", dt, dt.Size()))
	}
}
