package passes

import (
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// TestRulesOnSmallGraphs runs the passes that rewrite graphs on all graphs of the size of a rule: two or three elementwise ops on
// inputs and special constants, for all types. Graphs that a pass changes are evaluated before and after, on inputs with all pairs of
// special elements. A wrong rule such as lt(cast x, cast y) -> lt(x, y) fails at 2^24 and 2^24+1. Graphs of three ops are
// many, so each run takes another part of them, unless -long takes all.
//
//	go test ./passes -run RulesOnSmallGraphs -long
func TestRulesOnSmallGraphs(t *testing.T) {
	pass := slices.IndexFunc(Default, func(p Pass) bool { return p.Rewrite == nil })
	list, m := Default[:pass], tuning.Default(1)
	graphs, changed := 0, 0
	for f := range ruleGraphs(*long) {
		graphs++
		before := shapeOf(f)
		whole := f.Clone()
		s := newState(f, Options{Machine: m})
		for _, p := range list {
			require.NoError(t, run(s, p, m), whole)
		}
		if shapeOf(s.Func) == before {
			continue
		}
		changed++
		var inputs []eval.Array
		for i, p := range whole.Params {
			inputs = append(inputs, paired(p.Type.DType, i, rewrite.Size(p.Type.Shape)))
		}
		want, err := eval.Eval(whole, inputs)
		require.NoError(t, err, whole)
		got, err := eval.Eval(s.Func, inputs)
		require.NoError(t, err, s.Func)
		if diff := irtest.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s\nbecomes, by %s,\n%s", at(diff, inputs), whole, wrongPass(t, whole, list, inputs, want), s.Func)
		}
	}
	t.Logf("%d graphs, %d of them changed", graphs, changed)
	require.Greater(t, changed, 1000)
}

// at adds to a difference the elements of the inputs at its place.
func at(diff string, inputs []eval.Array) string {
	var array, elem int
	if n, _ := fmt.Sscanf(diff, "array %d, element %d", &array, &elem); n == 2 {
		for _, in := range inputs {
			diff += fmt.Sprintf(", of %s", ir.ConstText(in.DType, in.Data[elem]))
		}
	}
	return diff
}

// wrongPass names the first pass after which a graph computes something else.
func wrongPass(t *testing.T, f *ir.Func, list []Pass, inputs, want []eval.Array) string {
	c, err := Bisect(list, f, Options{}, func(s *State) (bool, error) {
		got, err := eval.Eval(s.Func, inputs)
		return err == nil && irtest.Diff(want, got) == "", err
	})
	require.NoError(t, err)
	return c.Pass
}

// shapeOf returns a hash of the ops of a graph and of how they read one another.
func shapeOf(f *ir.Func) uint64 {
	f.Number()
	var h maphash.Hash
	h.SetSeed(shapeSeed)
	value := func(v *ir.Value) {
		maphash.WriteComparable(&h, [2]int{int(v.Op), v.ID})
		if v.Op == ir.OpConst {
			maphash.WriteComparable(&h, v.Attr.Bits)
		}
	}
	for _, v := range f.Body {
		value(v)
		maphash.WriteComparable(&h, v.Type.DType)
		for _, a := range v.Args {
			value(a)
		}
	}
	value(f.Results[0])
	return h.Sum64()
}

var shapeSeed = maphash.MakeSeed()

// most is the number of special elements of a type that are paired with one another.
const most = 24

// paired returns input i of n elements: all of eval.Specials if the graph has no other input, else elements that make all pairs of
// some, the most telling ones, with those of the other inputs.
func paired(d ir.DType, i, n int) eval.Array {
	of := eval.Specials(d)
	if n == most*most {
		of = slices.Clone(of)
		slices.SortStableFunc(of, func(a, b uint64) int { return rank(d, a) - rank(d, b) })
		of = of[:min(len(of), most)]
	}
	a := eval.Array{DType: d, Shape: []int{n}, Data: make([]uint64, n)}
	for k := range a.Data {
		at := [...]int{k, k / len(of), k + 7*(k/len(of))}[i]
		a.Data[k] = of[at%len(of)]
	}
	return a
}

// rank is lower for elements at which more rules are wrong.
func rank(d ir.DType, bits uint64) int {
	telling := []float64{0, 1, -1, 1 << 24, 1<<24 + 1, 1<<24 - 1, 1 << 53, 1<<53 + 1, 1<<53 - 1, 1<<53 + 2, 3, 2, 0.5, 2.5, -2.5, 255, 256}
	v := float64(int64(bits))
	if ir.Fractions.Has(d) {
		v = ir.ToFloat(d, bits)
	}
	if v != v || math.IsInf(v, 0) {
		return 0
	}
	if k := slices.Index(telling, v); k >= 0 {
		return 1
	}
	if math.Abs(v) > 1e18 || math.Abs(v) < 1e-18 || math.Abs(v) >= 1<<31-1 {
		return 2
	}
	return 3
}

// ruleBuilder makes graphs of the inputs x, y and z. Ops that do not take their operands return nil, and so do ops of nil.
type ruleBuilder struct {
	f      *ir.Func
	inputs []*ir.Value
}

func newRuleBuilder(types ...ir.DType) *ruleBuilder {
	b, n := &ruleBuilder{f: &ir.Func{Name: "rule"}}, most*most
	if len(types) == 1 {
		n = len(eval.Specials(types[0]))
	}
	for i, d := range types {
		b.inputs = append(b.inputs, b.f.Param([]string{"x", "y", "z"}[i], ir.Type{DType: d, Shape: ir.ShapeOf(n)}, nil))
	}
	return b
}

func (b *ruleBuilder) op(op ruleOp, args ...*ir.Value) *ir.Value {
	if slices.Contains(args, nil) || op.op.Info().Arity != len(args) {
		return nil
	}
	v, err := b.f.Add(op.op, ir.Attr{DType: op.to}, ir.Pos{}, args...)
	if err != nil {
		return nil
	}
	return v
}

func (b *ruleBuilder) constant(d ir.DType, bits uint64) *ir.Value {
	v, err := b.f.Add(ir.OpConst, ir.Attr{DType: d, Bits: bits}, ir.Pos{})
	if err != nil {
		return nil
	}
	return v
}

// done returns the graph of a result, or nil.
func (b *ruleBuilder) done(result *ir.Value) *ir.Func {
	if result == nil {
		return nil
	}
	b.f.Results = []*ir.Value{result}
	return b.f
}

// ruleOp is an op, with the type that a cast converts to.
type ruleOp struct {
	op ir.Op
	to ir.DType
}

// dear is the cost from which on ops with expansions are only combined with one another in graphs of one input.
const dear = 12

// ruleOps returns the elementwise ops of an arity.
func ruleOps(arity int) (all []ruleOp) {
	for _, op := range ir.Ops() {
		if info := op.Info(); !op.IsElementwise() || info.Arity != arity || op == ir.OpConst {
			continue
		}
		if op != ir.OpCast && op != ir.OpBitcast {
			all = append(all, ruleOp{op: op})
			continue
		}
		for _, d := range ruleTypes {
			all = append(all, ruleOp{op, d})
		}
	}
	return all
}

// ruleTypes are the types of the graphs: every kind of arithmetic, and a type of each size that is stored only.
var ruleTypes = []ir.DType{ir.Bool, ir.Int8, ir.Uint8, ir.Int16, ir.Int32, ir.Uint32, ir.Int64, ir.Uint64, ir.Float16, ir.BFloat16, ir.Float32, ir.Float64, ir.Fixed16x16}

// ruleConstants returns constants that rules look for.
func ruleConstants(d ir.DType) (all []uint64) {
	if d == ir.Bool {
		return []uint64{0, 1}
	}
	if !ir.Fractions.Has(d) {
		for _, v := range []int64{0, 1, -1, 2, 8, 127, 255, 1 << 24} {
			all = append(all, ir.Wrap(d, v))
		}
		return all
	}
	for _, bits := range eval.Specials(d) {
		switch v := ir.ToFloat(d, bits); {
		case v == 0, v == 1, v == -1, v == 0.5, v == 3, v != v, v-v != 0, v == 1<<24, v == 0x1p-24:
			all = append(all, bits)
		}
	}
	return all
}

// ruleGraphs yields graphs: op(op(x)), op(op(x), y), op(op(x), op(y)), op(op(x), op(x)), op(x, c), op(op(x), c), op(op(x, c), d),
// op(op(x, y), z), op(op(x, y)), and selects of comparisons. Of those of many it yields a part, or all.
func ruleGraphs(all bool) iter.Seq[*ir.Func] {
	unary, binary := ruleOps(1), ruleOps(2)
	count := int(maphash.Comparable(shapeSeed, 0) % 1000)
	part := func(n int) bool {
		count++
		return all || count%n == 0
	}
	return func(yield func(*ir.Func) bool) {
		more := true
		some := func(n int, types []ir.DType, result func(b *ruleBuilder) *ir.Value) { // one of n
			if !more || !part(n) {
				return
			}
			b := newRuleBuilder(types...)
			if f := b.done(result(b)); f != nil {
				more = yield(f)
			}
		}
		try := func(types []ir.DType, result func(b *ruleBuilder) *ir.Value) { some(1, types, result) }
		for _, d := range ruleTypes {
			x, xy, xyz := []ir.DType{d}, []ir.DType{d, d}, []ir.DType{d, d, d}
			constants := ruleConstants(d)
			for _, o := range binary {
				try(x, func(b *ruleBuilder) *ir.Value { return b.op(o, b.inputs[0], b.inputs[0]) })
				for _, c := range constants {
					try(x, func(b *ruleBuilder) *ir.Value { return b.op(o, b.inputs[0], b.constant(d, c)) })
					try(x, func(b *ruleBuilder) *ir.Value { return b.op(o, b.constant(d, c), b.inputs[0]) })
				}
			}
			for _, u := range unary {
				for _, o := range unary {
					try(x, func(b *ruleBuilder) *ir.Value { return b.op(o, b.op(u, b.inputs[0])) })
				}
				for _, o := range binary {
					if max(u.op.Info().Cost, o.op.Info().Cost) > dear {
						continue
					}
					try(xy, func(b *ruleBuilder) *ir.Value { return b.op(o, b.op(u, b.inputs[0]), b.op(u, b.inputs[1])) })
					try(x, func(b *ruleBuilder) *ir.Value { return b.op(o, b.op(u, b.inputs[0]), b.inputs[0]) })
					some(2, xy, func(b *ruleBuilder) *ir.Value { return b.op(o, b.op(u, b.inputs[0]), b.inputs[1]) })
					some(2, xy, func(b *ruleBuilder) *ir.Value { return b.op(o, b.inputs[0], b.op(u, b.inputs[1])) })
					some(2, xy, func(b *ruleBuilder) *ir.Value { return b.op(u, b.op(o, b.inputs[0], b.inputs[1])) })
					v := unary[(count+7*int(o.op))%len(unary)]
					some(8, xy, func(b *ruleBuilder) *ir.Value { return b.op(o, b.op(u, b.inputs[0]), b.op(v, b.inputs[1])) })
					for k := range 12 {
						some(4, x, func(b *ruleBuilder) *ir.Value {
							v := b.op(u, b.inputs[0])
							if v == nil {
								return nil
							}
							of := ruleConstants(v.Type.DType)
							if k >= len(of) {
								return nil
							}
							return b.op(o, v, b.constant(v.Type.DType, of[k]))
						})
					}
				}
			}
			for _, o := range binary {
				for _, p := range binary {
					if max(p.op.Info().Cost, o.op.Info().Cost) > dear {
						continue
					}
					some(2, xy, func(b *ruleBuilder) *ir.Value {
						return b.op(o, b.op(p, b.inputs[0], b.inputs[1]), b.inputs[0])
					})
					some(4, xyz, func(b *ruleBuilder) *ir.Value {
						return b.op(o, b.op(p, b.inputs[0], b.inputs[1]), b.inputs[2])
					})
					for _, c := range constants {
						for _, e := range constants {
							some(32, x, func(b *ruleBuilder) *ir.Value {
								return b.op(o, b.op(p, b.inputs[0], b.constant(d, c)), b.constant(d, e))
							})
						}
					}
				}
				// selects of a comparison's operands
				selects := func(choose ...int) {
					try(xyz, func(b *ruleBuilder) *ir.Value {
						return b.op(ruleOp{op: ir.OpSelect}, b.op(o, b.inputs[0], b.inputs[1]), b.inputs[choose[0]], b.inputs[choose[1]])
					})
				}
				selects(0, 1)
				selects(1, 0)
				selects(0, 0)
				selects(2, 1)
			}
		}
	}
}
