package graph

import (
	"context"
	"time"

	"github.com/stridefuse/stridefuse/runtime"
)

// Progress says how far a run is: the number of complete steps, and the fraction of the work by the compiler's cost
// estimates.
type Progress = runtime.Progress

const progressEvery = 100 * time.Millisecond

// WithProgress calls observe while the program runs: every 100 ms, and once with Fraction 1 at the end of a successful
// run. The first run of a plan that packs constants, or computes values of them, reports that first: Constants is true, and
// Fraction becomes 1 for them too. The goroutine that called Run, RunInto or Call.Run calls it, with that call's context, and computes nothing
// meanwhile, so observe should return soon. It may cancel the context. A panic of observe is the error of the run.
// Concurrent runs call it concurrently. A program without this option does not look at the clock.
func WithProgress(observe func(ctx context.Context, p Progress)) Option {
	return func(s *settings) { s.progress = observe }
}
