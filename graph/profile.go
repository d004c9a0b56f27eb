package graph

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// WithProfile measures how long each step takes, in every run: Profile returns the times,
// and Explain and WriteHTML show them. The samples of a CPU profile of Go's (runtime/pprof)
// get the labels "program" and "step". A run then takes about a microsecond more for each
// step, and allocates. A program without this option measures nothing. (Regions of Go's
// execution tracer, one for the program and one for each step, need no option: they are
// there while runtime/trace is on.)
func WithProfile() Option { return func(s *settings) { s.profiled = true } }

// Profile is what the runs of a program took, with inputs of the sizes and layouts of the
// last run.
type Profile struct {
	Runs   int           // complete ones
	Time   time.Duration // of one run, the mean: that of its steps, without looking up its plan
	Steps  []StepProfile // in order
	Limits Limits        // of the machine
}

// StepProfile is what steps took that run together: one, or those of a row group, which
// take a block of rows through all of them.
type StepProfile struct {
	First, Last int           // steps, as Explain numbers them
	Time        time.Duration // in one run, the mean
	Bytes       int           // read from memory and stored to it, each element once
	// Ops counts operations on elements: those of elementary functions as their expansions
	// have them, a multiply-add as two. It is 0 for what only moves elements, as sorts.
	Ops   float64
	DType DType // that most operations compute in
}

// GBPerSecond returns the bytes moved for each nanosecond. It is above what memory can do
// where operands are in the caches.
func (s StepProfile) GBPerSecond() float64 { return perNano(float64(s.Bytes), s.Time) }

// GFLOPPerSecond returns the operations for each nanosecond.
func (s StepProfile) GFLOPPerSecond() float64 { return perNano(s.Ops, s.Time) }

func perNano(n float64, t time.Duration) float64 { return n / float64(max(t, 1)) }

// Profile returns what runs took so far. It is nil without WithProfile, and before the
// first run is complete. The first call of a process measures the limits of the machine,
// for as many workers as the program has, which takes some 200 ms and 100 MB.
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
	nests, err := p.compiled.Schedule(b.Plan) // what runs
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

// operations returns how many operations on elements a step has, and the type that most of
// them compute in.
func operations(s *plan.Step) (n float64, dt DType) {
	points := 1.0
	for _, a := range s.Axes {
		points *= float64(a.Extent)
	}
	if s.OnLines() { // its op decides how often it compares elements
		return 0, s.OutType(0)
	}
	count := map[DType]int{}
	for _, in := range elementary.Expand(s.Body).Body {
		switch in.Op {
		case ir.OpConst, ir.OpCast, ir.OpBitcast, ir.OpCopy: // moves
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

// String returns the lines that Explain has about the profile; nil has none.
func (p *Profile) String() string {
	var b bytes.Buffer
	p.explain(&b)
	return b.String()
}

// explain writes the lines of Explain about a profile, none about nil.
func (p *Profile) explain(b *bytes.Buffer) {
	if p == nil {
		return
	}
	line(b, "profile", fmt.Sprintf("%s of %v each; %s", plural(p.Runs, "run"), rounded(p.Time), p.Limits), ir.Pos{})
	for _, s := range p.Steps {
		line(b, "", s.text(p), ir.Pos{})
	}
}

// text says what a step took, beside the limits of the machine.
func (s StepProfile) text(p *Profile) string {
	return fmt.Sprintf("step %s: %v, %.0f%% of the run; %s", s.Name(), rounded(s.Time), percent(s.Time, p.Time), s.rate(p))
}

// rate says how fast steps were.
func (s StepProfile) rate(p *Profile) string {
	of := func(speed, limit float64, what string) string {
		if limit == 0 { // it is not measured
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
