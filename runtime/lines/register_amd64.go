//go:build amd64 && !purego

package lines

// registerAssembly registers the kernels that are in assembly, or call some.
func registerAssembly() {
	registerGather()
	registerGatherReduce()
	registerRagged()
	registerScatter()
}
