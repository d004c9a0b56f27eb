//go:build unix

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/internal/progress"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// The attack on texts. Plans and schedules of programs of every kind are changed, printed and parsed. If the verifier
// accepts one, it runs on memory between pages without access. A failure is a panic, an access to memory that is not
// its own, or a run that does not end soon after its context.

// tally counts the outcomes of the cases.
type tally struct {
	name                         string
	cases, parsed, verified, ran int
	failures                     []string
}

// fail records a failure with its text.
func (t *tally) fail(text, format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...)+"\n"+text)
}

// try calls a function and records a panic.
func (t *tally) try(text, what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			t.fail(text, "%s panics: %v\n%s", what, p, debug.Stack())
		}
	}()
	f()
}

// verifiable is a plan or a schedule.
type verifiable interface {
	fmt.Stringer
	Verify() error
}

// attack changes the plan or schedule of a seed text. If the result parses and verifies, it is passed to use.
func attack[P verifiable](t *tally, random *rand.Rand, seed string, parse func(text string) (P, error), use func(p P, text string)) {
	t.cases++
	p, err := parse(seed)
	if err != nil {
		t.fail(seed, "a seed does not parse: %v", err)
		return
	}
	mutate(random, p)
	text, ok := printed(p)
	if !ok {
		return
	}
	if p, err = parse(text); err != nil {
		return
	}
	t.parsed++
	t.try(text, fmt.Sprintf("%T", p), func() {
		if p.Verify() == nil {
			t.verified++
			use(p, text)
		}
	})
}

// attackPlan changes a plan. If it verifies it is scheduled, and the schedule must verify.
func (t *tally) attackPlan(random *rand.Rand, seed string) {
	attack(t, random, seed, plan.ParsePlan, func(p *plan.Plan, text string) {
		t.evaluate(p)
		machine := attackMachine(random.IntN(2) == 0, 1+random.IntN(3))
		machine.SetVector(32 << random.IntN(2))
		program, err := schedule.Schedule(p, machine, &runtime.Executor{}, schedule.Options{})
		if err != nil {
			return
		}
		if err := program.Verify(); err != nil {
			t.fail(text, "the schedule of a plan that verifies does not: %v\n%s", err, program)
			return
		}
		t.run(random, program, text)
	})
}

// attackNest changes a schedule.
func (t *tally) attackNest(random *rand.Rand, seed string) {
	attack(t, random, seed, nest.Parse, func(p *nest.Program, text string) { t.run(random, p, text) })
}

// printed returns the text of a structure, or "" if it has parts that can't be printed.
func printed(p fmt.Stringer) (text string, ok bool) {
	defer func() { ok = recover() == nil }()
	return p.String(), true
}

// runTime is the time limit of a changed program, whose loops might take years.
const runTime = 20 * time.Millisecond

// run runs a verified program on guarded memory.
func (t *tally) run(random *rand.Rand, p *nest.Program, text string) {
	g := &guarded{atEnd: random.IntN(2) == 0}
	defer g.release()
	e := &runtime.Executor{Workers: 1, Portable: random.IntN(2) == 0, Verify: true, Memory: g.allocate}
	l, err := e.Link(p)
	if err != nil {
		return // a missing kernel, or more memory than an attack may take
	}
	var ins, outs []*tensor.Tensor
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Kind != plan.ParamBuffer && b.Kind != plan.ResultBuffer {
			continue
		}
		x, err := g.tensor(random, b)
		if err != nil {
			return
		}
		if b.Kind == plan.ParamBuffer {
			ins = append(ins, x)
		} else {
			outs = append(outs, x)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	begin := time.Now()
	err = l.Run(ctx, outs, ins)
	switch {
	case err == nil:
		t.ran++
	case strings.Contains(err.Error(), "is outside an axis of"): // elements that are read as indices may be anything
		t.ran++
	case errors.Is(err, context.DeadlineExceeded):
		t.ran++
		if late := time.Since(begin) - runTime; late > time.Second {
			t.fail(text, "a run ends %s after its context", late)
		}
	case !strings.Contains(err.Error(), "more than an attack takes") && !strings.Contains(err.Error(), "of memory there is") && !strings.Contains(err.Error(), "can't be allocated"):
		t.fail(text, "a run that verifies fails: %v", err)
	}
}

// tensor returns a tensor of a buffer on guarded memory.
func (g *guarded) tensor(random *rand.Rand, b *plan.Buffer) (*tensor.Tensor, error) {
	at := layout.RowMajor(b.Shape...)
	if b.At != nil {
		at = *b.At
	}
	lo, hi := at.Bounds()
	elems := max(0, hi-lo+1)
	if elems > mostGuarded/b.DType.Size() {
		return nil, errors.New("too large")
	}
	bytes, err := g.allocate(elems * b.DType.Size())
	if err != nil {
		return nil, err
	}
	fill(random, b.DType, bytes)
	at.Offset -= lo
	return tensor.OfMemory(b.DType, at, bytes), nil
}

// fill sets the elements of memory to zeros, to numbers that rise by one (as indices and offsets of rows may), or to
// any bits.
func fill(random *rand.Rand, d ir.DType, mem []byte) {
	way := random.IntN(3)
	if way == 0 {
		return
	}
	for k := 0; len(mem) > 0; k++ {
		bits := ir.ElementOf(d, k)
		if way == 2 {
			bits = ir.Wrap(d, int64(random.Uint64()))
		}
		if d == ir.Bool {
			bits &= 1
		}
		var word [8]byte
		binary.NativeEndian.PutUint64(word[:], bits)
		mem = mem[copy(mem[:d.Size()], word[:]):]
	}
}

// attackTexts tries a number of cases of each kind of text: graphs, plans and schedules.
func attackTexts(seed uint64, cases int) ([]*tally, error) {
	texts, err := newSeeds()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	graphs, plans, nests := &tally{name: "graphs, evaluated"}, &tally{name: "plans, scheduled and run"}, &tally{name: "schedules, run"}
	tell := progress.Of("changed texts", cases)
	for i := range cases {
		tell(i)
		graphs.attackGraph(random, pick(texts.graphs))
		plans.attackPlan(random, pick(texts.plans))
		nests.attackNest(random, pick(texts.nests))
	}
	return []*tally{graphs, plans, nests}, nil
}
