//go:build !linux

package memory

// adviseHugePages does nothing: only Linux takes the hint.
func adviseHugePages([]byte) {}

// systemRoom is not known here; make alone decides.
func systemRoom() int64 { return unknownMemory }
