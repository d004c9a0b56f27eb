package avo_test

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// singleOps returns the kernels of every op: all types, with unit operands alone and in one other class of operands, in turns, or in all
// classes. Casts have unit operands.
func singleOps(allClasses bool) []kernel.Code {
	var out []kernel.Code
	seen, turn := map[string]bool{}, 0
	add := func(op ir.Op, given ir.DType, types []ir.DType) {
		all := 1 << len(types)
		if given != ir.Invalid {
			all = 1
		}
		turn++
		for classes := range all {
			if !allClasses && classes > 0 && classes != 1+turn%(all-1) {
				continue
			}
			operands := make([]kernel.Operand, len(types))
			for i, d := range types {
				operands[i] = kernel.Operand{DType: d, Splat: classes>>i&1 == 1}
			}
			k, err := kernel.SingleOp(op, given, operands...)
			if err == nil && !seen[k.Signature()] {
				seen[k.Signature()] = true
				out = append(out, k)
			}
		}
	}
	for _, op := range ir.Ops() {
		info := op.Info()
		if !op.IsElementwise() {
			continue
		}
		for _, d := range info.Domain.List() {
			types := make([]ir.DType, info.Arity)
			for i := range types {
				types[i] = d
			}
			if info.Mask {
				types[0] = ir.Bool
			}
			if info.Result != ir.GivenType {
				add(op, ir.Invalid, types)
				continue
			}
			for _, to := range ir.AllTypes.List() {
				add(op, to, types)
			}
		}
	}
	return out
}

// reduction returns the canonical kernel that reduces outputs of a body: combine has an op
// for each, OpInvalid for one that is stored. If all are stored it is the body.
func reduction(body *kernel.Kernel, combine ...ir.Op) kernel.Code {
	var c kernel.Code = body
	if slices.ContainsFunc(combine, func(by ir.Op) bool { return by != ir.OpInvalid }) {
		c = &kernel.Micro{Kind: kernel.Reduce, Combine: combine, Body: body}
	}
	canon, _ := kernel.Canonical(c)
	return canon
}

// combiners lists the ops that reduce elements of a type.
func combiners(d ir.DType) []ir.Op {
	var out []ir.Op
	one := &kernel.Kernel{In: []kernel.Operand{{DType: d}}, Out: []kernel.Ref{0}}
	for _, op := range ir.Ops() {
		if (op.IsElementwise() || op.IsArgReduction()) && reduction(one, op).Verify() == nil {
			out = append(out, op)
		}
	}
	return out
}

// singleReductions returns the kernels that reduce one operand, of every op and type:
// alone, stored as well, twice, of a splat, and of a constant.
func singleReductions() []kernel.Code {
	var out []kernel.Code
	for _, d := range ir.AllTypes.List() {
		in := []kernel.Operand{{DType: d}, {DType: d}}
		add := func(in []kernel.Operand, outs []kernel.Ref, combine ...ir.Op) {
			out = append(out, reduction(&kernel.Kernel{In: in, Out: outs}, combine...))
		}
		for _, op := range combiners(d) {
			add(in[:1], []kernel.Ref{0}, op)
			add([]kernel.Operand{{DType: d, Splat: true}}, []kernel.Ref{0}, op)
			add(in[:1], []kernel.Ref{0, 0}, ir.OpInvalid, op)
			add(in, []kernel.Ref{0, 1}, op, op)
			add(in, []kernel.Ref{1, 0, 1}, op, ir.OpInvalid, op)
			by := op.Info().By
			if by == ir.OpInvalid {
				by = op
			}
			if bits, ok := by.Info().Identity(d); ok { // the accumulators stay as they are
				b := kernel.NewBuilder()
				b.Store(b.Const(d, bits))
				out = append(out, reduction(b.Kernel(), op))
			}
			if op.IsArgReduction() {
				add(in[:1], []kernel.Ref{0, 0}, op, by)
				add(in, []kernel.Ref{0, 1, 0, 0}, by, ir.OpAdd, op, by)
			}
		}
	}
	for _, from := range []ir.DType{ir.Int8, ir.Uint8, ir.Int16, ir.Uint16} { // wider, narrower, and in another order
		for _, to := range []ir.DType{ir.Uint8, ir.Uint32, ir.Int32, ir.Int64, ir.Float32} {
			b := kernel.NewBuilder(kernel.Operand{DType: from})
			b.Store(b.Cast(to, 0))
			k := b.Kernel()
			for _, op := range []ir.Op{ir.OpAdd, ir.OpMax, ir.OpArgMin} {
				out = append(out, reduction(k, op))
			}
			two := *k
			two.Out = []kernel.Ref{k.Out[0], k.Out[0]}
			out = append(out, reduction(&two, ir.OpArgMax, ir.OpMax))
		}
	}
	return out
}

// manyPointers has kernels of up to as many unit operands as there may be, of each
// size of elements, short enough to be unrolled, and the same with reductions: with each number of operands for all sizes of elements, or
// for two in turns.
func manyPointers(allSizes bool) []kernel.Code {
	var out []kernel.Code
	for i, dt := range []ir.DType{ir.Float32, ir.Int64, ir.Uint8, ir.Bool} {
		op := ir.OpMax
		if dt == ir.Bool {
			op = ir.OpXor
		}
		for n := 8; n < kernel.MaxPointers; n++ {
			if !allSizes && (i+n)%2 > 0 {
				continue
			}
			in := make([]kernel.Operand, n)
			for i := range in {
				in[i].DType = dt
			}
			in = append(in, kernel.Operand{DType: dt, Splat: true})
			for reductions := range min(4, kernel.MaxPointers-n) { // three have more accumulators than registers
				b := kernel.NewBuilder(in...)
				last := kernel.Ref(0)
				for i := range n {
					last = b.Op(op, last, kernel.Ref(i+1))
				}
				b.Store(last)
				combine := []ir.Op{ir.OpInvalid}
				for i := range reductions {
					b.Store(kernel.Ref(n - 1 - i))
					combine = append(combine, op)
				}
				out = append(out, reduction(b.Kernel(), combine...))
			}
		}
	}
	b := kernel.NewBuilder(slices.Repeat([]kernel.Operand{{DType: ir.Float32}}, 5)...) // rows in pairs
	b.Store(b.Op(ir.OpAdd, b.Op(ir.OpAdd, b.Op(ir.OpAdd, b.Op(ir.OpAdd, 0, 1), 2), 3), 4))
	return append(out, reduction(b.Kernel(), ir.OpAdd))
}
