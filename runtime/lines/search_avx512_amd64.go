//go:build amd64 && !purego && !noavx512

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

var searchersAVX512 = map[searchKey]searcher{
	{4, true, ir.OpSearchSorted}: searchFloat32AVX512, {4, true, ir.OpSearchSortedRight}: searchFloat32RightAVX512,
	{8, true, ir.OpSearchSorted}: searchFloat64AVX512, {8, true, ir.OpSearchSortedRight}: searchFloat64RightAVX512,
	{4, false, ir.OpSearchSorted}: searchInt32AVX512, {4, false, ir.OpSearchSortedRight}: searchInt32RightAVX512,
	{8, false, ir.OpSearchSorted}: searchInt64AVX512, {8, false, ir.OpSearchSortedRight}: searchInt64RightAVX512,
}

//go:noescape
func searchFloat32AVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchFloat32RightAVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchFloat64AVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchFloat64RightAVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt32AVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt32RightAVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt64AVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt64RightAVX512(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)
