package avo

import "slices"

// exit is a stub with the places of everything it moves.
type exit struct {
	*stub
	from  []loc // of the sources
	to    []int // the registers of the results
	saved []int // the registers that the main path needs afterwards
}

// detour allocates the test and the stub. The main path has its results then:
// those of the last operands, which the stub replaces.
func (a *allocator) detour(n node, i *machineInst) {
	e := &exit{stub: a.g.stubs[n.slot]}
	a.now-- // all sources are needed until the stub has run
	a.lock(e.test)
	for _, v := range e.test {
		i.src = append(i.src, loc{index: a.ensure(v)})
	}
	for _, z := range e.z {
		if a.ends(z) {
			a.locked[a.where[z]] = true
		}
	}
	owned := map[int]bool{}
	for j, z := range e.z {
		e.to = append(e.to, a.own(z, e.results[j], owned))
	}
	for _, v := range e.in {
		if r := a.where[v]; r >= 0 {
			e.from = append(e.from, loc{index: int(r)})
			continue
		}
		from, ok := a.home(v)
		if !ok {
			panic("BUG: codegen/avo: a source that is nowhere")
		}
		e.from = append(e.from, from)
	}
	a.now++
	for _, v := range slices.Concat(e.test, e.in, e.z) {
		a.release(v)
	}
	for j, r := range e.to {
		a.put(e.results[j], r)
	}
	for r, v := range a.reg {
		if v != emptyReg && !owned[r] {
			e.saved = append(e.saved, r)
		}
	}
	for _, v := range e.results {
		a.release(v) // if nothing reads it
	}
	i.exit = e
}

// ends reports whether v is in a register that the next instruction frees.
func (a *allocator) ends(v ref) bool {
	u := a.uses[v]
	return a.where[v] >= 0 && !a.isPinned(v) && (len(u) == 0 || u[len(u)-1] <= a.now+1)
}

// own returns a register that holds z and becomes a result's.
func (a *allocator) own(z, result ref, owned map[int]bool) int {
	r := int(a.where[z])
	if a.ends(z) && !owned[r] {
		owned[r] = true
		return r
	}
	dst := a.take()
	switch {
	case r < 0:
		a.load(z, dst)
	default:
		a.cost += costMove
		a.emit(machineInst{op: opMove, name: opMove.name, dst: dst, src: []loc{{index: r}}})
	}
	a.put(result, dst)
	a.locked[dst], owned[dst] = true, true
	return dst
}
