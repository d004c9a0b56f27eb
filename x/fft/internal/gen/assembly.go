package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// This file prints code as assembly. Vector registers are allocated in the order of the operations; the register whose
// value is needed last is spilled (Belady, A study of replacement algorithms for virtual-storage computers, 1966).

// pool has the constants of all kernels.
type pool struct{ names []string }

// name returns the symbol of a constant, a vector of f.
func (p *pool) name(t elem, f float64) string {
	name := fmt.Sprintf("c%s_%x", t.bits, bitsOf(t, f))
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	return name
}

func bitsOf(t elem, f float64) uint64 {
	if t.bytes == 4 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func (p *pool) write(w io.Writer) {
	for _, name := range p.names {
		bits, hex, _ := strings.Cut(name[1:], "_")
		size := map[string]int{"32": 4, "64": 8}[bits]
		fmt.Fprintln(w)
		for at := 0; at < 32; at += size {
			fmt.Fprintf(w, "DATA %s<>+%d(SB)/%d, $0x%s\n", name, at, size, hex)
		}
		fmt.Fprintf(w, "GLOBL %s<>(SB), RODATA|NOPTR, $32\n", name)
	}
}

// The general registers. Multiples of a leg are in registers times 1, 2 or 4.
var (
	bases  = map[string]string{"in": "AX", "inIm": "BX", "out": "CX", "outIm": "DX", "table": "SI"}
	inLeg  = map[int]string{1: "R8", 3: "R9", 5: "R10", 7: "R11"}
	outLeg = map[int]string{1: "R12", 3: "R13", 5: "R14", 7: "R15"}
)

// The words of the stack before the spilled vectors: the numbers of rows and columns left, and the row's addresses.
const (
	slotRows   = iota
	slotCols   // in a transposition
	slotStep   // of the output from one column to the next, in a transposition
	slotSecond // the address of the second table, in a transposition
	slotArrays
	slots = slotArrays + 4
)

type allocator struct {
	*code
	w      io.Writer
	pool   *pool
	uses   [][]int // of each value: the operations that read it, in order
	reg    []int   // of each value, or -1
	held   [16]int // value of each register, or -1
	slot   []int   // of each spilled value, or -1
	slots  int
	locked [16]bool
}

// writeAssembly prints a kernel: loops over rows and columns around the code of one vector of columns.
func writeAssembly(w io.Writer, name string, c *code, p *pool) {
	var body strings.Builder
	a := &allocator{code: c, w: &body, pool: p, uses: make([][]int, len(c.ops))}
	for i, o := range c.ops {
		a.reg, a.slot = append(a.reg, -1), append(a.slot, -1)
		for _, v := range o.arg {
			a.uses[v] = append(a.uses[v], i)
		}
	}
	for i := range a.held {
		a.held[i] = -1
	}
	for i := range c.ops {
		a.emit(i)
	}
	l := loops{w, c}
	vector := c.bytes * c.lanes
	fmt.Fprintf(w, "\n// func %s(f *Frame)\nTEXT ·%s(SB), NOSPLIT, $%d-8\n", name, name, 8*slots+vector*a.slots)
	l.enter()
	fmt.Fprintf(w, "\ncolumn:\n%s", body.String())
	l.leave()
}

// loops prints the loops around the code of one vector of columns. DI has the address of the frame outside the loop over
// columns. Inside, it counts the columns left; in a transposition it has the address of the second table.
type loops struct {
	w io.Writer
	*code
}

func (l loops) line(format string, args ...any) { fmt.Fprintf(l.w, "\t"+format+"\n", args...) }

// moving lists the arrays whose addresses are advanced: their registers, the names of their steps from one row to the
// next, and the bytes from one column to the next, 0 for those in slotStep.
func (l loops) moving() (registers, rows []string, columns []int) {
	for i, name := range []string{"in", "inIm", "out", "outIm"} {
		f := []form{l.in, l.out}[i/2]
		if i%2 == 1 && f != split && !l.mirrored {
			continue
		}
		bytes := l.bytes * l.lanes
		switch {
		case l.turned && i >= 2:
			bytes = 0
		case i%2 == 1 && l.mirrored:
			bytes *= -2
		case f != split:
			bytes *= 2
		}
		registers, columns = append(registers, bases[name]), append(columns, bytes)
		rows = append(rows, []string{"InRow", "OutRow"}[i/2])
	}
	return registers, rows, columns
}

func (l loops) enter() {
	l.line("MOVQ f+0(FP), DI")
	for _, load := range [][2]string{{"In", "AX"}, {"InIm", "BX"}, {"Out", "CX"}, {"OutIm", "DX"}, {"Table", "SI"}, {"InLeg", "R8"}, {"OutLeg", "R12"}} {
		l.line("MOVQ Frame_%s(DI), %s", load[0], load[1])
	}
	if l.out != split && !l.mirrored {
		l.line("MOVQ Frame_Second(DI), DX")
	}
	for _, legs := range []map[int]string{inLeg, outLeg} {
		if l.legs > 3 || l.legs == 3 {
			l.line("LEAQ (%s)(%[1]s*2), %s", legs[1], legs[3])
		}
		if l.legs > 5 {
			l.line("LEAQ (%s)(%[1]s*4), %s", legs[1], legs[5])
		}
		if l.legs > 7 {
			l.line("LEAQ (%s)(%s*2), %s", legs[5], legs[1], legs[7])
		}
	}
	if l.turned {
		l.line("MOVQ Frame_Second(DI), DI")
		l.line("MOVQ DI, %d(SP)", 8*slotSecond)
		l.line("MOVQ R12, DI")
		l.line("SHLQ $%d, DI", map[int]int{4: 2, 8: 3}[l.lanes])
		l.line("MOVQ DI, %d(SP)", 8*slotStep)
		l.line("MOVQ f+0(FP), DI")
	}
	l.line("MOVQ Frame_Rows(DI), DI")
	fmt.Fprintln(l.w, "\nrow:")
	l.line("MOVQ DI, %d(SP)", 8*slotRows)
	registers, _, _ := l.moving()
	for i, r := range registers {
		l.line("MOVQ %s, %d(SP)", r, 8*(slotArrays+i))
	}
	l.line("MOVQ f+0(FP), DI")
	l.line("MOVQ Frame_Cols(DI), DI")
	if l.turned {
		l.line("MOVQ DI, %d(SP)", 8*slotCols)
		l.line("MOVQ %d(SP), DI", 8*slotSecond)
	}
}

func (l loops) leave() {
	registers, rows, columns := l.moving()
	for i, r := range registers {
		if columns[i] == 0 {
			l.line("ADDQ %d(SP), %s", 8*slotStep, r)
		} else {
			l.line("ADDQ $%d, %s", columns[i], r)
		}
	}
	if l.turned || l.mirrored {
		l.line("ADDQ $%d, SI", l.table)
	}
	if l.turned {
		l.line("SUBQ $%d, %d(SP)", l.lanes, 8*slotCols)
	} else {
		l.line("SUBQ $%d, DI", l.lanes)
	}
	l.line("JGT column")
	fmt.Fprintln(l.w)
	l.line("MOVQ f+0(FP), DI")
	for i, r := range registers {
		l.line("MOVQ %d(SP), %s", 8*(slotArrays+i), r)
		l.line("ADDQ Frame_%s(DI), %s", rows[i], r)
	}
	if l.turned {
		l.line("ADDQ $%d, %d(SP)", l.second, 8*slotSecond)
	} else if !l.mirrored {
		l.line("ADDQ $%d, SI", l.table)
	}
	l.line("MOVQ %d(SP), DI", 8*slotRows)
	l.line("DECQ DI")
	l.line("JNZ row")
	l.line("VZEROUPPER")
	l.line("RET")
}

func (a *allocator) next(v, after int) int {
	for _, u := range a.uses[v] {
		if u > after {
			return u
		}
	}
	return math.MaxInt
}

func (a *allocator) address(p place) string {
	base := bases[p.array]
	if p.array == "second" {
		base = map[bool]string{true: "DI", false: "DX"}[a.turned && a.out == split]
	}
	var leg string
	if p.leg > 0 {
		regs := inLeg
		if strings.HasPrefix(p.array, "out") {
			regs = outLeg
		}
		m, scale := p.leg, 1
		for ; m%2 == 0; m, scale = m/2, scale*2 {
		}
		leg = fmt.Sprintf("(%s*%d)", regs[m], scale)
	}
	if p.bytes == 0 {
		return fmt.Sprintf("(%s)%s", base, leg)
	}
	return fmt.Sprintf("%d(%s)%s", p.bytes, base, leg)
}

// take returns a register for the value of operation i.
func (a *allocator) take(i int) int {
	best, far := -1, -1
	for r, v := range a.held {
		if a.locked[r] {
			continue
		}
		if v < 0 {
			return r
		}
		next := a.next(v, i-1)
		if next == math.MaxInt {
			a.free(v)
			return r
		}
		if next > far || next == far && a.again(v) {
			best, far = r, next
		}
	}
	v := a.held[best]
	if a.slot[v] < 0 && !a.again(v) {
		a.slot[v] = a.slots
		a.slots++
		a.line("VMOVUP%s Y%d, %s", a.suffix[1:], best, a.spilled(v))
	}
	a.free(v)
	return best
}

// again reports whether a value can be loaded again from where it came from.
func (a *allocator) again(v int) bool {
	switch a.ops[v].name {
	case "const", "splat", "load":
		return true
	}
	return false
}

func (a *allocator) free(v int) {
	a.held[a.reg[v]] = -1
	a.reg[v] = -1
}

func (a *allocator) put(v, r int) { a.reg[v], a.held[r] = r, v }

func (a *allocator) spilled(v int) string {
	return fmt.Sprintf("%d(SP)", 8*slots+a.slot[v]*a.bytes*a.lanes)
}

func (a *allocator) line(format string, args ...any) { fmt.Fprintf(a.w, "\t"+format+"\n", args...) }

// fetch loads a value that is not in a register.
func (a *allocator) fetch(v, i int) int {
	r := a.reg[v]
	if r < 0 {
		r = a.take(i)
		o := a.ops[v]
		switch {
		case o.name == "const":
			a.line("VMOVUP%s %s<>(SB), Y%d", a.suffix[1:], a.pool.name(a.elem, o.f), r)
		case o.name == "splat":
			a.splatTo(o, r)
		case o.name == "load":
			a.line("VMOVUP%s %s, Y%d", a.suffix[1:], a.address(o.at), r)
		default:
			a.line("VMOVUP%s %s, Y%d", a.suffix[1:], a.spilled(v), r)
		}
		a.put(v, r)
	}
	a.locked[r] = true
	return r
}

func (a *allocator) splatTo(o op, r int) {
	a.line("VBROADCASTS%s %s, Y%d", a.suffix[1:], a.address(o.at), r)
}

var mnemonics = map[string]string{"add": "VADD", "sub": "VSUB", "mul": "VMUL", "unpacklow": "VUNPCKL", "unpackhigh": "VUNPCKH"}

// inMemory returns the memory operand of a value that is not in a register, if this is its last use.
func (a *allocator) inMemory(v, i int) string {
	switch {
	case a.reg[v] >= 0 || a.again(v) && a.ops[v].name == "splat":
		return ""
	case a.ops[v].name == "const":
		return a.pool.name(a.elem, a.ops[v].f) + "<>(SB)"
	case a.ops[v].name == "load" && a.next(v, i) == math.MaxInt:
		return a.address(a.ops[v].at)
	case a.slot[v] >= 0 && a.next(v, i) == math.MaxInt:
		return a.spilled(v)
	}
	return ""
}

// emit prints operation i.
func (a *allocator) emit(i int) {
	o := a.ops[i]
	a.locked = [16]bool{}
	if len(a.uses[i]) == 0 && o.name != "store" {
		return
	}
	dies := func(v int) bool { return a.next(v, i) == math.MaxInt }
	switch o.name {
	case "const", "splat", "load":
		return // loaded where it is used
	case "store":
		r := a.fetch(o.arg[0], i)
		a.line("VMOVUP%s Y%d, %s", a.suffix[1:], r, a.address(o.at))
		if dies(o.arg[0]) {
			a.free(o.arg[0])
		}
		return
	case "fma", "fms", "fnma":
		a.fused(i)
		return
	}
	x, y := o.arg[0], o.arg[1]
	if (o.name == "add" || o.name == "mul") && x != y && a.inMemory(x, i) != "" {
		x, y = y, x
	}
	first := a.fetch(x, i)
	second := a.inMemory(y, i)
	if second == "" || x == y {
		second = fmt.Sprintf("Y%d", a.fetch(y, i))
	}
	for _, v := range []int{x, y} {
		if dies(v) && a.reg[v] >= 0 {
			a.locked[a.reg[v]] = false
			a.free(v)
		}
	}
	r := a.take(i)
	a.put(i, r)
	switch o.name {
	case "perm128":
		a.line("VPERM2F128 $0x%x, %s, Y%d, Y%d", o.imm, second, first, r)
	case "reverse4":
		a.line("VPERMPD $0x%x, %s, Y%d", o.imm, second, r)
	case "shuffle":
		a.line("VSHUF%s $0x%x, %s, Y%d, Y%d", a.suffix, o.imm, second, first, r)
	case "even", "odd": // of the halves of both
		if a.bytes == 8 {
			a.line("%s%s %s, Y%d, Y%d", map[string]string{"even": "VUNPCKL", "odd": "VUNPCKH"}[o.name], a.suffix, second, first, r)
		} else {
			a.line("VSHUFPS $0x%x, %s, Y%d, Y%d", map[string]int{"even": 0x88, "odd": 0xDD}[o.name], second, first, r)
		}
	default:
		a.line("%s%s %s, Y%d, Y%d", mnemonics[o.name], a.suffix, second, first, r)
	}
}

// fused prints x*y+z, x*y-z or z-x*y, over an operand that is not needed any more.
func (a *allocator) fused(i int) {
	o := a.ops[i]
	stem := map[string]string{"fma": "VFMADD", "fms": "VFMSUB", "fnma": "VFNMADD"}[o.name]
	x, y, z := o.arg[0], o.arg[1], o.arg[2]
	dies := func(v int) bool { return a.next(v, i) == math.MaxInt }
	if dies(x) && !dies(y) {
		x, y = y, x
	}
	if dies(z) || !dies(y) || x == y {
		rz := a.fetch(z, i)
		ry := a.fetch(y, i)
		rx := a.inMemory(x, i)
		if rx == "" {
			rx = fmt.Sprintf("Y%d", a.fetch(x, i))
		}
		if dies(z) {
			a.free(z)
		} else {
			r := a.take(i)
			a.line("VMOVAP%s Y%d, Y%d", a.suffix[1:], rz, r)
			rz = r
		}
		a.line("%s231%s %s, Y%d, Y%d", stem, a.suffix, rx, ry, rz)
		for _, v := range []int{x, y} {
			if dies(v) && a.reg[v] >= 0 {
				a.free(v)
			}
		}
		a.put(i, rz)
		return
	}
	ry := a.fetch(y, i)
	rx := a.fetch(x, i)
	rz := a.inMemory(z, i)
	if rz == "" {
		rz = fmt.Sprintf("Y%d", a.fetch(z, i))
	}
	a.line("%s213%s %s, Y%d, Y%d", stem, a.suffix, rz, rx, ry)
	a.free(y)
	if x != y && dies(x) {
		a.free(x)
	}
	a.put(i, ry)
}
