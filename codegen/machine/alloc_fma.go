package machine

// Fused multiply-adds x*y+z, whose result overwrites one of the sources.

// fma chooses the source that the result overwrites. Best is one without a further
// use; then one that has to be loaded anyway; then a copy of one.
func (a *allocator) fma(r Ref, n Node, i *Inst) {
	a.lock(n.Arg[:3])
	victim := a.fmaVictim(n)
	mem := -1 // the source that stays in memory
	for s := range 3 {
		v := n.Arg[s]
		if v == n.Arg[victim] || a.where[v] >= 0 {
			continue
		}
		if mem < 0 && a.foldable(v) {
			mem = s
		} else {
			a.ensure(v)
		}
	}
	dst := a.fmaTarget(n.Arg[victim])
	at := func(s int) Loc {
		switch {
		case s == mem:
			return a.fold(n.Arg[s])
		case n.Arg[s] == n.Arg[victim]:
			return Loc{Index: dst}
		}
		return Loc{Index: int(a.where[n.Arg[s]])}
	}
	// x is the factor that is overwritten, or the one that must be in a register.
	x, y, z := 0, 1, 2
	if victim == 1 || victim == 2 && mem == 0 {
		x, y = 1, 0
	}
	switch {
	case victim == z:
		i.Fused, i.Src = OverAddend, []Loc{at(x), at(y)}
	case mem == z:
		i.Fused, i.Src = OverFactorAddendLast, []Loc{at(y), at(z)}
	default:
		i.Fused, i.Src = OverFactor, []Loc{at(z), at(y)}
	}
	i.Dst = dst
	a.releaseAll(n)
	if !a.dead(r) {
		a.put(r, dst)
	}
}

func (a *allocator) fmaVictim(n Node) int {
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

// fmaTarget returns a register that holds v and may be overwritten.
func (a *allocator) fmaTarget(v Ref) int {
	r := int(a.where[v])
	if r >= 0 && !a.isPinned(v) && a.dead(v) {
		return r
	}
	dst := a.take()
	if r < 0 {
		a.load(v, dst)
	} else {
		a.move(r, dst)
	}
	return dst
}
