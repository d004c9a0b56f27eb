// Package progress prints the progress of a long command on standard error.
package progress

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const every = 5 * time.Second

// Of returns a function to call with the number of finished parts, out of total. It prints the percentage and an
// estimate of the time left, at most every five seconds. Any goroutine may call it.
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
