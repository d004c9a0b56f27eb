package vector

import "slices"

// cold allocates the test of a cold block and the moves of its exit. If the block does not
// run, each result equals the last operand of its select, so the result gets the register
// of that operand, or that of a copy.
func (a *allocator) cold(n Node, i *Inst) {
	e := &Exit{Entry: a.g.entries[n.Slot]}
	a.now-- // keep all sources until the block has run
	a.lock(e.Test)
	for _, v := range e.Test {
		i.Src = append(i.Src, Loc{Index: a.ensure(v)})
	}
	for _, z := range e.Z {
		if a.ends(z) {
			a.locked[a.where[z]] = true
		}
	}
	owned := map[int]bool{}
	for j, z := range e.Z {
		e.To = append(e.To, a.own(z, e.Results[j], owned))
	}
	for _, v := range e.In {
		if r := a.where[v]; r >= 0 {
			e.From = append(e.From, Loc{Index: int(r)})
			continue
		}
		from, ok := a.home(v)
		if !ok {
			panic("BUG: codegen/vector: an input without a place")
		}
		e.From = append(e.From, from)
	}
	a.now++
	for _, v := range slices.Concat(e.Test, e.In, e.Z) {
		a.release(v)
	}
	for j, r := range e.To {
		a.put(e.Results[j], r)
	}
	for r, v := range a.reg {
		if v != emptyReg && !owned[r] {
			e.Saved = append(e.Saved, r)
		}
	}
	for _, v := range e.Results {
		a.release(v) // if nothing reads it
	}
	i.Exit = e
}

// ends reports whether v is in a register and has no use after the next instruction.
func (a *allocator) ends(v Ref) bool {
	u := a.uses[v]
	return a.where[v] >= 0 && !a.isPinned(v) && (len(u) == 0 || u[len(u)-1] <= a.now+1)
}

// own returns a register that holds z and becomes the result's.
func (a *allocator) own(z, result Ref, owned map[int]bool) int {
	r := int(a.where[z])
	if a.ends(z) && !owned[r] {
		owned[r] = true
		return r
	}
	dst := a.take(z)
	if r < 0 {
		a.load(z, dst)
	} else {
		a.move(r, dst)
	}
	a.put(result, dst)
	a.locked[dst], owned[dst] = true, true
	return dst
}
