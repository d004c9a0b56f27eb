//go:build !linux

package memory

// adviseHugePages does nothing: only Linux takes the hint.
func adviseHugePages([]byte) {}

// memoryRoom is not known here; make alone decides.
func memoryRoom() int64 { return unknownMemory }
