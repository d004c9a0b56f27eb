package builtin

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

func init() {
	abi.Register(abi.ABI1, abi.Portable, []abi.Kernel{
		{Sig: "pack u8", Fn: pack[uint8]},
		{Sig: "pack u16", Fn: pack[uint16]},
		{Sig: "pack u32", Fn: pack[uint32]},
		{Sig: "pack i64", Fn: pack[uint64]},
	})
}

// pack copies rows whose elements are Step[2] bytes apart to rows of contiguous ones.
// The processor's loads do the work: AVX2 has no faster way to gather them.
func pack[T uint8 | uint16 | uint32 | uint64](f *abi.Frame) {
	across := f.Step[2]
	for r := range f.Rows {
		row := unsafe.Slice((*T)(unsafe.Add(f.Ptr[1], r*f.Step[1])), f.Cols)
		from := unsafe.Add(f.Ptr[0], r*f.Step[0])
		for len(row) >= 4 {
			quad := (*[4]T)(row)
			quad[0] = *(*T)(from)
			quad[1] = *(*T)(unsafe.Add(from, across))
			quad[2] = *(*T)(unsafe.Add(from, 2*across))
			quad[3] = *(*T)(unsafe.Add(from, 3*across))
			if row = row[4:]; len(row) > 0 { // no address past the last element
				from = unsafe.Add(from, 4*across)
			}
		}
		for c := range row {
			row[c] = *(*T)(unsafe.Add(from, c*across))
		}
	}
}
