package runtime_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

func init() { portable.Register() } // programs with assembly link none of its loops

// How a test runs a plan: its text, or that of a graph, becomes nests, an Executor links
// them, and what they compute is compared with eval.Plan. Nests that are written by hand
// are compared with nest.Eval. All operands are at odd addresses, and the words round the
// outputs must stay.

// sized returns a text with the numbers in place of the names.
func sized(text string, namesAndNumbers ...any) string {
	var pairs []string
	for _, x := range namesAndNumbers {
		pairs = append(pairs, fmt.Sprint(x))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// parsed returns the plan of a text.
func parsed(t require.TestingT, text string) *plan.Plan {
	p, err := plan.ParsePlan(text)
	require.NoError(t, err, text)
	require.NoError(t, p.Verify(), text)
	return p
}

// lowered returns the plan of a graph's text.
func lowered(t require.TestingT, text string) *plan.Plan {
	f, err := ir.Parse(text)
	require.NoError(t, err, text)
	p, err := passes.Lower(f, passes.Options{})
	require.NoError(t, err, text)
	return p
}

// linked returns a plan, scheduled for an executor and linked by it.
func linked(t require.TestingT, e *runtime.Executor, p *plan.Plan) *runtime.Linked {
	l, err := e.Link(scheduled(t, e, p, schedule.Options{}))
	require.NoError(t, err)
	return l
}

// scheduled returns the nests of a plan.
func scheduled(t require.TestingT, e *runtime.Executor, p *plan.Plan, o schedule.Options) *nest.Program {
	m := e.Machine()
	program, err := schedule.Schedule(p, m, e, o)
	require.NoError(t, err)
	return program
}

var long = flag.Bool("long", false, "check the schedules of large plans by their expressions too")

// checkPlan runs a plan in all ways and compares with its definition.
func checkPlan(t require.TestingT, p *plan.Plan) {
	checkPlanOn(t, p, randomInputs(p.Buffers))
}

func checkPlanOn(t require.TestingT, p *plan.Plan, inputs []eval.Array) {
	want, err := eval.Plan(p, inputs)
	require.NoError(t, err, p)
	elements := 0
	for i := range p.Buffers {
		elements += p.Buffers[i].Size()
	}
	checked := map[string]bool{} // by the text of a schedule
	tilings := schedule.Options{TilingOnly: true}
	for name, way := range map[string]struct {
		*runtime.Executor
		schedule.Options
	}{
		"default":       {Executor: &runtime.Executor{}},
		"one worker":    {Executor: &runtime.Executor{Workers: 1}},
		"five workers":  {Executor: &runtime.Executor{Workers: 5}},
		"small chunks":  {Executor: &runtime.Executor{Workers: 3, Tuning: irtest.Machine(700)}},
		"portable":      {Executor: &runtime.Executor{Workers: 2, Portable: true}},
		"tilings":       {&runtime.Executor{}, tilings},
		"small tilings": {&runtime.Executor{Workers: 2, Tuning: irtest.Machine(90)}, tilings},
		"verified":      {Executor: &runtime.Executor{Verify: true}},
		"every kernel":  {Executor: with(anyKernel, &runtime.Executor{Workers: 1})},
	} {
		program := scheduled(t, way.Executor, p, way.Options)
		if text := program.String(); !checked[text] && (elements < 20_000 || *long) { // package schedule checks all its strategies
			require.NoError(t, eval.CheckTranslation(p, program, inputs), "%s\n%s\n%s", name, p, program)
			checked[text] = true
		}
		l, err := way.Link(program)
		require.NoError(t, err, "%s\n%s", name, program)
		checkRuns(t, l, p.Buffers, inputs, want, name)
	}
}

// checkNests runs nests on several executors and compares with their definition.
func checkNests(t require.TestingT, p *nest.Program) {
	inputs := randomInputs(p.Buffers)
	want := evaluated(t, p, inputs)
	for name, e := range map[string]*runtime.Executor{
		"default":      with(orAnyKernel, &runtime.Executor{}),
		"one worker":   with(orAnyKernel, &runtime.Executor{Workers: 1}),
		"each block":   with(orAnyKernel, &runtime.Executor{Workers: 4, Tuning: irtest.Machine(1)}),
		"chunks":       with(orAnyKernel, &runtime.Executor{Workers: 3, Tuning: irtest.Machine(1000)}),
		"portable":     with(orAnyKernel, &runtime.Executor{Portable: true}),
		"by reference": with(anyKernel, &runtime.Executor{}),
	} {
		l, err := e.Link(p)
		require.NoError(t, err, "%s\n%s", name, p)
		checkRuns(t, l, p.Buffers, inputs, want, name)
	}
}

// evaluated returns the results of nests by their definition.
func evaluated(t require.TestingT, p *nest.Program, inputs []eval.Array) []eval.Array {
	out, err := eval.Nests(p, inputs)
	require.NoError(t, err, p)
	return out
}

// checkRuns runs a program several times and compares with what is wanted, any NaN for
// any other.
func checkRuns(t require.TestingT, l *runtime.Linked, buffers []plan.Buffer, inputs, want []eval.Array, note string) {
	ins := tensorsOf(t, buffers, inputs)
	for round := range 2 {
		require.NoError(t, l.Poison())
		outs, untouched := guarded(t, buffers)
		require.NoError(t, l.Run(context.Background(), outs, ins), note)
		if diff := irtest.Diff(want, arraysOf(outs)); diff != "" {
			require.FailNow(t, diff, "%s, run %d", note, round)
		}
		require.True(t, untouched(), "%s, run %d: stored round an output", note, round)
	}
}

// operands returns random inputs of a program as tensors, and tensors for its results.
func operands(t require.TestingT, buffers []plan.Buffer) (outs, ins []*tensor.Tensor) {
	outs, _ = guarded(t, buffers)
	return outs, tensorsOf(t, buffers, randomInputs(buffers))
}

// randomInputs returns elements for the params, some of them special.
func randomInputs(buffers []plan.Buffer) []eval.Array {
	rng := rand.New(rand.NewPCG(3, 4))
	var inputs []eval.Array
	for i := range buffers {
		if b := &buffers[i]; b.Kind == plan.ParamBuffer {
			a := eval.Array{DType: b.DType, Shape: b.Shape, Data: make([]uint64, b.Size())}
			for k := range a.Data {
				a.Data[k] = randomElement(rng, b.DType)
			}
			inputs = append(inputs, a)
		}
	}
	return inputs
}

func randomElement(rng *rand.Rand, dt ir.DType) uint64 {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1}
	v := rng.NormFloat64() * 10
	if n := rng.IntN(40); n < len(special) {
		v = special[n]
	}
	switch {
	case dt == ir.Bool:
		return rng.Uint64N(2)
	case ir.Floats.Has(dt):
		return ir.FromFloat(dt, v)
	}
	return ir.Wrap(dt, rng.Int64N(40)-20)
}

func layoutOf(b *plan.Buffer) layout.Layout {
	if b.At != nil {
		return *b.At
	}
	return layout.RowMajor(b.Shape...)
}

// guard is how many elements round an output must stay as they are.
const guard = 41

// unwritten is what each byte of them is, and of an output that nothing has stored: as in
// nest.Eval.
const unwritten = 0xff

// guarded returns tensors for the results, at odd addresses, and a function that reports
// whether the memory round them is as it was.
func guarded(t require.TestingT, buffers []plan.Buffer) (outs []*tensor.Tensor, untouched func() bool) {
	var guards [][]byte
	for i := range buffers {
		b := &buffers[i]
		if b.Kind != plan.ResultBuffer {
			continue
		}
		bytes, around := b.Size()*b.DType.Size(), (guard+b.Index)*b.DType.Size()
		whole := allocate(t, b.DType, b.Size()+2*(guard+b.Index))
		for k := range whole {
			whole[k] = unwritten
		}
		guards = append(guards, whole[:around], whole[around+bytes:])
		outs = append(outs, tensor.Over(b.DType, layout.RowMajor(b.Shape...), unsafe.Pointer(&whole[around])))
	}
	return outs, func() bool {
		for _, bytes := range guards {
			for _, v := range bytes {
				if v != unwritten {
					return false
				}
			}
		}
		return true
	}
}

// tensorsOf returns the inputs as tensors of the params' layouts, at odd addresses.
func tensorsOf(t require.TestingT, buffers []plan.Buffer, inputs []eval.Array) []*tensor.Tensor {
	var ins []*tensor.Tensor
	for i := range buffers {
		b := &buffers[i]
		if b.Kind != plan.ParamBuffer {
			continue
		}
		l := layoutOf(b)
		_, hi := l.Bounds()
		whole := allocate(t, b.DType, max(0, hi)+3)
		x := tensor.Over(b.DType, l, unsafe.Pointer(&whole[b.DType.Size()]))
		k := 0
		for at := range l.All() {
			memory.StoreBits(b.DType, addr(x, at), inputs[b.Index].Data[k])
			k++
		}
		ins = append(ins, x)
	}
	return ins
}

func allocate(t require.TestingT, dt ir.DType, elems int) []byte {
	whole, err := memory.Allocate(elems * dt.Size())
	require.NoError(t, err)
	return whole
}

// arraysOf returns the elements of tensors.
func arraysOf(tensors []*tensor.Tensor) []eval.Array {
	var out []eval.Array
	for _, x := range tensors {
		a := eval.Array{DType: x.DType(), Shape: x.Shape()}
		for at := range x.Layout().All() {
			a.Data = append(a.Data, loadElement(x.DType(), addr(x, at)))
		}
		out = append(out, a)
	}
	return out
}

// addr returns the address of a location of a tensor.
func addr(t *tensor.Tensor, at int) unsafe.Pointer {
	dt, _, base := t.Parts()
	return unsafe.Add(base, at*dt.Size())
}

// loadElement reads an element as the lane ops of ir take it.
func loadElement(dt ir.DType, p unsafe.Pointer) uint64 {
	bits := memory.LoadBits(dt, p)
	if ir.Complements.Has(dt) {
		return ir.Wrap(dt, int64(bits))
	}
	return bits
}
