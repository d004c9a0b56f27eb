package graph

import (
	"context"
	"time"

	"github.com/stridefuse/stridefuse/runtime"
)

// Progress says how far a run is: the steps that are complete, and the fraction of the work
// by the compiler's estimates of costs.
type Progress = runtime.Progress

const progressEvery = 100 * time.Millisecond

// WithProgress calls observe while the program runs: every 100 ms, and once with Fraction 1
// at the end of a run without error. It is called by the goroutine that called Run, RunInto
// or Call.Run, and with its context; that goroutine computes nothing meanwhile, so observe
// should return soon. It may cancel the context. A panic of observe is the error of the run.
// Runs at the same time call it at the same time. A program without this option does not
// look at the clock.
func WithProgress(observe func(ctx context.Context, p Progress)) Option {
	return func(s *settings) { s.progress = observe }
}
