package codegen_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
)

// plannedOp is an instruction of a plan: the op, the type of its last operand and that of
// its result.
type plannedOp struct {
	op      ir.Op
	in, out ir.DType
}

// TestBuiltinsAreReachable lowers a graph of every op on every type, and requires each
// instruction of each built-in kernel to be one that those plans have, or that tilings have
// for it: no kernel is built in that no compiled graph can call. The same holds of the
// combiners and types of micro-kernels. And it requires a kernel of each instruction that
// tilings have.
func TestBuiltinsAreReachable(t *testing.T) {
	planned, tiled := map[plannedOp]bool{}, map[plannedOp]bool{}
	for _, op := range ir.Ops() {
		if op.IsElementwise() {
			for _, d := range op.Info().Domain.List() {
				for _, to := range ir.AllTypes.List() {
					for _, k := range bodiesOf(t, op, d, to) {
						addOps(k, planned)
						addOps(elementary.Widen(k, elementary.KeepNone), tiled)
					}
				}
			}
		}
	}
	micros, single := plannedMicros(t), map[plannedOp]bool{}
	for _, c := range codegen.Builtins() {
		k, ok := c.(*kernel.Kernel)
		if m, is := c.(*kernel.Micro); is {
			for _, p := range partsOf(m) {
				require.True(t, micros[p], "%s: no plan needs %s of %s by %s", c.Signature(), p.kind, p.dtype, p.by)
			}
			k, ok = m.Body, m.Body != nil
		}
		if !ok {
			continue
		}
		has := map[plannedOp]bool{}
		addOps(k, has)
		for p := range has {
			single[p] = single[p] || c == kernel.Code(k) && len(k.Body) == 1
			require.True(t, planned[p] || tiled[p], "%s: no plan has %s of %s to %s", c.Signature(), p.op, p.in, p.out)
		}
	}
	for p := range tiled {
		require.True(t, single[p], "there is no kernel of %s alone, of %s to %s", p.op, p.in, p.out)
	}
}

// addOps adds the instructions of a body.
func addOps(k *kernel.Kernel, to map[plannedOp]bool) {
	for _, in := range k.Body {
		if in.Op != ir.OpConst {
			to[plannedOp{in.Op, k.DType(in.Args[in.Arity()-1]), in.DType}] = true
		}
	}
}

// bodiesOf returns the bodies of the plan of one op.
func bodiesOf(t *testing.T, op ir.Op, d, to ir.DType) (bodies []*kernel.Kernel) {
	for _, s := range stepsOf(t, op, ir.Attr{}, d, to, 7) {
		bodies = append(bodies, s.Body)
	}
	return bodies
}

// stepsOf returns the steps of the plan of one op on operands of one shape.
func stepsOf(t *testing.T, op ir.Op, a ir.Attr, d, to ir.DType, shape ...int) []plan.Step {
	f := &ir.Func{Name: "one"}
	var args []*ir.Value
	for i := range op.Info().Arity {
		typ := d
		if i == 0 && op.Info().Mask {
			typ = ir.Bool
		}
		if i == 1 && op == ir.OpDotBytes {
			typ = ir.Int16
		}
		args = append(args, f.Param(string(rune('a'+i)), ir.Type{DType: typ, Shape: ir.ShapeOf(shape...)}, nil))
	}
	a.DType = to
	v, err := f.Add(op, a, ir.Pos{}, args...)
	if err != nil {
		return nil // no such result
	}
	f.Results = []*ir.Value{v}
	p, err := passes.Lower(f, passes.Options{})
	require.NoError(t, err)
	return p.Steps
}

// plannedMicro is a part of a micro-kernel: what it does, by which combiner, on which type.
type plannedMicro struct {
	kind  kernel.MicroKind
	by    ir.Op
	dtype ir.DType
}

// partsOf returns the parts of a micro-kernel. Reductions of rows and of columns compute the
// same steps.
func partsOf(m *kernel.Micro) (parts []plannedMicro) {
	switch m.Kind {
	case kernel.Reduce:
		for o, by := range m.Combine {
			if by != ir.OpInvalid {
				parts = append(parts, plannedMicro{kernel.Reduce, by, m.Body.OutType(o)})
			}
		}
		return parts
	case kernel.ReduceColumns:
		return []plannedMicro{{kernel.Reduce, m.Op, m.Body.OutType(0)}}
	}
	return []plannedMicro{{m.Kind, m.Op, m.Type}}
}

// plannedMicros lowers a graph of every reduction, scan and product on every type. Copies are
// needed of the bits of every type.
func plannedMicros(t *testing.T) map[plannedMicro]bool {
	all := map[plannedMicro]bool{{kernel.StoreNT, ir.OpInvalid, ir.Uint8}: true, {kernel.Prefetch, ir.OpInvalid, ir.Uint8}: true, {kernel.DotWindows, ir.OpInvalid, ir.Float32}: true, {kernel.DotLeftWindows, ir.OpInvalid, ir.Float32}: true}
	for _, d := range ir.AllTypes.List() {
		for _, kind := range []kernel.MicroKind{kernel.Pack, kernel.Transpose, kernel.Insert, kernel.Lookup} {
			all[plannedMicro{kind, ir.OpInvalid, kernel.BitsType(d)}] = true
		}
		for _, op := range ir.Ops() {
			if !slices.Contains([]ir.Kind{ir.Reduce, ir.Scan, ir.Contract}, op.Info().Kind) || op == ir.OpReduceChunks {
				continue
			}
			for _, s := range stepsOf(t, op, ir.Attr{Axes: []int{1}, Axis: 1}, d, d, 40, 40) {
				for o := range s.Out {
					by, d := s.Out[o].Combine, s.Body.OutType(o)
					switch {
					case s.Reduces() && !s.Out[o].Stored():
						all[plannedMicro{kernel.Reduce, by, d}] = true
					case s.Scans():
						all[plannedMicro{kernel.ScanRows, by, d}] = true
					case s.Contracts():
						all[plannedMicro{kernel.DotOf(op), ir.OpInvalid, d}] = true
						all[plannedMicro{kernel.DotBatch, ir.OpInvalid, d}] = true
					}
				}
			}
		}
	}
	return all
}
