package runtime

import (
	goruntime "runtime"
	"time"
)

// looksAtOnce is how often watch looks before it reads the clock and lets others
// run: a microsecond, more where it looks at much.
const looksAtOnce = 200

var epoch = time.Now()

// clock returns nanoseconds since some time.
func clock() int64 { return int64(time.Since(epoch)) }

// watch looks whether something has come until it has, but not much longer than so
// many nanoseconds. It parks nobody, and lets other goroutines run now and then.
func watch(long int64, come func() bool) bool {
	if come() {
		return true
	}
	if long <= 0 {
		return false
	}
	for begin := clock(); ; goruntime.Gosched() {
		for range looksAtOnce {
			if come() {
				return true
			}
		}
		if clock()-begin >= long {
			return false
		}
	}
}
