package nest

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// The checks of a task's accesses to buffers against each other: parallel iterations are independent, and elements are stored once
// and before they are read.

// maxRegions is the greatest number of regions of a buffer that are kept.
const maxRegions = 1024

// races checks that no parallel iteration touches elements that another one stores.
func (v *verifier) races() {
	byMemory := map[memoryID][]*access{}
	var order []memoryID
	for i := range v.accesses {
		a := &v.accesses[i]
		id, _ := v.memoryOf(a.slot)
		if byMemory[id] == nil {
			order = append(order, id)
		}
		byMemory[id] = append(byMemory[id], a)
	}
	for _, id := range order {
		list := byMemory[id]
		if !slices.ContainsFunc(list, func(a *access) bool { return a.stores }) {
			continue
		}
		v.partsApart(list)
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].part == list[0].part {
				n++
			}
			v.iterationsApart(list[:n])
			list = list[n:]
		}
	}
}

// partsApart checks the accesses to one memory by different parts.
func (v *verifier) partsApart(list []*access) {
	if list[0].part == list[len(list)-1].part {
		return
	}
	var regions []struct {
		region
		part   int
		stores bool
	}
	for _, a := range list {
		if len(regions) > maxRegions {
			v.fail(a.place, "more than %d regions of one buffer in several parts", maxRegions)
			return
		}
		known := false
		for _, r := range regions {
			if r.part == a.part {
				known = known || r.stores == a.stores && r.contains(&a.all)
			} else if (r.stores || a.stores) && !r.apart(&a.all) {
				v.fail(a.place, "part %d touches the same bytes, at the same time", r.part)
				return
			}
		}
		if !known {
			regions = append(regions, struct {
				region
				part   int
				stores bool
			}{a.all, a.part, a.stores})
		}
	}
}

// coverage checks that elements are stored before they are read, and once.
func (v *verifier) coverage() {
	var above *access // of the call
	for i := range v.accesses {
		a := &v.accesses[i]
		state := &v.buffers[a.slot.Buffer]
		state.dies = v.index
		switch {
		case a.above:
			above = a
		case !a.stores || a.updates:
			if !v.isStored(a) {
				v.fail(a.place, "it is read before it is stored")
				return
			}
		case len(state.regions) >= maxRegions:
			v.fail(a.place, "the buffer is stored in more than %d regions", maxRegions)
			return
		default:
			if state.born == never {
				state.born = v.index
			}
			v.store(a)
			if above != nil && !v.isStored(above) {
				v.fail(above.place, "it is read before it is stored")
				return
			}
			above = nil
		}
	}
}

// isStored reports whether everything that an access touches has been stored. If the stored regions do not form a single one, it
// only requires that the access stays between the first and the last stored byte. Two cases need this: partial panels, whose
// missing columns are never stored or read, and rows whose first elements another call stores.
func (v *verifier) isStored(a *access) bool {
	state := &v.buffers[a.slot.Buffer]
	inside := func(r region) bool { return r.contains(&a.all) }
	if state.stored == v.bytes(a.slot.Buffer) || slices.ContainsFunc(state.regions, inside) {
		return true
	}
	if len(state.regions) == 0 || len(state.regions) == 1 && v.p.Buffers[a.slot.Buffer].Kind != plan.TempBuffer {
		return false
	}
	lo, hi := state.regions[0].lo, state.regions[0].hi
	for _, r := range state.regions {
		lo, hi = min(lo, r.lo), max(hi, r.hi)
	}
	var c checked
	from, to := a.bounds(&c, -1, 1)
	return !c.bad && c.add(a.begin, from) >= lo && c.add(a.begin, to)+a.size <= hi
}

// bytes returns the size of a buffer, which fits an int.
func (v *verifier) bytes(buffer int) int {
	b := &v.p.Buffers[buffer]
	return b.Size() * b.DType.Size()
}

// store records the elements that a call stores for the first time.
func (v *verifier) store(a *access) {
	state := &v.buffers[a.slot.Buffer]
	meets := func(r region) bool { return !r.apart(&a.all) }
	if !a.all.injective() || slices.ContainsFunc(state.regions, meets) {
		v.fail(a.place, "elements are stored a second time")
		return
	}
	var c checked
	state.stored = c.add(state.stored, c.mul(a.elems(&c, -1, 1), a.size))
	if c.bad {
		v.fail(a.place, "its bytes pass int")
		return
	}
	r := a.all
	for i := 0; i < len(state.regions); i++ {
		if union, ok := r.join(&c, &state.regions[i]); ok && !c.bad {
			r, state.regions = union, slices.Delete(state.regions, i, i+1)
			i = -1
		}
	}
	state.regions = append(state.regions, r)
}

// results checks that results are stored in full.
func (v *verifier) results() {
	for i := range v.p.Buffers {
		if n, all := v.buffers[i].stored, v.bytes(i); v.p.Buffers[i].Kind == plan.ResultBuffer && n != all {
			v.violation(fmt.Sprint("buffer ", i), "%%%d: %d bytes of the result are stored, it has %d", i, n, all)
		}
	}
}

// lifetimes checks temporaries that share bytes.
func (v *verifier) lifetimes() {
	var lives []plan.Life
	for i := range v.p.Buffers {
		if s := &v.buffers[i]; v.p.Buffers[i].Kind == plan.TempBuffer && s.born != never {
			lives = append(lives, plan.Life{Buffer: i, Born: s.born, Dies: s.dies})
		}
	}
	plan.Together(v.p.Buffers, lives, func(early, late plan.Life) {
		a, b := &v.p.Buffers[early.Buffer], &v.p.Buffers[late.Buffer]
		inPlace := a.Offset == b.Offset && a.DType.Size() == b.DType.Size() && early.Born < late.Born && early.Dies == late.Born
		if !inPlace {
			v.violation(fmt.Sprint("buffer ", late.Buffer), "%%%d shares bytes with %%%d, and both are live in task %d", late.Buffer, early.Buffer, late.Born)
		}
	})
}
