package arm64

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestPairsOfRandomKernels runs the main loops of random kernels on expressions, as the allocation left them and with accesses moved:
// outputs apart from the inputs, and each in place of one. The memory, and the registers that are read in the next iteration, must be the same.
func TestPairsOfRandomKernels(t *testing.T) {
	moved, inPlace := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		k, combine := drawPaired(t)
		if k.Verify() != nil || !NEON().hasBody(k) {
			t.Skip("beyond the limits of a kernel")
		}
		b, err := vector.Compile(NEON(), elementary.Expand(k), combine)
		require.NoError(t, err)
		kept := slices.Concat(b.Accs, b.Pinned)
		paired := pairAccesses(b.Main, kept)
		if pairs(b.Main) < pairs(paired) {
			moved++
		}
		for _, place := range placesOf(t, k, combine) {
			numbers := map[string]int{}
			want, got := newExpressions(numbers, place), newExpressions(numbers, place)
			want.run(b.Main)
			got.run(paired)
			require.Equal(t, want.mem, got.mem, "%s\nmemory of operands %v", k, place)
			require.Equal(t, want.stack, got.stack, k)
			for _, p := range kept {
				require.Equal(t, want.reg[p.Reg], got.reg[p.Reg], "%s\nregister %d", k, p.Reg)
			}
			if len(place) > 0 {
				inPlace++
			}
		}
	})
	require.NotZero(t, moved, "no kernel had an access to move")
	require.NotZero(t, inPlace)
}

// drawPaired draws a kernel, most of whose values have one type, and its combiners: nil if it stores all outputs. Old operands are as
// likely as new ones, so that many values are alive.
func drawPaired(t *rapid.T) (k *kernel.Kernel, combine []ir.Op) {
	d := rapid.SampledFrom([]ir.DType{ir.Float32, ir.Float32, ir.Float64, ir.Int32, ir.Int64, ir.Uint8, ir.Float16}).Draw(t, "type")
	in := []kernel.Operand{{DType: d}}
	for range rapid.IntRange(0, 5).Draw(t, "inputs") {
		in = append(in, kernel.Operand{DType: d, Splat: rapid.IntRange(0, 3).Draw(t, "splat") == 0})
	}
	ops := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax}
	if ir.Floats.Has(d) {
		ops = append(ops, ir.OpFMA, ir.OpNeg, ir.OpAbs, ir.OpFMA)
	}
	b := kernel.NewBuilder(in...)
	values := len(in)
	pick := func() kernel.Ref { return kernel.Ref(rapid.IntRange(0, values-1).Draw(t, "operand")) }
	for range rapid.OneOf(rapid.IntRange(1, 6), rapid.IntRange(1, 60)).Draw(t, "ops") {
		op := rapid.SampledFrom(ops).Draw(t, "op")
		var args []kernel.Ref
		for range op.Info().Arity {
			args = append(args, pick())
		}
		b.Op(op, args...)
		values = len(in) + len(b.Kernel().Body)
	}
	for range rapid.IntRange(0, 2).Draw(t, "more stores") {
		b.Store(pick())
		combine = append(combine, ir.OpInvalid)
	}
	b.Store(kernel.Ref(values - 1))
	if !ir.SetOf(ir.Float32, ir.Float64).Has(d) || !rapid.Bool().Draw(t, "reduce") {
		k, _ = b.Kernel().Canonical()
		return k, nil
	}
	code, _ := kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: append(combine, ir.OpAdd), Body: b.Kernel()})
	m := code.(*kernel.Micro)
	return m.Body, m.Combine
}

// placesOf returns assignments of operands to the memory of others: none; and for each output the place of an input of its type.
func placesOf(t *rapid.T, k *kernel.Kernel, combine []ir.Op) []map[int]int {
	all := []map[int]int{{}}
	together := map[int]int{}
	free := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
		for i := range k.In {
			if !yield(i) {
				return
			}
		}
	})).Draw(t, "inputs")
	for o := range k.Out {
		if combine != nil && combine[o] != ir.OpInvalid {
			continue
		}
		at := slices.IndexFunc(free, func(i int) bool { return !k.In[i].Splat && k.In[i].DType == k.OutType(o) })
		if at < 0 {
			continue
		}
		all = append(all, map[int]int{len(k.In) + o: free[at]})
		together[len(k.In)+o] = free[at]
		free = slices.Delete(free, at, at+1)
	}
	return append(all, together)
}

// pairs counts the accesses that the next instruction continues.
func pairs(list []vector.Inst) (n int) {
	for i := range list {
		if j := nextVector(list, i); j == i+1 {
			n++
		}
	}
	return n
}

// expressions runs instructions over registers and memory that hold expressions. Equal expressions have the same number. Memory
// holds bytes of them.
type expressions struct {
	numbers map[string]int
	place   map[int]int // the operand whose memory an operand has
	reg     map[int]int
	mem     map[[2]int][2]int // operand and offset: an expression, and which byte of it
	stack   map[string]int
}

func newExpressions(numbers map[string]int, place map[int]int) *expressions {
	return &expressions{numbers, place, map[int]int{}, map[[2]int][2]int{}, map[string]int{}}
}

func (e *expressions) expr(format string, args ...any) int {
	text := fmt.Sprintf(format, args...)
	if e.numbers[text] == 0 {
		e.numbers[text] = len(e.numbers) + 1
	}
	return e.numbers[text]
}

func (e *expressions) address(p vector.Place, i int) [2]int {
	operand := p.Operand()
	if other, ok := e.place[operand]; ok {
		operand = other
	}
	return [2]int{operand, p.Disp() + i}
}

func (e *expressions) load(p vector.Place) int {
	var bytes [][2]int
	for i := range p.Bytes() {
		at := e.address(p, i)
		v, ok := e.mem[at]
		if !ok {
			v = [2]int{e.expr("byte %v", at)}
		}
		bytes = append(bytes, v)
	}
	return e.expr("load %v", bytes)
}

// read returns what a source holds. What the loop has not written is an expression of its own.
func (e *expressions) read(l vector.Loc) int {
	switch l.Space {
	case vector.InRegister:
		if v, ok := e.reg[l.Index]; ok {
			return v
		}
		return e.expr("register %d", l.Index)
	case vector.InOperand:
		return e.load(l.Place)
	case vector.InConst:
		return e.expr("const %x %d", l.Bits, l.Index)
	}
	cell := fmt.Sprint(l.Space, l.Index)
	if v, ok := e.stack[cell]; ok {
		return v
	}
	return e.expr("stack %s", cell)
}

func (e *expressions) run(list []vector.Inst) {
	for _, i := range list {
		var src []int
		for _, l := range i.Src {
			src = append(src, e.read(l))
		}
		switch {
		case i.Op == vector.OpLoad, i.Op == vector.OpMove:
			e.reg[i.Dst] = src[0]
		case i.Op == vector.OpSave:
			e.stack[fmt.Sprint(i.To.Space, i.To.Index)] = src[0]
		case i.Op.Form >= vector.FormStore && i.Op.Form != vector.FormCarry:
			for b := range i.Place.Bytes() {
				e.mem[e.address(i.Place, b)] = [2]int{src[0], b}
			}
		case i.Dst >= 0:
			e.reg[i.Dst] = e.expr("%s %d %d %v %d", i.Op.Name, i.Imm, i.Over, src, e.load(i.Place))
		default:
			panic("no instruction of a loop: " + i.Op.Name)
		}
	}
}
