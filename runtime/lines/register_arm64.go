//go:build !purego

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// rowEngine is the engine of the built-in kernels that combine rows.
const rowEngine = abi.NEON

// registerAssembly registers the kernels among all that call assembly.
func registerAssembly(all []*kernel.Micro) {
	registerGather()
	registerGatherReduce(all)
	registerRagged(all)
	registerScatter(all)
}

// isBag reports false: built-in kernels add rows of floats, too.
func isBag(*kernel.Micro) bool { return false }

// isFar reports false, so that no rows are prefetched: what that gains has not been measured.
func isFar(step, rows int) bool { return false }

func prefetchRows(table, index unsafe.Pointer, tableStep, across, n, lines int) {}
