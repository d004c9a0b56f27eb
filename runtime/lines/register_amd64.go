//go:build amd64 && !purego

package lines

import "github.com/stridefuse/stridefuse/ir/kernel"

// registerAssembly registers the kernels among all that are in assembly, or call some.
func registerAssembly(all []*kernel.Micro) {
	registerPlaces(all)
	registerGather()
	registerGatherReduce(all)
	registerBags(all)
	registerRagged(all)
	registerScatter(all)
	registerSorts(all)
	registerSearches(all)
	registerLeaves(all)
}
