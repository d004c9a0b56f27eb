//go:build race

package runtime

import (
	goruntime "runtime"
	"unsafe"
)

// What runs report to the race detector, in programs that are built with it.

const raceDetector = true

// raceRead reports to the race detector, which does not see into assembly, that a
// run reads n bytes at p.
func raceRead(p unsafe.Pointer, n int) { goruntime.RaceReadRange(p, n) }

// raceWrite reports to the race detector that a run writes n bytes at p.
func raceWrite(p unsafe.Pointer, n int) { goruntime.RaceWriteRange(p, n) }
