package program

import (
	"sync/atomic"
	"time"
)

// Times sums up the times of a binding's steps.
type Times struct {
	runs  atomic.Int64
	total []atomic.Int64 // nanoseconds, by the first step of each task
}

func newTimes(steps int) *Times { return &Times{total: make([]atomic.Int64, steps)} }

// add adds the times of a run.
func (t *Times) add(took []time.Duration) {
	for i, d := range took {
		t.total[i].Add(int64(d))
	}
	t.runs.Add(1)
}

// Runs returns the number of complete runs.
func (t *Times) Runs() int { return int(t.runs.Load()) }

// MeanOf returns the mean time of the task that begins with a step.
func (t *Times) MeanOf(step int) time.Duration {
	return time.Duration(t.total[step].Load() / max(1, t.runs.Load()))
}

// Mean returns the mean time of a run.
func (t *Times) Mean() (sum time.Duration) {
	for i := range t.total {
		sum += t.MeanOf(i)
	}
	return sum
}
