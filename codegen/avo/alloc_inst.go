package avo

// The allocation of one instruction.

func (a *allocator) inst(r ref) {
	n := *a.g.at(r)
	a.locked = [vectorRegisters]bool{}
	i := machineInst{op: n.op, imm: n.imm, dst: -1, place: n.place, slot: n.slot}
	switch {
	case n.op != nil && n.op.form == formCarry:
		a.carry(&n)
		return
	case n.kind == kSplat:
		i.op = opSplat
		i.dst = a.result(r, n)
	case n.op.form == formDivRem:
		a.divRem(n)
	case n.op.form == formDetour:
		a.detour(n, &i)
	case n.op.form == formFMA:
		a.fma(r, n, &i)
	default:
		i.src = a.sources(&n)
		i.imm = n.imm
		if n.op.form < formStore {
			i.dst = a.result(r, n)
		} else {
			a.releaseAll(n)
		}
	}
	if i.name == "" {
		i.name = i.op.name
	}
	a.emit(i)
}

var opSplat = &opcode{name: "SPLAT", mem: -1}

// lock keeps the sources that are in registers there.
func (a *allocator) lock(sources []ref) {
	for _, v := range sources {
		if r := a.where[v]; r >= 0 {
			a.locked[r] = true
		}
	}
}

func (a *allocator) releaseAll(n node) {
	for _, v := range n.arg {
		a.release(v)
	}
}

// result gives the registers of sources that die free and takes one for the
// result, which may be one of those.
func (a *allocator) result(r ref, n node) int {
	a.releaseAll(n)
	a.locked = [vectorRegisters]bool{} // sources are read before the result is written
	if dst, ok := a.lands[r]; ok {
		return dst
	}
	dst := a.take()
	a.put(r, dst)
	if a.next(r) == far { // not used after all, as one half of two results
		a.reg[dst], a.where[r] = emptyReg, -1
	}
	return dst
}

// sources brings the sources of a plain instruction to where it can read them.
func (a *allocator) sources(n *node) []loc {
	op := n.op
	if op.comm && a.where[n.arg[0]] < 0 && (a.where[n.arg[1]] >= 0 || a.foldable(n.arg[0]) && !a.foldable(n.arg[1])) {
		n.arg[0], n.arg[1] = n.arg[1], n.arg[0]
		if op.compares {
			n.imm = mirrored(n.imm)
		}
	}
	a.lock(n.arg[:op.args])
	src := make([]loc, op.args)
	for s := range op.args {
		if s != op.mem {
			src[s] = loc{index: a.ensure(n.arg[s])}
		}
	}
	if op.mem >= 0 {
		if v := n.arg[op.mem]; a.foldable(v) {
			src[op.mem] = a.fold(v)
		} else {
			src[op.mem] = loc{index: a.ensure(v)}
		}
	}
	return src
}

// divRem puts the four vectors where the scalar loop takes them.
func (a *allocator) divRem(n node) {
	a.lock(n.arg[:])
	for j, v := range n.arg {
		src := loc{index: a.ensure(v)}
		a.emit(machineInst{op: opSave, name: opSave.name, dst: -1, src: []loc{src}, to: loc{space: inScratch, index: n.slot + j}})
	}
	a.releaseAll(n)
}

// fma chooses the source whose register the result takes, and the encoding
// that follows: 132 and 213 overwrite a factor, 231 the addend. Best is a source
// that dies; then one that has to be loaded anyway; then a copy of one.
func (a *allocator) fma(r ref, n node, i *machineInst) {
	a.lock(n.arg[:3])
	victim := a.fmaVictim(n)
	mem := -1 // the source that stays in memory
	for s := range 3 {
		v := n.arg[s]
		if v == n.arg[victim] || a.where[v] >= 0 {
			continue
		}
		if mem < 0 && a.foldable(v) {
			mem = s
		} else {
			a.ensure(v)
		}
	}
	dst := a.fmaTarget(n.arg[victim])
	at := func(s int) loc {
		switch {
		case s == mem:
			return a.fold(n.arg[s])
		case n.arg[s] == n.arg[victim]:
			return loc{index: dst}
		}
		return loc{index: int(a.where[n.arg[s]])}
	}
	x, y, z := 0, 1, 2
	if victim == 1 || victim == 2 && mem == 0 {
		x, y = 1, 0
	}
	// x is the factor that is overwritten, or the one that must be in a register.
	switch {
	case victim == 2:
		i.name, i.src = spelled(n.op, "231"), []loc{at(x), at(y)}
	case mem == z:
		i.name, i.src = spelled(n.op, "213"), []loc{at(y), at(z)}
	default:
		i.name, i.src = spelled(n.op, "132"), []loc{at(z), at(y)}
	}
	i.dst = dst
	a.releaseAll(n)
	if a.next(r) != far {
		a.put(r, dst)
	}
}

func (a *allocator) fmaVictim(n node) int {
	for s := range 3 {
		if v := n.arg[s]; a.where[v] >= 0 && !a.isPinned(v) && a.next(v) == far {
			return s
		}
	}
	for s := 2; s >= 0; s-- {
		if a.where[n.arg[s]] < 0 {
			return s
		}
	}
	return 2
}

// fmaTarget returns a register that holds v and may be overwritten.
func (a *allocator) fmaTarget(v ref) int {
	r := a.where[v]
	if r >= 0 && !a.isPinned(v) && a.next(v) == far {
		return int(r)
	}
	dst := a.take()
	if r < 0 {
		a.load(v, dst)
	} else {
		a.cost += costMove
		a.emit(machineInst{op: opMove, name: opMove.name, dst: dst, src: []loc{{index: int(r)}}})
	}
	return dst
}
