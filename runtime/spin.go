package runtime

import (
	goruntime "runtime"
	"time"
)

// spinBatch is the number of times that spin evaluates its condition before it reads the clock and yields: about a microsecond.
const spinBatch = 200

var epoch = time.Now()

// clock returns the nanoseconds since the process began.
func clock() int64 { return int64(time.Since(epoch)) }

// spin evaluates a condition until it holds, for about timeout nanoseconds, and reports
// whether it held. It never parks, and yields to other goroutines now and then.
func spin(timeout int64, holds func() bool) bool {
	if holds() {
		return true
	}
	if timeout <= 0 {
		return false
	}
	for begin := clock(); ; goruntime.Gosched() {
		for range spinBatch {
			if holds() {
				return true
			}
		}
		if clock()-begin >= timeout {
			return false
		}
	}
}
