package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/stridefuse/stridefuse/ir"
)

// Progress of measurements that take minutes, on standard error.

const progressEvery = 5 * time.Second

// progress returns a function that tells how much of long work is done.
func progress(f *function, dt ir.DType, chunks int) func(done int) {
	var mu sync.Mutex
	start := time.Now()
	last := start
	return func(done int) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) > progressEvery {
			last = now
			part := float64(done) / float64(chunks)
			left := time.Duration(float64(now.Sub(start)) * (1 - part) / part)
			fmt.Fprintf(os.Stderr, "%s %s: %.0f%%, %s to go\n", f.name(), dt.Text(), 100*part, left.Round(time.Second))
		}
	}
}

func quiet(int) {}
