//go:build amd64 && !purego

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Binary searches of vectors: search_amd64.h.

// searchKey selects a searcher: by size of elements and op.
type searchKey struct {
	size   int
	floats bool
	op     ir.Op
}

// searcher is the function of a vectorSearch.
type searcher = func(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

var searchersAVX2 = map[searchKey]searcher{
	{4, true, ir.OpSearchSorted}: searchFloat32, {4, true, ir.OpSearchSortedRight}: searchFloat32Right,
	{8, true, ir.OpSearchSorted}: searchFloat64, {8, true, ir.OpSearchSortedRight}: searchFloat64Right,
	{4, false, ir.OpSearchSorted}: searchInt32, {4, false, ir.OpSearchSortedRight}: searchInt32Right,
	{8, false, ir.OpSearchSorted}: searchInt64, {8, false, ir.OpSearchSortedRight}: searchInt64Right,
}

// registerSearches registers the kernels among all that search.
func registerSearches(all []*kernel.Micro) {
	var avx2, avx512 []abi.Kernel
	for _, m := range all {
		if m.Kind != kernel.Search {
			continue
		}
		size := m.Type.Size()
		key, turn := searchKey{size, ir.Floats.Has(m.Type), m.Op}, uint64(0)
		if !ir.Signed.Has(m.Type) {
			turn = 1 << (8*size - 1)
		}
		if find := searchersAVX2[key]; find != nil {
			avx2 = append(avx2, abi.Kernel{Sig: m.Signature(), Fn: searchOf(m, vectorSearch{find, abi.AVX2.Vector() / size, turn})})
		}
		if find := searchersAVX512[key]; find != nil {
			avx512 = append(avx512, abi.Kernel{Sig: m.Signature(), Fn: searchOf(m, vectorSearch{find, abi.AVX512.Vector() / size, turn})})
		}
	}
	abi.RegisterBuiltin(abi.AVX2, avx2)
	abi.RegisterBuiltin(abi.AVX512, avx512)
}

//go:noescape
func searchFloat32(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchFloat32Right(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchFloat64(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchFloat64Right(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt32(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt32Right(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt64(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)

//go:noescape
func searchInt64Right(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)
