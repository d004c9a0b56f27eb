package graph

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime"
)

// WithProfile measures the time of each step in every run. Profile returns the times; Explain and WriteHTML show them.
// Samples of a Go CPU profile (runtime/pprof) get the labels "program" and "step". A run then takes about a microsecond
// more for each step, and allocates. Without this option nothing is measured. (Regions of Go's execution tracer, one
// for the program and one for each step, need no option.)
func WithProfile() Option { return func(s *settings) { s.profiled = true } }

// Profile has the mean times of a program's runs, for inputs of the sizes and layouts of the last run.
type Profile struct {
	Runs   int           // number of complete runs
	Time   time.Duration // mean time of a run's steps, without the lookup of its plan
	Steps  []StepProfile // steps, in order
	Limits Limits        // limits of the machine
}

// StepProfile is the time of one step, or of the steps of a row group, which run together block by block.
type StepProfile struct {
	First, Last int           // step numbers, as in Explain
	Time        time.Duration // mean time in one run
	Bytes       int           // bytes read from memory and stored to it, each element once
	// Ops is the number of operations on elements. A multiply-add counts as two, an elementary function as many as its
	// expansion has. It is 0 for steps that only move elements, such as sorts.
	Ops   float64
	DType DType // the type in which most operations compute
}

// GBPerSecond returns the bytes moved per nanosecond. It may exceed memory's rate if operands are in the caches.
func (s StepProfile) GBPerSecond() float64 { return perNano(float64(s.Bytes), s.Time) }

// GFLOPPerSecond returns the operations per nanosecond.
func (s StepProfile) GFLOPPerSecond() float64 { return perNano(s.Ops, s.Time) }

func perNano(n float64, t time.Duration) float64 { return n / float64(max(t, 1)) }

// Profile returns the times of the runs so far. It is nil without WithProfile, and before the first run is complete.
// The first call in a process measures the limits of the machine for the program's number of workers, which takes about
// 200 ms and 100 MB.
func (p *Program) Profile() *Profile {
	b := p.latest()
	if b == nil || b.Times == nil || b.Times.Runs() == 0 {
		return nil
	}
	return &Profile{
		Runs: b.Times.Runs(), Time: b.Times.Mean(), Steps: p.stepProfiles(b),
		Limits: limitsOf(p.compiled.Executor()),
	}
}

func (p *Program) stepProfiles(b *program.Binding) []StepProfile {
	nests, err := p.compiled.ScheduleOf(b, b.Plan) // the tasks that run
	if err != nil {
		panic("BUG: graph: what was scheduled once can be again: " + err.Error())
	}
	var steps []StepProfile
	for i := range nests.Tasks {
		if !nests.Continues(i) {
			steps = append(steps, profileOf(b, &nests.Tasks[i]))
		}
	}
	return steps
}

// profileOf returns the profile of a task.
func profileOf(b *program.Binding, t *nest.Task) StepProfile {
	s := StepProfile{First: t.First, Last: t.Last, Time: b.Times.MeanOf(t.First)}
	most := 0.0
	for i := t.First; i <= t.Last; i++ {
		read, written := b.Plan.Traffic(i)
		s.Bytes += read + written
		ops, dt := operations(&b.Plan.Steps[i])
		if s.Ops += ops; ops >= most {
			most, s.DType = ops, dt
		}
	}
	return s
}

// operations returns the number of operations on elements of a step, and the type in which most of them compute.
func operations(s *plan.Step) (n float64, dt DType) {
	points := 1.0
	for _, a := range s.Axes {
		points *= float64(a.Extent)
	}
	if s.OnLines() { // the op decides how often it compares elements
		return 0, s.OutType(0)
	}
	count := map[DType]int{}
	for _, in := range elementary.Expand(s.Body).Body {
		switch in.Op {
		case ir.OpConst, ir.OpCast, ir.OpBitcast, ir.OpCopy: // only moves elements
		case ir.OpFMA:
			count[in.DType] += 2
		default:
			count[in.DType]++
		}
	}
	for i, o := range s.Out {
		if o.Combine != ir.OpInvalid {
			count[s.OutType(i)]++
		}
	}
	all, most := 0, 0
	for t, c := range count {
		if all += c; c > most || c == most && t < dt {
			most, dt = c, t
		}
	}
	return points * float64(all), dt
}

// String returns the lines that Explain shows about the profile; nil gives none.
func (p *Profile) String() string {
	var b bytes.Buffer
	p.explain(&b)
	return b.String()
}

// explain writes the lines of Explain about a profile; nil gives none.
func (p *Profile) explain(b *bytes.Buffer) {
	if p == nil {
		return
	}
	line(b, "profile", fmt.Sprintf("%s of %v each; %s", plural(p.Runs, "run"), rounded(p.Time), p.Limits), ir.Pos{})
	for _, s := range p.Steps {
		line(b, "", s.text(p), ir.Pos{})
	}
}

// text describes the time of steps, beside the limits of the machine.
func (s StepProfile) text(p *Profile) string {
	return fmt.Sprintf("step %s: %v, %.0f%% of the run; %s", s.Name(), rounded(s.Time), percent(s.Time, p.Time), s.rate(p))
}

// rate describes the rate of steps.
func (s StepProfile) rate(p *Profile) string {
	of := func(speed, limit float64, what string) string {
		if limit == 0 { // that limit was not measured
			return ""
		}
		return fmt.Sprintf(", %.0f%% of %s's", 100*speed/limit, what)
	}
	text := fmt.Sprintf("%.3g GB/s", s.GBPerSecond()) + of(s.GBPerSecond(), p.Limits.MemoryGB, "memory")
	if s.Ops > 0 {
		text += fmt.Sprintf("; %.3g GFLOP/s", s.GFLOPPerSecond()) + of(s.GFLOPPerSecond(), p.Limits.GFLOPs(s.DType), s.DType.String())
	}
	return text
}

// Name returns the numbers of the steps: "3", or "3-5".
func (s StepProfile) Name() string {
	if s.First == s.Last {
		return strconv.Itoa(s.First)
	}
	return fmt.Sprintf("%d-%d", s.First, s.Last)
}

func percent(part, of time.Duration) float64 { return 100 * float64(part) / float64(max(of, 1)) }

// rounded returns a duration to three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// Progress says how far a run is: the number of complete steps, and the fraction of the work by the compiler's cost
// estimates.
type Progress = runtime.Progress

const progressEvery = 100 * time.Millisecond

// WithProgress calls observe while the program runs: every 100 ms, and once with Fraction 1 at the end of a successful
// run. The goroutine that called Run, RunInto or Call.Run calls it, with that call's context, and computes nothing
// meanwhile, so observe should return soon. It may cancel the context. A panic of observe is the error of the run.
// Concurrent runs call it concurrently. A program without this option does not look at the clock.
func WithProgress(observe func(ctx context.Context, p Progress)) Option {
	return func(s *settings) { s.progress = observe }
}
