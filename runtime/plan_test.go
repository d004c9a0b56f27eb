package runtime

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// planMaker writes plans by hand.
type planMaker struct {
	plan plan.Plan
	next [4]int
}

func (m *planMaker) buffer(b plan.Buffer) int {
	b.Index = m.next[b.Kind]
	m.next[b.Kind]++
	b.Name = fmt.Sprintf("b%d", len(m.plan.Buffers))
	m.plan.Buffers = append(m.plan.Buffers, b)
	return len(m.plan.Buffers) - 1
}

func (m *planMaker) param(dt ir.DType, shape ...int) int {
	return m.buffer(plan.Buffer{Kind: plan.ParamBuffer, DType: dt, Shape: shape})
}

func (m *planMaker) paramAt(dt ir.DType, l layout.Layout) int {
	return m.buffer(plan.Buffer{Kind: plan.ParamBuffer, DType: dt, Shape: l.Shape, At: &l})
}

func (m *planMaker) result(dt ir.DType, shape ...int) int {
	return m.buffer(plan.Buffer{Kind: plan.ResultBuffer, DType: dt, Shape: shape})
}

func (m *planMaker) constant(dt ir.DType, bits uint64) int {
	return m.buffer(plan.Buffer{Kind: plan.ConstBuffer, DType: dt, Bits: bits})
}

// temp makes a temporary; with inPlaceOf >= 0 it lies where that buffer does.
func (m *planMaker) temp(dt ir.DType, inPlaceOf int, shape ...int) int {
	b := plan.Buffer{Kind: plan.TempBuffer, DType: dt, Shape: shape, Offset: m.plan.Arena}
	if inPlaceOf >= 0 {
		b.Offset = m.plan.Buffers[inPlaceOf].Offset
	}
	m.plan.Arena = max(m.plan.Arena, b.Offset+(b.Size()*dt.Size()+63)/64*64)
	return m.buffer(b)
}

// step appends a step in blocks of rows x cols.
func (m *planMaker) step(k *kernel.Kernel, extents []int, rows, cols int, operands ...plan.Access) {
	canon, order := k.Canonical()
	all := []plan.Access{}
	for _, from := range order {
		all = append(all, operands[from])
	}
	all = append(all, operands[len(k.In):]...)
	m.plan.Steps = append(m.plan.Steps, plan.FlatStep{Kernel: canon, Extents: extents, Operands: all, Rows: rows, Cols: cols})
}

func access(buffer, offset int, strides ...int) plan.Access {
	return plan.Access{Buffer: buffer, Offset: offset, Strides: strides}
}

func unit(dt ir.DType) kernel.Operand  { return kernel.Operand{DType: dt} }
func splat(dt ir.DType) kernel.Operand { return kernel.Operand{DType: dt, Splat: true} }

// fiveOps is y = (a*b+c)*a - b/(abs(c)+1).
func fiveOps() *kernel.Kernel {
	b := kernel.NewBuilder(unit(ir.Float32), unit(ir.Float32), unit(ir.Float32), splat(ir.Float32))
	left := b.Op(ir.OpMul, b.Op(ir.OpAdd, b.Op(ir.OpMul, 0, 1), 2), 0)
	b.Store(b.Op(ir.OpSub, left, b.Op(ir.OpDiv, 1, b.Op(ir.OpAdd, b.Op(ir.OpAbs, 2), 3))))
	return b.Kernel()
}

// fiveOpsPlan runs fiveOps over vectors of n elements.
func fiveOpsPlan(n, cols int) *plan.Plan {
	var m planMaker
	one := m.constant(ir.Float32, uint64(math.Float32bits(1)))
	a, b, c := m.param(ir.Float32, n), m.param(ir.Float32, n), m.param(ir.Float32, n)
	m.step(fiveOps(), []int{1, n}, 1, cols,
		access(a, 0, 0, 1), access(b, 0, 0, 1), access(c, 0, 0, 1), access(one, 0, 0, 0),
		access(m.result(ir.Float32, n), 0, 0, 1))
	return &m.plan
}

// loadElement reads an element as ir's lane ops take it.
func loadElement(dt ir.DType, p unsafe.Pointer) uint64 {
	bits := memory.LoadBits(dt, p)
	if ir.Signed.Has(dt) && dt.Size() == 4 {
		return uint64(int64(int32(bits)))
	}
	return bits
}

// fill gives a tensor random elements, some of them special.
func fill(rng *rand.Rand, t *tensor.Tensor) {
	for at := range t.Layout().All() {
		memory.StoreBits(t.DType(), addr(t, at), randomElement(rng, t.DType()))
	}
}

func randomElement(rng *rand.Rand, dt ir.DType) uint64 {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1}
	v := rng.NormFloat64() * 10
	if n := rng.IntN(20); n < len(special) {
		v = special[n]
	}
	switch {
	case dt == ir.Bool:
		return rng.Uint64N(2)
	case ir.Floats.Has(dt):
		return ir.FromFloat(dt, v)
	}
	return uint64(rng.Int64N(40) - 20)
}

// operandsFor makes random inputs and zeroed outputs for a plan.
func operandsFor(t require.TestingT, rng *rand.Rand, p *plan.Plan) (outs, ins []*tensor.Tensor) {
	for _, b := range p.Buffers {
		l := layout.RowMajor(b.Shape...)
		if b.At != nil {
			l = *b.At
		}
		_, hi := l.Bounds()
		whole := tensor.New(b.DType, max(0, hi+1))
		require.NoError(t, whole.Err())
		x := tensor.Over(b.DType, l, whole.Pointer())
		switch b.Kind {
		case plan.ParamBuffer:
			fill(rng, whole)
			ins = append(ins, x)
		case plan.ResultBuffer:
			outs = append(outs, x)
		}
	}
	return outs, ins
}

// reference computes a plan by its definition, every buffer in memory of its
// own, one element after another.
func reference(p *plan.Plan, ins []*tensor.Tensor) [][]uint64 {
	data := make([][]uint64, len(p.Buffers))
	for i, b := range p.Buffers {
		data[i] = make([]uint64, b.Size())
		switch b.Kind {
		case plan.ConstBuffer:
			data[i] = []uint64{b.Bits}
		case plan.IotaBuffer:
			for k := range data[i] {
				data[i][k] = ir.ElementOf(b.DType, k)
			}
		case plan.ParamBuffer:
			x := ins[b.Index]
			_, hi := x.Layout().Bounds()
			data[i] = make([]uint64, max(0, hi+1))
			for at := range x.Layout().All() {
				data[i][at] = loadElement(b.DType, addr(x, at))
			}
		}
	}
	for i := range p.Steps {
		if g := groupOf(p, i); g == nil {
			referenceStep(&p.Steps[i], data)
		} else if i == g.First {
			referenceGroup(p, g, data)
		}
	}
	var results [][]uint64
	for i, b := range p.Buffers {
		if b.Kind == plan.ResultBuffer {
			results = append(results, data[i])
		}
	}
	return results
}

// requireResults compares outs with the reference, any NaN for any other.
func requireResults(t require.TestingT, want [][]uint64, outs []*tensor.Tensor, note string) {
	for i, x := range outs {
		for k, bits := range want[i] {
			var w uint64
			memory.StoreBits(x.DType(), unsafe.Pointer(&w), bits)
			p := addr(x, x.Layout().Offset+k)
			if !sameElement(x.DType(), unsafe.Pointer(&w), p) {
				require.FailNow(t, fmt.Sprintf("%s: output %d element %d: got %x want %x", note, i, k, memory.LoadBits(x.DType(), p), bits))
			}
		}
	}
}

// check runs a plan on an executor and compares with the reference.
func check(t require.TestingT, e *Executor, p *plan.Plan, note string) *Linked {
	outs, ins := operandsFor(t, newRand(), p)
	return checkOn(t, e, p, note, outs, ins, reference(p, ins))
}

func checkOn(t require.TestingT, e *Executor, p *plan.Plan, note string, outs, ins []*tensor.Tensor, want [][]uint64) *Linked {
	l, err := e.Link(p)
	require.NoError(t, err, note)
	poison(t, l)
	for _, x := range outs { // what no step writes shows
		for i := range x.Size() {
			memory.StoreBits(x.DType(), addr(x, i), 1)
		}
	}
	require.NoError(t, l.Run(context.Background(), outs, ins), note)
	requireResults(t, want, outs, note)
	return l
}

// poison leaves garbage in the memory that the next run takes over.
func poison(t require.TestingT, l *Linked) {
	st, err := newState(l)
	require.NoError(t, err)
	for i := range st.arena {
		st.arena[i] = 0xff
	}
	scratch, window := 0, 0
	for _, each := range l.tasks {
		task, ok := each.computation.(*stepTask)
		if !ok {
			continue
		}
		scratch = max(scratch, task.scratch)
		if task.group != nil {
			window = max(window, task.group.window)
		}
	}
	for into, n := range map[*[]byte]int{&st.worker.lane.scratch: scratch, &st.worker.lane.window: window} {
		*into, err = memory.Allocate(n)
		require.NoError(t, err)
		for i := range *into {
			(*into)[i] = 0xff
		}
	}
	l.states.Put(st)
}

// interpreted is a lookup that has a kernel for every whole body of a plan, too.
func interpreted(p *plan.Plan) func(abi.Engine, string) (func(*abi.Frame), bool) {
	bodies := map[string]func(*abi.Frame){}
	for _, s := range p.Steps {
		canon, _ := s.Kernel.Canonical()
		bodies[kernel.CodeOf(canon).Signature()] = interpret(s.Kernel)
	}
	return func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		if fn, ok := abi.Lookup(e, sig); ok || e != abi.Portable {
			return fn, ok
		}
		fn, ok := bodies[sig]
		return fn, ok
	}
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// executors are the ways to run a plan that must give the same bits.
func executors(p *plan.Plan) map[string]*Executor {
	all := map[string]*Executor{
		"default":       {},
		"one worker":    {Workers: 1},
		"two workers":   {Workers: 2},
		"small chunks":  {Workers: 3, ChunkElems: 700},
		"five workers":  {Workers: 5},
		"portable":      {Portable: true},
		"cover":         {NoFused: true},
		"portableCover": {Portable: true, NoFused: true, Workers: 2},
		"whole":         {Portable: true},
	}
	all["whole"].lookup = interpreted(p)
	all["everything"] = &Executor{Portable: true, Workers: 1, lookup: everything}
	all["all pieces"] = &Executor{Portable: true, NoFused: true, lookup: allPieces}
	return all
}

// rowsOf returns the kernel of a signature as flat steps have it, nil if it is neither
// elementwise nor a reduction of rows.
func rowsOf(sig string) *kernel.Kernel {
	c, err := kernel.ParseCode(sig)
	if err != nil {
		return nil
	}
	if m, ok := c.(*kernel.Micro); ok {
		if m.Row != kernel.Reduce {
			return nil
		}
		return m.Flat()
	}
	return c.(*kernel.Kernel)
}

// everything is a lookup that has every kernel.
func everything(e abi.Engine, sig string) (func(*abi.Frame), bool) {
	if k := rowsOf(sig); k != nil {
		return interpret(k), true
	}
	return abi.Lookup(abi.Portable, sig)
}

// allPieces is a lookup that has a kernel for every piece of a cover.
func allPieces(e abi.Engine, sig string) (func(*abi.Frame), bool) {
	if fn, ok := abi.Lookup(e, sig); ok {
		return fn, ok
	}
	if k := rowsOf(sig); k != nil && len(k.Body) <= maxPiece {
		return interpret(k), true
	}
	return nil, false
}

func checkAll(t require.TestingT, p *plan.Plan) {
	outs, ins := operandsFor(t, newRand(), p)
	want := reference(p, ins)
	for name, e := range executors(p) {
		checkOn(t, e, p, name, outs, ins, want)
	}
}

// sameElement reports whether two elements have the same bits, or are both NaN.
func sameElement(dt ir.DType, p, q unsafe.Pointer) bool {
	a, b := memory.LoadBits(dt, p), memory.LoadBits(dt, q)
	return a == b || ir.IsNaN(dt, a) && ir.IsNaN(dt, b)
}

// addr returns the address of a location of a tensor.
func addr(t *tensor.Tensor, at int) unsafe.Pointer {
	dt, _, base := t.Parts()
	return unsafe.Add(base, at*dt.Size())
}
