//go:build amd64 && !purego

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// rowEngine is the engine of the built-in kernels that combine rows.
const rowEngine = abi.AVX2

// farBytes is the size of the smallest table whose rows are prefetched. Zen 4, a last-level cache of 32 MB: rows of 64 bytes take a
// third of the time from 8 MB on, and the same time with 4 MB.
const farBytes = 8 << 20

// isFar reports whether a table with the given number of rows and step between them is too large for the caches.
func isFar(step, rows int) bool { return max(step, -step) >= farBytes/max(1, rows) }

// prefetchRows prefetches the given number of cache lines of each of n rows. Indices may be any numbers: a prefetch never
// faults.
//
//go:noescape
func prefetchRows(table, index unsafe.Pointer, tableStep, across, n, lines int)
