package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Folds that few elements take part in. Where the greatest or least element of a
// row stands is a fold by min or max of
//
//	select (x == s or x != x) a b
//
// with the element s found before: nearly always b, of which the fold keeps one.
// The main loop asks with one comparison for each vector whether any of its
// elements may be others; what else the body does stands behind the function.

// guard is what the main loop has in place of the body.
type guard struct {
	tests int           // how many of body.main's instructions are the test
	taken []machineInst // what it does where it does not jump
}

// guardOf puts the test in front of the instructions of a main loop, and returns
// besides what is done where it fails. Other kinds of kernels stay as they are.
func (g *graph) guardOf(k *ir.Kernel, copies []ref) (order, taken []ref) {
	fs := foldsOf(k)
	if len(k.Out) > 1 || len(fs) != 1 || fs[0].by != ir.OpMin && fs[0].by != ir.OpMax {
		return copies, nil
	}
	f := fs[0]
	sel := k.Inst(f.v)
	if sel == nil || sel.Op != ir.OpSelect {
		return copies, nil
	}
	x, s, ok := equalOrNaN(k, sel.Args[0])
	b := sel.Args[2]
	if !ok || int(b) >= len(k.In) || !k.In[b].Splat {
		return copies, nil
	}
	any := none
	for turn := range turns {
		l := &lowerer{graph: g, k: k, copy: turn}
		u, v := l.load(int(x)), l.load(int(s))
		for p := range parts(k.DType(x)) {
			m := g.imm(widthOf("VCMP", k.DType(x)), cmpEqOrUnord, u.part[p], v.part[p])
			if any != none {
				m = g.op("VORPS", any, m)
			}
			any = m
		}
	}
	jump := g.add(node{kind: kOp, op: opcodeOf("GUARD"), arg: args4([]ref{any})})
	order = append(g.schedule([]ref{jump}, g.isInvariant, apart), copies...)
	l := &lowerer{graph: g, k: k}
	rest := l.load(int(b))
	var roots []ref
	for p := range parts(f.d) {
		acc := g.accumulator(f, p, 0)
		roots = append(roots, g.carry(acc, f.row(g, acc, rest.part[p])))
	}
	return order, g.schedule(roots, g.isInvariant, apart)
}

// equalOrNaN reports whether a value is x == s or x != x, for floating-point
// inputs x and s, which is a splat.
func equalOrNaN(k *ir.Kernel, r ir.Ref) (x, s ir.Ref, ok bool) {
	or := k.Inst(r)
	if or == nil || or.Op != ir.OpOr {
		return 0, 0, false
	}
	eq, ne := k.Inst(or.Args[0]), k.Inst(or.Args[1])
	if eq == nil || ne == nil || eq.Op != ir.OpEq || ne.Op != ir.OpNe {
		return 0, 0, false
	}
	x, s = eq.Args[0], eq.Args[1]
	for _, r := range []ir.Ref{x, s} {
		if int(r) >= len(k.In) || !ir.Floats.Has(k.DType(r)) || k.In[r].Splat != (r == s) {
			return 0, 0, false
		}
	}
	return x, s, ne.Args[0] == x && ne.Args[1] == x
}

// newGuard allocates what the main loop does where the test fails.
func (g *graph) newGuard(b *body, taken []ref, pinned, slots map[ref]int) error {
	a, err := g.allocate(taken, pinned, slots)
	if err != nil {
		return err
	}
	jump := slices.IndexFunc(b.main, func(i machineInst) bool { return i.name == "GUARD" })
	b.guard, b.spills = &guard{jump + 1, a.out}, max(b.spills, a.spills)
	return nil
}

// guardedStep writes the main loop's step: the test, and what follows if it fails.
func (n *nest) guardedStep() {
	n.insts(n.b.main[:n.b.guard.tests])
	n.insts(n.b.guard.taken)
	n.here("looked")
}

// jumpIfAny is the end of the test.
func (n *nest) jumpIfAny(i *machineInst) {
	v := i.src[0].index
	n.do("VPTEST", y(v), y(v))
	n.do("JNE", label("found"))
}

// found writes the body that the main loop jumps to.
func (n *nest) found() {
	if g := n.b.guard; g != nil {
		n.here("found")
		n.insts(n.b.main[g.tests:])
		n.do("JMP", label("looked"))
	}
}
