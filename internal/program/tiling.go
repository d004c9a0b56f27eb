package program

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

// When kernels are assembled. Input: the tilings of a schedule. Output: the time that runs may spend in them before they are
// replaced. A tiling loses a part of its time against a kernel, and assembling costs once. Who does not know how many runs
// will follow loses little by waiting until the two are about equal. Times are the estimates of the schedule, so that
// a run adds one number and looks at no clock.

// tiling is a step that is computed by several kernels.
type tiling struct {
	step   int
	kernel string  // the signature of the kernel that would compute it
	nanos  float64 // of a run
	runs   float64 // after how many it is replaced
}

// tilingsOf returns the tilings of a schedule that may be replaced.
func (p *Program) tilingsOf(b *Binding, nests *nest.Program, set *Assembled) (all []tiling) {
	m := p.Machine
	for i := range nests.Tasks {
		t := &nests.Tasks[i]
		for k := range t.Choices {
			c := &t.Choices[k]
			if c.Kernels < 2 || set != nil && set.settled[c.Kernel] {
				continue
			}
			one := tiling{step: t.First + k, kernel: c.Kernel, nanos: max(1, m.Nanos(c.Cost))}
			one.runs = m.TilingTimes * m.AssembleTime(&b.Plan.Steps[t.First+k]) / one.nanos
			all = append(all, one)
		}
	}
	return all
}

// batch is a ratio of runs: with the first tiling that is worth assembling, all tilings are assembled that would be worth it
// within batch times as many runs. Fewer replacements follow, and each of them makes a new schedule.
const batch = 4

// improve has runs of a binding that tile replace tilings when they are worth it.
func (p *Program) improve(b *Binding, l *runtime.Linked, nests *nest.Program, set *Assembled) {
	if !p.Assembles() {
		return
	}
	tilings := p.tilingsOf(b, nests, set)
	if len(tilings) == 0 {
		return
	}
	all, first := 0.0, math.Inf(1)
	for _, t := range tilings {
		all += t.nanos
		first = min(first, t.runs)
	}
	due := slices.DeleteFunc(tilings, func(t tiling) bool { return t.runs > batch*max(1, first) })
	at := int64(min(math.Ceil(first)*all, math.MaxInt64/4))
	if set != nil { // what has been spent was on other tilings
		at += p.assembler.spent.Load()
	}
	b.due.Store(at)
	l.Improve(runtime.Improvement{Nanos: int64(min(all, math.MaxInt64/4)), Spent: &p.assembler.spent, Due: at, Make: func() (*runtime.Linked, bool) {
		return p.better(b, due)
	}})
}

// better returns a binding's program with kernels in place of tilings, or nil. again says that there was no room for some of them.
func (p *Program) better(b *Binding, due []tiling) (l *runtime.Linked, again bool) {
	b.due.Store(0)
	if jit.Off() != nil {
		return nil, false
	}
	set, full, err := p.assemble(b.Plan, due)
	if full { // see runtime.Improvement
		b.due.Store(2 * p.assembler.spent.Load())
	}
	if err != nil || full {
		return nil, full
	}
	nests, err := p.scheduleOn(p.library(set), b.Plan, schedule.Options{})
	if err != nil {
		return nil, false
	}
	if l, err = p.linkWith(b, nests, set); err != nil {
		return nil, false
	}
	if b.Times != nil {
		b.Times.reset()
	}
	return l, false
}
