package vector

// over allocates an instruction whose result overwrites one of several sources, such as a multiply-add that overwrites its addend: one in a
// register without a further use, otherwise one that has to be loaded, otherwise a copy of one. The next value of a pinned accumulator
// overwrites the accumulator; if that is no such source, inst moves the result there.
func (a *allocator) over(r Ref, n Node, i *Inst) {
	args := n.Arg[:n.Op.Args]
	a.lock(args)
	next, carried := a.hints[r]
	over := a.overOf(&n, next, carried)
	i.Src, i.Over = a.newLocs(len(args)), over
	for s, v := range args {
		if s != over {
			i.Src[s] = Loc{Index: a.ensure(v)}
		}
	}
	if carried && int(a.where[args[over]]) == next {
		i.Dst = next
	} else {
		i.Dst = a.fmaTarget(args[over])
	}
	i.Src[over] = Loc{Index: i.Dst}
	a.releaseAll(n)
	if !carried && !a.dead(r) {
		a.put(r, i.Dst)
	}
}

// overOf chooses the source that the result overwrites: see over.
func (a *allocator) overOf(n *Node, next int, carried bool) int {
	best, score := -1, 0
	for s, v := range n.Arg[:n.Op.Args] {
		if n.Op.Overs>>s&1 == 0 {
			continue
		}
		own := 1
		switch reg := a.where[v]; {
		case carried && int(reg) == next:
			own = 4
		case reg >= 0 && !a.isPinned(v) && a.dead(v):
			own = 3
		case reg < 0:
			own = 2
		}
		if own > score {
			best, score = s, own
		}
	}
	return best
}
