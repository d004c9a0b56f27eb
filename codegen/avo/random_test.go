package avo_test

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// shape says what random kernels are like.
type shape struct {
	types      []ir.DType // of the operands
	inputs     int        // at most
	units      int        // at most, the rest are splats; 0: as drawn
	ops        int
	outputs    int
	late       bool // prefer old values, so that many are alive
	composed   bool
	reductions int // of four outputs, how many are reduced
	unlikely   int // one step in this many is an unlikely select with operations of its own; 0: none
}

var (
	all    = ir.AllTypes.List()
	shapes = []shape{
		{types: []ir.DType{ir.Float32}, inputs: 4, ops: 8, outputs: 2},
		{types: []ir.DType{ir.Float32, ir.Float64}, inputs: 5, ops: 16, outputs: 2, composed: true},
		{types: all, inputs: 6, ops: 12, outputs: 3, composed: true},
		{types: all, inputs: 6, ops: 30, outputs: 3},
		{types: []ir.DType{ir.Int64, ir.Bool}, inputs: 4, ops: 10, outputs: 2, composed: true},
		{types: []ir.DType{ir.Int64}, inputs: 3, ops: 20, outputs: 2, late: true}, // scalar loops in the row and in the columns
		{types: []ir.DType{ir.Uint8, ir.Bool, ir.Uint32}, inputs: 5, ops: 12, outputs: 2},
		{types: []ir.DType{ir.Int32, ir.Int64}, inputs: 1, ops: 90, outputs: 2, late: true}, // many saves
		{types: []ir.DType{ir.Float64}, inputs: 6, ops: 30, outputs: 2, late: true},
		{types: []ir.DType{ir.Float32, ir.Int32}, inputs: 15, units: 8, ops: 30, outputs: 1},    // all general registers
		{types: []ir.DType{ir.Float32, ir.Float64}, inputs: 18, units: 14, ops: 30, outputs: 2}, // pointers in the frame
		{types: all, inputs: 14, units: 12, ops: 30, outputs: 3, composed: true},
		{types: all, inputs: 6, ops: 96, outputs: 3, late: true},
		{types: []ir.DType{ir.Float32}, inputs: 3, ops: 4, outputs: 2, reductions: 3},
		{types: []ir.DType{ir.Float64, ir.Int64}, inputs: 4, ops: 6, outputs: 3, reductions: 3}, // more accumulators than registers
		{types: []ir.DType{ir.Uint8, ir.Bool, ir.Uint32}, inputs: 4, ops: 8, outputs: 3, reductions: 2},
		{types: all, inputs: 4, ops: 14, outputs: 3, composed: true, reductions: 2},
		{types: all, inputs: 14, units: 7, ops: 30, outputs: 2, reductions: 4},  // all general registers
		{types: all, inputs: 13, units: 12, ops: 30, outputs: 3, reductions: 4}, // and pointers in the frame
	}
)

// randomKernel builds a canonical kernel with the numbers that draw returns,
// each in [0, n).
func randomKernel(s shape, draw func(n int) int) kernel.Code {
	var operands []kernel.Operand
	for range 1 + draw(s.inputs) {
		splat := draw(4) == 0
		if s.units > 0 {
			splat = len(operands) >= s.units
		}
		operands = append(operands, kernel.Operand{DType: s.types[draw(len(s.types))], Splat: splat})
	}
	g := &generator{Builder: kernel.NewBuilder(operands...), draw: draw, late: s.late, inputs: len(operands)}
	for i := range operands {
		g.vals = append(g.vals, kernel.Ref(i))
	}
	for range s.ops {
		if s.unlikely > 0 && draw(s.unlikely) == 0 {
			g.rare(2 + draw(6))
		} else {
			g.step(s.composed)
		}
	}
	var combine []ir.Op
	for o := range 1 + draw(s.outputs) {
		i := len(g.vals) - 1 - o
		if i < 0 || s.late {
			i = draw(len(g.vals))
		}
		g.Store(g.vals[i])
		by := ir.OpInvalid
		if draw(4) < s.reductions && g.DType(g.vals[i]).Native() {
			ops := combiners(g.DType(g.vals[i]))
			by = ops[draw(len(ops))]
		}
		combine = append(combine, by)
	}
	if s.late && ir.OpAdd.Info().Domain.Has(g.DType(0)) { // all values are needed, at the end
		g.storeSum()
		combine = append(combine, ir.OpInvalid)
	}
	return reduction(g.Kernel(), combine...)
}

type generator struct {
	*kernel.Builder
	draw   func(n int) int
	vals   []kernel.Ref
	inputs int
	late   bool
}

// pick returns a value of a type in the set.
func (g *generator) pick(set ir.DTypes) (kernel.Ref, bool) {
	var fit []kernel.Ref
	for _, r := range g.vals {
		if set.Has(g.DType(r)) {
			fit = append(fit, r)
		}
	}
	if len(fit) == 0 {
		return 0, false
	}
	if n := min(len(fit), 6); !g.late && g.draw(3) > 0 {
		fit = fit[len(fit)-n:]
	}
	return fit[g.draw(len(fit))], true
}

// step appends a random op on values that it takes.
func (g *generator) step(composed bool) {
	ops := ir.Ops()
	for {
		op := ops[g.draw(len(ops))]
		info := op.Info()
		if op == ir.OpConst {
			g.vals = append(g.vals, g.constant())
			return
		}
		if !op.IsElementwise() || info.Kind == ir.Composed && !composed {
			continue
		}
		x, ok := g.pick(info.Domain)
		if !ok {
			continue
		}
		d := g.DType(x)
		switch {
		case op == ir.OpCast:
			all := ir.AllTypes.List()
			g.vals = append(g.vals, g.Cast(all[g.draw(len(all))], x))
		case op == ir.OpBitcast:
			// The payload of a computed NaN is not defined.
			if ir.Floats.Has(d) && int(x) >= g.inputs {
				continue
			}
			same := map[int][]ir.DType{1: {ir.Uint8}, 2: {ir.Uint16, ir.Float16}, 4: {ir.Int32, ir.Uint32, ir.Float32}, 8: {ir.Int64, ir.Float64}}[d.Size()]
			g.vals = append(g.vals, g.Bitcast(same[g.draw(len(same))], x))
		default:
			args := []kernel.Ref{x}
			for len(args) < info.Arity {
				y, _ := g.pick(ir.SetOf(d))
				args = append(args, y)
			}
			if info.Mask {
				m, ok := g.pick(ir.Bools)
				if !ok {
					continue
				}
				args[0] = m
			}
			g.vals = append(g.vals, g.Op(op, args...))
		}
		return
	}
}

// rare appends an unlikely select, or two of one condition, whose second operands nothing
// else reads. The computation of those may contain unlikely selects again.
func (g *generator) rare(ops int) {
	cond, ok := g.pick(ir.Bools)
	if x, found := g.pick(ir.Numeric); found && (!ok || g.draw(3) > 0) {
		bound := []int64{0, 3, 100, 1 << 20}[g.draw(4)] // often true, sometimes, never
		cond, ok = g.Op(ir.OpLt, g.Int(g.DType(x), bound), x), true
	}
	if !ok {
		return
	}
	for range 1 + g.draw(2) {
		z, _ := g.pick(ir.AllTypes)
		main := g.vals
		g.vals = append([]kernel.Ref{z}, main...)
		for range ops {
			if g.draw(8) == 0 && ops > 2 {
				g.rare(2)
			} else {
				g.step(false)
			}
		}
		own := g.vals[len(main)+1:]
		y, ok := z, false
		for _, v := range own {
			if g.DType(v) == g.DType(z) {
				y, ok = v, true
			}
		}
		if g.vals = main; ok {
			g.vals = append(g.vals, g.Op(ir.OpUnlikely, cond, y, z))
		}
	}
}

func (g *generator) constant() kernel.Ref {
	all := ir.AllTypes.List()
	d := all[g.draw(len(all))]
	if d == ir.Bool {
		return g.Const(d, uint64(g.draw(2)))
	}
	values := []float64{0, 1, -1, 2.5, 31, 32, 64, 7, 1 << 20, math.Inf(1)}
	v := values[g.draw(len(values))]
	if ir.Floats.Has(d) {
		return g.Float(d, v)
	}
	return g.Int(d, int64(min(v, 1<<30)))
}

// storeSum stores the sum of all numbers of the first operand's type.
func (g *generator) storeSum() {
	d := g.DType(0)
	sum := kernel.Ref(0)
	for _, r := range g.vals {
		if g.DType(r) == d {
			sum = g.Op(ir.OpAdd, sum, r)
		}
	}
	g.Store(sum)
}

// randomColumnReduction builds a canonical column reduction, which may not be valid.
func randomColumnReduction(draw func(n int) int) kernel.Code {
	d := []ir.DType{ir.Float32, ir.Float64}[draw(2)]
	k := &kernel.Kernel{}
	for range 1 + draw(3) {
		k.In = append(k.In, kernel.Operand{DType: d, Splat: draw(3) == 0})
	}
	for j := range draw(5) {
		in := kernel.Inst{Op: []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAbs, ir.OpMin, ir.OpMax}[draw(6)], DType: d}
		for a := range in.Arity() {
			in.Args[a] = kernel.Ref(draw(len(k.In) + j))
		}
		k.Body = append(k.Body, in)
	}
	k.Out = []kernel.Ref{kernel.Ref(len(k.In) + len(k.Body) - 1)}
	by := []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax}[draw(4)]
	c, _ := kernel.Canonical(&kernel.Micro{Kind: kernel.ReduceColumns, Op: by, Body: k})
	return c
}
