package runtime

import (
	goruntime "runtime"
	"time"
)

// looks is how often watch looks before it reads the clock and lets others run:
// some microseconds.
const looks = 1000

var epoch = time.Now()

// clock returns nanoseconds since some time.
func clock() int64 { return int64(time.Since(epoch)) }

// watch looks whether something has come until it has, but not much longer than so
// many nanoseconds. It parks nobody and keeps no goroutine from running.
func watch(long int64, come func() bool) bool {
	if come() || long <= 0 {
		return come()
	}
	for begin := clock(); ; goruntime.Gosched() {
		for range looks {
			if come() {
				return true
			}
		}
		if clock()-begin >= long {
			return false
		}
	}
}
