package vector_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// randomMachine draws a width and a number of registers: those of SSE, AVX2, AVX-512
// and others.
func randomMachine(t *rapid.T) *vector.Machine {
	return &vector.Machine{
		Lane:      4,
		Width:     rapid.SampledFrom([]int{16, 32, 64}).Draw(t, "width"),
		Registers: rapid.IntRange(8, 32).Draw(t, "registers"),
		Working:   4,
		Tuning: vector.Tuning{
			Unroll: 4, UnrollWide: 8, ListOrder: 12, ByTwo: 0.9, ByFour: 0.8, ByList: 0.7, LoopEnd: 3,
			UnrollReduced: 24,
		},
	}
}

// randomKernel draws a kernel of arithmetic on one type, and the combiners of its outputs,
// nil if all are stored. Old operands are as likely as new ones, so that many values are
// alive.
func randomKernel(t *rapid.T) (k *kernel.Kernel, combine []ir.Op) {
	d := rapid.SampledFrom([]ir.DType{ir.Float32, ir.Float64}).Draw(t, "type")
	in := []kernel.Operand{{DType: d}}
	for range rapid.IntRange(0, 4).Draw(t, "inputs") {
		in = append(in, kernel.Operand{DType: d, Splat: rapid.Bool().Draw(t, "splat")})
	}
	b := kernel.NewBuilder(in...)
	values := len(in)
	pick := func() kernel.Ref { return kernel.Ref(rapid.IntRange(0, values-1).Draw(t, "operand")) }
	for range rapid.IntRange(1, 50).Draw(t, "ops") {
		op := rapid.SampledFrom([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpFMA, ir.OpConst}).Draw(t, "op")
		if op == ir.OpConst {
			b.Float(d, float64(values))
		} else {
			var args []kernel.Ref
			for range op.Info().Arity {
				args = append(args, pick())
			}
			b.Op(op, args...)
		}
		values = len(in) + len(b.Kernel().Body)
	}
	last := kernel.Ref(values - 1)
	if rapid.Bool().Draw(t, "store") {
		b.Store(last)
		combine, last = append(combine, ir.OpInvalid), pick()
	}
	b.Store(last)
	if !rapid.Bool().Draw(t, "reduce") {
		k, _ = b.Kernel().Canonical()
		return k, nil
	}
	code, _ := kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: append(combine, rapid.SampledFrom([]ir.Op{ir.OpAdd, ir.OpMin, ir.OpMax}).Draw(t, "combiner")), Body: b.Kernel()})
	m := code.(*kernel.Micro)
	return m.Body, m.Combine
}

// TestCompile runs what Compile gives for random machines on expressions: a row's head,
// an iteration of its main loop and a masked step. The stores and the next values of
// the accumulators must be the kernel's, and no register beyond the machine's be used.
func TestCompile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, combine := randomKernel(t)
		m := randomMachine(t)
		if k.Verify() != nil {
			t.Skip("beyond the limits of a kernel")
		}
		b, err := vector.Compile(toy{m}, k, combine)
		require.NoError(t, err)

		s := startRow(b, m)
		s.run(b.Main)
		for c := range b.Unroll {
			checkStep(t, s, b, c, c*m.Lanes())
		}
		s = startRow(b, m)
		s.run(b.Tail)
		if combine == nil {
			checkStep(t, s, b, 0, 0)
		}
	})
}

// startRow returns the state before the columns of a row: registers beyond the
// machine's panic.
func startRow(b *vector.Body, m *vector.Machine) *symbolic {
	s := newSymbolic(m.Registers)
	acc := func(i int) int { return s.expr("acc %d", i) }
	for _, p := range b.Pinned {
		if v := b.Graph.At(p.V); v.Kind == vector.KindConst {
			s.reg[p.Reg] = s.expr("const %x", v.Bits)
		}
	}
	s.run(b.Head)
	for _, p := range b.Pinned {
		switch v := b.Graph.At(p.V); {
		case v.Kind == vector.KindSplat:
			s.reg[p.Reg] = s.expr("splat %d", v.Place.Operand())
		case p.Slot >= 0:
			s.reg[p.Reg] = s.read(vector.Loc{Space: vector.InSlot, Index: p.Slot})
		}
	}
	for i := range b.Graph.Accumulators() {
		s.mem[cell(vector.Loc{Space: vector.InAcc, Index: i})] = acc(i)
	}
	for _, p := range b.Accs {
		s.reg[p.Reg] = acc(b.Graph.At(p.V).Slot)
	}
	return s
}

// checkStep compares the stores and accumulators of copy c, which begins at an element,
// with the kernel.
func checkStep(t require.TestingT, s *symbolic, b *vector.Body, c, element int) {
	k, m := b.Graph.Kernel, b.Graph.Machine()
	for i, r := range k.Out {
		d := k.DType(r)
		for p := range m.Parts(d) {
			o := &oracle{s: s, k: k, m: m, disp: element*d.Size() + p*m.Width, known: map[kernel.Ref]int{}}
			want := o.value(r)
			if b.Graph.Combiner(i) == ir.OpInvalid {
				if in := k.Inst(r); in == nil && !k.In[r].Splat { // a copy of an input
					want = o.reloaded(want, s.stored[place(len(k.In)+i, o.disp)])
				}
				require.Equal(t, want, s.stored[place(len(k.In)+i, o.disp)], "output %d", i)
				continue
			}
			reduction := b.Graph.Reductions[0]
			for j, by := range reduction.Combiners {
				number := reduction.First + b.Graph.Phases*(m.Parts(d)*j+p) + c
				next := s.apply(by.By.String(), 0, s.expr("acc %d", number), want)
				require.Equal(t, next, accumulator(s, b, number), "accumulator %d", number)
			}
		}
	}
}

func place(operand, disp int) string { return fmt.Sprint(operand, "+", disp) }

// accumulator returns what an accumulator holds.
func accumulator(s *symbolic, b *vector.Body, number int) int {
	for _, p := range b.Accs {
		if b.Graph.At(p.V).Slot == number {
			return s.reg[p.Reg]
		}
	}
	return s.read(vector.Loc{Space: vector.InAcc, Index: number})
}

// oracle computes the expressions of a kernel's values from its text.
type oracle struct {
	s     *symbolic
	k     *kernel.Kernel
	m     *vector.Machine
	disp  int
	known map[kernel.Ref]int
}

func (o *oracle) value(r kernel.Ref) int {
	if v, ok := o.known[r]; ok {
		return v
	}
	o.known[r] = o.compute(r)
	return o.known[r]
}

func (o *oracle) compute(r kernel.Ref) int {
	in := o.k.Inst(r)
	switch {
	case in == nil && o.k.In[r].Splat:
		return o.s.expr("splat %d", r)
	case in == nil:
		return o.s.load(int(r), o.disp)
	case in.Op == ir.OpConst && o.m.Parts(in.DType) == 1:
		return o.s.expr("const %x", in.Bits<<32|in.Bits)
	case in.Op == ir.OpConst:
		return o.s.expr("const %x", in.Bits)
	}
	var args []int
	for _, a := range in.Args[:in.Arity()] {
		args = append(args, o.value(a))
	}
	return o.s.apply(in.Op.String(), 0, args...)
}

// reloaded is an input that is stored as it is: reloaded in the main loop.
func (o *oracle) reloaded(v, stored int) int {
	if r := o.s.apply("reload", 0, v); r == stored {
		return r
	}
	return v
}
