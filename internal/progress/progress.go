// Package progress prints on standard error how much of a long computation is done. It is for
// commands.
package progress

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const every = 5 * time.Second

// Of returns a function that takes how many of total parts are done. It prints the part that is
// done and an estimate of the time left, at most every five seconds. Any goroutine may call it.
func Of(what string, total int) func(done int) {
	var mu sync.Mutex
	start := time.Now()
	last := start
	return func(done int) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if done <= 0 || now.Sub(last) < every {
			return
		}
		last = now
		part := float64(done) / float64(total)
		left := time.Duration(float64(now.Sub(start)) * (1 - part) / part)
		fmt.Fprintf(os.Stderr, "%s: %.0f%%, %s to go\n", what, 100*part, left.Round(time.Second))
	}
}
