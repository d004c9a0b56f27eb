//go:build !linux

package memory

// adviseHugePages does nothing: only Linux takes the hint.
func adviseHugePages([]byte) {}

// systemRoom is not known here; make alone decides.
func systemRoom() int64 { return unknownMemory }

// spaceLeft is not known here.
func spaceLeft() int64 { return unknownMemory }

// largestRun is asked only if spaceLeft is known.
func largestRun(int64) int64 { return 0 }
