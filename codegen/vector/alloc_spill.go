package vector

// The choice of values that have registers: eviction, spills, reloads, memory operands.

// A constant is loaded into a register if more than memoryUses of the next reuseWindow
// instructions read it. Otherwise each of them reads it as a memory operand, which takes
// no time in a body whose arithmetic is the bottleneck.
const (
	reuseWindow = 24
	memoryUses  = 2
)

// take returns an empty register for v. If none of its class is empty, it evicts the value with the furthest next use. For a
// value that is also in memory the distance counts three times, as evicting it takes no store.
func (a *allocator) take(v Ref) int {
	best, score := -1, -1.0
	first, end := a.registers(v)
	for r := first; r < end; r++ {
		w := a.reg[r]
		if w == emptyReg {
			return r
		}
		if a.locked[r] || a.isPinned(w) {
			continue
		}
		s := float64(a.next(w) - a.now)
		if _, clean := a.home(w); clean {
			s *= 3
		}
		if s > score {
			best, score = r, s
		}
	}
	if best < 0 {
		a.err = errPressure
		return first
	}
	a.evict(best)
	return best
}

// registers returns the range of registers, first to end-1, that may hold v.
func (a *allocator) registers(v Ref) (first, end int) {
	if a.g.At(v).Class == ClassVector {
		return 0, a.g.m.Registers
	}
	return a.g.m.Registers, len(a.reg)
}

// evict empties a register, and spills its value if nothing else holds it.
func (a *allocator) evict(r int) {
	v := a.reg[r]
	if _, ok := a.home(v); !ok && !a.dead(v) {
		a.spill[v] = int16(a.spillPlace())
		a.cost += costSave
		to, _ := a.home(v)
		a.save(r, to)
	}
	a.reg[r], a.where[v] = emptyReg, -1
}

func (a *allocator) spillPlace() int {
	if n := len(a.free); n > 0 {
		p := a.free[n-1]
		a.free = a.free[:n-1]
		return p
	}
	a.Spills++
	return a.Spills - 1
}

// release gives up the register and the spill place of a value without a further use.
func (a *allocator) release(v Ref) {
	if v == None || a.isPinned(v) || !a.dead(v) {
		return
	}
	if r := a.where[v]; r >= 0 {
		a.reg[r], a.where[v] = emptyReg, -1
	}
	if a.spill[v] >= 0 {
		a.freed = append(a.freed, int(a.spill[v]))
		a.spill[v] = -1
	}
}

// put records that r holds v.
func (a *allocator) put(v Ref, r int) { a.reg[r], a.where[v] = v, int8(r) }

// ensure returns the register of v after loading v if necessary, and locks it.
func (a *allocator) ensure(v Ref) int {
	r := int(a.where[v])
	if r < 0 {
		r = a.take(v)
		a.load(v, r)
		a.put(v, r)
	}
	a.locked[r] = true
	return r
}

// load copies v from memory to a register.
func (a *allocator) load(v Ref, r int) {
	from, ok := a.home(v)
	if !ok {
		panic("BUG: codegen/vector: a value without a place")
	}
	if from.Space != InOperand {
		a.cost += costLoad
	}
	a.emit(Inst{Op: OpLoad, Dst: r, Src: a.source(from)})
}

// inMemory reports whether v is best read as a memory operand: it is not in a register,
// and no register should be given to it before its next use.
func (a *allocator) inMemory(v Ref) bool {
	if a.where[v] >= 0 {
		return false
	}
	next := a.next(v)
	if n := a.g.At(v); n.Kind == KindLoad && n.Place.Bytes() < a.g.m.Width || next == never {
		return true
	}
	if a.g.At(v).Kind != KindLoad && a.soon(v) <= memoryUses {
		return true
	}
	first, end := a.registers(v)
	for r, w := range a.reg[first:end] {
		r += first
		if w == emptyReg {
			return false
		}
		if _, clean := a.home(w); clean && !a.locked[r] && !a.isPinned(w) && a.next(w) > next {
			return false
		}
	}
	return true
}

// soon counts the uses of v from the present instruction on, within reuseWindow.
func (a *allocator) soon(v Ref) int {
	n := 1
	for _, u := range a.uses[v] {
		if u > a.now && u <= a.now+reuseWindow {
			n++
		}
	}
	return n
}

// memOperand returns v as a memory operand.
func (a *allocator) memOperand(v Ref) Loc {
	from, _ := a.home(v)
	if from.Space != InOperand {
		a.cost += costMemory
	}
	return from
}
