package vector

// Fused multiply-adds x*y+z, whose result overwrites one of the sources.

// fma chooses the source that the result overwrites: preferably one in a register without
// a further use, otherwise one that has to be loaded, otherwise a copy of one. The next value of a pinned accumulator overwrites
// the accumulator; if that is no source, inst moves the result there.
func (a *allocator) fma(r Ref, n Node, i *Inst) {
	a.lock(n.Arg[:3])
	overwritten := a.overwrittenSource(n)
	next, carried := a.hints[r]
	for s := range 3 {
		if carried && int(a.where[n.Arg[s]]) == next {
			overwritten = s
		}
	}
	mem := -1 // the source that stays in memory
	for s := range 3 {
		v := n.Arg[s]
		if v == n.Arg[overwritten] || a.where[v] >= 0 {
			continue
		}
		if mem < 0 && a.inMemory(v) {
			mem = s
		} else {
			a.ensure(v)
		}
	}
	dst := next
	if !carried || int(a.where[n.Arg[overwritten]]) != next {
		dst = a.fmaTarget(n.Arg[overwritten])
	}
	at := func(s int) Loc {
		switch {
		case s == mem:
			return a.memOperand(n.Arg[s])
		case n.Arg[s] == n.Arg[overwritten]:
			return Loc{Index: dst}
		}
		return Loc{Index: int(a.where[n.Arg[s]])}
	}
	// x is the factor that is overwritten; if the addend is, x is a factor in a register.
	x, y, z := 0, 1, 2
	if overwritten == 1 || overwritten == 2 && mem == 0 {
		x, y = 1, 0
	}
	i.Src = a.newLocs(2)
	switch {
	case overwritten == z:
		i.Fused = OverAddend
		i.Src[0], i.Src[1] = at(x), at(y)
	case mem == z:
		i.Fused = OverFactorAddendLast
		i.Src[0], i.Src[1] = at(y), at(z)
	default:
		i.Fused = OverFactor
		i.Src[0], i.Src[1] = at(z), at(y)
	}
	i.Dst = dst
	a.releaseAll(n)
	if !carried && !a.dead(r) {
		a.put(r, dst)
	}
}

// overwrittenSource chooses the source that the result overwrites: see fma.
func (a *allocator) overwrittenSource(n Node) int {
	for s := range 3 {
		if v := n.Arg[s]; a.where[v] >= 0 && !a.isPinned(v) && a.dead(v) {
			return s
		}
	}
	for s := 2; s >= 0; s-- {
		if a.where[n.Arg[s]] < 0 {
			return s
		}
	}
	return 2
}

// fmaTarget returns a register that holds v and may be overwritten: its own if v has no
// further use, otherwise that of a copy.
func (a *allocator) fmaTarget(v Ref) int {
	r := int(a.where[v])
	if r >= 0 && !a.isPinned(v) && a.dead(v) {
		return r
	}
	dst := a.take(v)
	if r < 0 {
		a.load(v, dst)
	} else {
		a.move(r, dst)
	}
	return dst
}
