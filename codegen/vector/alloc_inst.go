package vector

import "fmt"

// The allocation of one instruction.

func (a *allocator) inst(r Ref) {
	n := *a.g.At(r)
	clear(a.locked)
	i := Inst{Op: n.Op, Imm: n.Imm, Dst: -1, Place: n.Place, Slot: n.Slot}
	if n.Kind == KindSplat {
		i.Op = OpSplat
		i.Dst = a.result(r, n)
		a.emit(i)
		return
	}
	switch n.Op.Form {
	case FormCarry:
		a.carry(&n)
		return
	case FormScalarLoop:
		a.scalarLoop(n)
	case FormCold:
		a.cold(n, &i)
	case FormFMA:
		a.fma(r, n, &i)
	case FormOver:
		a.over(r, n, &i)
	default:
		i.Src = a.sources(&n)
		i.Imm = n.Imm
		if n.Op.Form < FormStore {
			i.Dst = a.result(r, n)
		} else {
			a.releaseAll(n)
		}
	}
	a.emit(i)
	if next, carried := a.hints[r]; carried && i.Dst != next {
		a.move(i.Dst, next)
	}
}

// lock prevents the eviction of sources that are in registers.
func (a *allocator) lock(sources []Ref) {
	for _, v := range sources {
		if r := a.where[v]; r >= 0 {
			a.locked[r] = true
		}
	}
}

func (a *allocator) releaseAll(n Node) {
	for _, v := range n.Arg {
		a.release(v)
	}
}

// result frees the registers of sources without a further use, and returns a register for
// the result, which may be one of those.
func (a *allocator) result(r Ref, n Node) int {
	a.releaseAll(n)
	clear(a.locked) // sources are read before the result is written
	if dst, ok := a.hints[r]; ok {
		return dst
	}
	dst := a.take(r)
	a.put(r, dst)
	if a.dead(r) { // one of two results that nothing reads
		a.reg[dst], a.where[r] = emptyReg, -1
	}
	return dst
}

// sources loads the sources of a plain instruction into registers, except the one that it reads from memory. Sources that
// commute are exchanged if that lets the instruction read one of them from memory.
func (a *allocator) sources(n *Node) []Loc {
	op := n.Op
	if op.Commutes && a.where[n.Arg[0]] < 0 && (a.where[n.Arg[1]] >= 0 || a.inMemory(n.Arg[0]) && !a.inMemory(n.Arg[1])) {
		n.Arg[0], n.Arg[1] = n.Arg[1], n.Arg[0]
		if op.Mirror != nil {
			n.Imm = op.Mirror(n.Imm)
		}
	}
	a.lock(n.Arg[:op.Args])
	src := a.newLocs(op.Args)
	for s := range op.Args {
		if s != op.Mem {
			src[s] = Loc{Index: a.ensure(n.Arg[s])}
		}
	}
	if op.Mem >= 0 {
		if v := n.Arg[op.Mem]; a.inMemory(v) {
			src[op.Mem] = a.memOperand(v)
		} else {
			src[op.Mem] = Loc{Index: a.ensure(v)}
		}
	}
	return src
}

// scalarLoop stores the four vectors where the scalar loop reads them.
func (a *allocator) scalarLoop(n Node) {
	a.lock(n.Arg[:])
	for j, v := range n.Arg {
		a.save(a.ensure(v), Loc{Space: InScratch, Index: n.Slot + j})
	}
	a.releaseAll(n)
}

// hint chooses the accumulator's own register for the next value of a pinned accumulator.
// checkCarries proves that the old value has no later use.
func (a *allocator) hint(n *Node) {
	if n.Kind == KindOp && n.Op.Form == FormCarry {
		if r, ok := a.pinned[a.g.Acc(n.Slot)]; ok {
			if a.hints == nil {
				a.hints = map[Ref]int{}
			}
			a.hints[n.Arg[0]] = r
		}
	}
}

// carry saves the next value of an accumulator that is on the stack.
func (a *allocator) carry(n *Node) {
	v := n.Arg[0]
	if _, ok := a.hints[v]; ok {
		return
	}
	a.cost += costCarry
	a.save(a.ensure(v), Loc{Space: InAcc, Index: n.Slot})
	a.release(v)
}

// checkCarries panics unless an accumulator is read for the last time before its
// next value takes its place: in its register when that is computed, on the stack
// when it is carried. Reductions lists accumulators in an order that ensures it.
func (a *allocator) checkCarries(order []Ref) {
	if len(a.g.Reductions) == 0 {
		return
	}
	at := make(map[Ref]int, len(order))
	for i, r := range order {
		at[r] = i
		n := a.g.At(r)
		if n.Kind != KindOp || n.Op.Form != FormCarry {
			continue
		}
		acc, end := a.g.Acc(n.Slot), i
		if _, ok := a.pinned[acc]; ok {
			end = at[n.Arg[0]]
		}
		if uses := a.uses[acc]; len(uses) > 0 && int(uses[len(uses)-1]) > end {
			panic(fmt.Sprintf("BUG: codegen/vector: accumulator %d is read after its next value is computed", n.Slot))
		}
	}
}
