package graph

import (
	"math"
	"time"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// WithProfile measures the time of each step in every run. Profile returns the times; Explain and WriteHTML show them.
// Samples of a Go CPU profile (runtime/pprof) get the labels "program" and "step". A run then takes about a microsecond
// more for each step, and allocates. Without this option nothing is measured. (Regions of Go's execution tracer, one
// for the program and one for each step, need no option.)
func WithProfile() Option { return func(s *settings) { s.profiled = true } }

// Profile has the median times of a program's runs, for inputs of the sizes and layouts of the last run. Medians are
// those of the last 64 runs, without the first one of all, which finds nothing in the caches and may compute values of
// constants; if it is the only run they are its times. When kernels assembled at run time replace tilings, the runs
// before are forgotten, and the next run counts as the first.
type Profile struct {
	Runs   int           // number of complete runs, since kernels were last assembled
	First  time.Duration // time of the first run's steps
	Time   time.Duration // median time of a run's steps, without the lookup of its plan
	Steps  []StepProfile // steps, in order
	Limits Limits        // limits of the machine
}

// StepProfile is the time of one step, or of the steps of a row group, which run together block by block.
type StepProfile struct {
	First, Last int           // step numbers, as in Explain
	Time        time.Duration // median time in one run
	Bytes       int           // bytes read from memory and stored to it, each element once
	Local       int           // of one step: bytes read from local memory of its row group and stored there, which stay in the caches
	// Ops is the number of operations on elements. A multiply-add counts as two, an elementary function as many as its
	// expansion has. It is 0 for steps that only move elements, such as sorts.
	Ops     float64
	DType   DType         // the type in which most operations compute
	Packing time.Duration // the part of Time in which elements were only copied, to where kernels read or store them
	Calls   float64       // number of kernel calls, at most
	Line    string        // the line of the first step's source, "main.go:12", or ""
	// Steps are the steps of a row group. Their times are measured in some of its blocks, and divide Time.
	Steps []StepProfile
}

// Bound is the limit of the machine that a step comes closest to.
type Bound string

// The limits. A step may be far from all of them: elements of recurrences and sorts wait for one another.
const (
	ByMemory     Bound = "memory"     // bytes, at the rate of Limits.MemoryGB
	ByArithmetic Bound = "arithmetic" // operations, at the rate of Limits.GFLOPs
	ByPacking    Bound = "packing"    // elements copied to where kernels read them
	ByCalls      Bound = "calls"      // kernel calls: the step is small, or its rows are short
)

// callNanos is the time of a call of a kernel, by which steps are judged. It is an estimate that was not measured.
const callNanos = 25

// bounds are the limits in the order in which ties are broken.
var bounds = [...]Bound{ByMemory, ByArithmetic, ByPacking, ByCalls}

// parts returns, for each of bounds, the part of the step's time that it would take if only that limit held.
func (s StepProfile) parts(l Limits) (parts [len(bounds)]float64) {
	workers := float64(max(1, l.Workers))
	for i, nanos := range [...]float64{float64(s.Bytes) / l.MemoryGB, s.Ops / l.GFLOPs(s.DType), float64(s.Packing), s.Calls * callNanos / workers} {
		if !math.IsInf(nanos, 0) && !math.IsNaN(nanos) { // else the limit was not measured
			parts[i] = nanos / float64(max(s.Time, 1))
		}
	}
	return parts
}

// cachedPart is the least part of memory's limit that says that a step's operands are in the caches. It is more than 1
// because the limit is measured with stores, which also read what they overwrite: a loop that only loads may be a third faster.
const cachedPart = 1.5

// cached reports whether the step's operands are in the caches: see cachedPart, or most of them are local.
func (s StepProfile) cached(l Limits) bool { return s.parts(l)[0] >= cachedPart || s.Local > s.Bytes }

// Bound returns the limit that the step comes closest to on a machine, and which part of the step's time is explained by
// that limit alone: 1 if the step is as fast as the limit allows. Memory does not count if the step moves its bytes at 1.5
// times memory's rate or more, or most of them are local, because they are in the caches then.
func (s StepProfile) Bound(l Limits) (by Bound, part float64) {
	parts := s.parts(l)
	best := 0
	if s.cached(l) {
		best, parts[0] = 1, 0
	}
	for i := range parts {
		if parts[i] > parts[best] {
			best = i
		}
	}
	return bounds[best], parts[best]
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
		Runs: b.Times.Runs(), First: b.Times.First(), Time: b.Times.MedianOfRuns(), Steps: p.stepProfiles(b),
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
		t := &nests.Tasks[i]
		if !nests.Continues(i) {
			steps = append(steps, profileOf(b, t.First, t.Choices))
		}
		s := &steps[len(steps)-1]
		s.Calls += callsOf(t.Parts)
		if t.Last == t.First {
			continue
		}
		for step := t.First; step <= t.Last; step++ {
			one := profileOf(b, step, t.Choices[step-t.First:][:1])
			one.Local, one.Calls = b.Plan.Local(step), callsOf(t.Of(step))
			s.Steps = append(s.Steps, one)
		}
	}
	return steps
}

// profileOf returns the profile of the steps from the first on together, one for each choice, without their calls.
func profileOf(b *program.Binding, first int, choices []nest.Choice) StepProfile {
	last := first + len(choices) - 1
	s := StepProfile{First: first, Last: last, Line: b.Plan.Steps[first].Pos.String(), Time: b.Times.Median(first, last), Packing: b.Times.Copied(first, last)}
	most := 0.0
	for i := first; i <= last; i++ {
		read, written := b.Plan.Traffic(i)
		s.Bytes += read + written
		ops, dt := operations(&b.Plan.Steps[i], &choices[i-first])
		if s.Ops += ops; ops >= most {
			most, s.DType = ops, dt
		}
	}
	return s
}

// callsOf returns the number of calls of nests, at most.
func callsOf(nests []nest.Nest) (calls float64) {
	for _, times := range nest.CallCounts(nests) {
		calls += float64(times)
	}
	return calls
}

// operations returns the number of operations on elements of a step, and the type in which most of them compute.
func operations(s *plan.Step, c *nest.Choice) (n float64, dt DType) {
	points := float64(c.Entries)
	if c.Entries == 0 {
		points = float64(plan.Indices(s.Axes))
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
