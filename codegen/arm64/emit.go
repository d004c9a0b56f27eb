package arm64

import (
	"math"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The instructions of a body as lines of a program.

func (n *nest) insts(list []vector.Inst) {
	for i := range list {
		n.inst(&list[i])
	}
}

func (n *nest) inst(i *vector.Inst) {
	switch i.Op {
	case vector.OpLoad:
		n.load(i.Dst, i.Src[0])
	case vector.OpSave:
		n.do("STR.Q", v(i.Src[0].Index), mem(n.address(i.To)))
	case vector.OpKeep:
		n.do("STR.Q", v(i.Src[0].Index), mem(vectorOf(n.slots, i.Slot)))
	case vector.OpMove:
		n.move(i.Dst, i.Src[0].Index)
	case vector.OpSplat:
		n.broadcast(i.Place.Operand(), i.Dst)
	case vector.OpMask:
		n.mask(i)
	case vector.OpIndex:
		n.do([]string{"DUPR.4S", "DUPR.2D"}[i.Imm], v(i.Dst), x(indexReg))
	case vector.OpFirst:
		n.storeFirst(i)
	case vector.OpCold:
		n.testCold(i)
	default:
		n.plain(i)
	}
}

// plain writes an instruction of a row.
func (n *nest) plain(i *vector.Inst) {
	switch name := i.Op.Name; name {
	case opSelect:
		n.selection(i)
	case opReload:
		if i.Src[0].Space == vector.InRegister {
			n.move(i.Dst, i.Src[0].Index)
		} else {
			n.load(i.Dst, i.Src[0])
		}
	case opStore:
		n.do("STR."+partName(i.Place.Bytes()), v(i.Src[0].Index), mem(n.element(i.Place)))
	case opTailLoad:
		n.tailLoad(i)
	case opTailStore:
		n.tailStore(i)
	case opMemberLoad:
		n.memberLoad(i)
	case opMemberStore:
		n.memberStore(i)
	case "SDIV.S", "UDIV.S", "SREM.S", "UREM.S", "SDIV.D", "UDIV.D", "SREM.D", "UREM.D":
		n.divide(i, name[0], name[1:4] == "REM", name[5:])
	case "SCVTF.SX", "UCVTF.SX":
		n.singlesOf(i)
	default:
		args := []Arg{v(i.Dst)}
		for s, l := range i.Src {
			if i.Op.Form != vector.FormOver || s != i.Over {
				args = append(args, v(l.Index))
			}
		}
		if i.Op.Imm {
			args = append(args, imm(int(i.Imm)))
		}
		n.do(name, args...)
	}
}

// selection selects y where the mask is set, else z, over one of the three.
func (n *nest) selection(i *vector.Inst) {
	mask, y, z := v(i.Src[0].Index), v(i.Src[1].Index), v(i.Src[2].Index)
	switch i.Over {
	case 0:
		n.do("BSL.16B", mask, y, z)
	case 1:
		n.do("BIF.16B", y, z, mask)
	case 2:
		n.do("BIT.16B", z, y, mask)
	}
}

func (n *nest) move(to, from int) { n.do("ORR.16B", v(to), v(from), v(from)) }

// partName returns the suffix of the instruction that moves the first bytes of a register.
func partName(bytes int) string {
	return map[int]string{1: "B", 2: "H", 4: "S", 8: "D", 16: "Q"}[bytes]
}

// load loads a register from memory, or with a constant.
func (n *nest) load(dst int, from vector.Loc) {
	switch {
	case from.Space == vector.InOperand:
		n.do("LDR."+partName(from.Place.Bytes()), v(dst), mem(n.element(from.Place)))
	case from.Space != vector.InConst:
		n.do("LDR.Q", v(dst), mem(n.address(from)))
	case from.Index > 0:
		n.do("LDR.Q", v(dst), mem(at(poolReg, n.tableHalf(from.Bits, from.Index-1))))
	default:
		n.loadConst(dst, from.Bits)
	}
}

// loadConst loads 8 bytes, repeated, by an instruction with an immediate operand if there is one.
func (n *nest) loadConst(dst int, c uint64) {
	if _, ok := wholeBytes(bits(c)); ok {
		n.do("MOVI.2D", v(dst), bits(c))
		return
	}
	low := uint32(c)
	for b := range 256 {
		f := smallFloat(uint8(b))
		switch {
		case math.Float64bits(f) == c:
			n.do("FMOV.2D", v(dst), imm(b))
			return
		case uint32(c>>32) != low:
		case math.Float32bits(float32(f)) == low:
			n.do("FMOV.4S", v(dst), imm(b))
			return
		}
	}
	for shift := 0; shift < 32 && uint32(c>>32) == low; shift += 8 {
		if low&^(255<<shift) == 0 {
			n.do("MOVI.4S", v(dst), imm(int(low>>shift)), imm(shift))
			return
		}
	}
	n.do("LDR.Q", v(dst), mem(at(poolReg, n.constant(c, c))))
}

// tableHalf returns the offset in the pool of half of a table of ir.TableLen entries.
func (n *nest) tableHalf(name uint64, half int) int {
	entries, _ := ir.Table(name)
	word := func(i int) uint64 {
		i += half * ir.TableLen / 2
		return uint64(math.Float32bits(entries[i+1]))<<32 | uint64(math.Float32bits(entries[i]))
	}
	return n.constant(word(0), word(2))
}

// broadcast loads the element of a splat operand into every lane.
func (n *nest) broadcast(operand, dst int) {
	n.rowOf(operand, t0)
	d := n.dtype(operand)
	name := map[int]string{1: "B", 2: "H"}[d.Size()]
	switch {
	case d.Size() == 8:
		n.do("LD1R.2D", v(dst), mem(at(t0, 0)))
	case d.Size() == 4:
		n.do("LD1R.4S", v(dst), mem(at(t0, 0)))
	case ir.Signed.Has(d):
		n.do("LDRS"+name, x(t0), mem(at(t0, 0)))
		n.do("DUPR.4S", v(dst), x(t0))
	default:
		n.do("LDR"+name, x(t0), mem(at(t0, 0)))
		n.do("DUPR.4S", v(dst), x(t0))
	}
}

// element returns the address of an operand at the present step.
func (n *nest) element(p vector.Place) Memory { return at(n.pointer[p.Operand()], p.Disp()) }

// address returns the address of a vector on the stack.
func (n *nest) address(l vector.Loc) Memory {
	switch l.Space {
	case vector.InSlot:
		return vectorOf(n.slots, l.Index)
	case vector.InSpill:
		return vectorOf(n.spills, l.Index)
	case vector.InScratch:
		return vectorOf(n.scratch, l.Index)
	case vector.InAcc:
		m := vectorOf(n.accs, l.Index)
		if n.rotates {
			n.do("ADD", x(t0), x(sp), imm(0))
			n.do("ADD", x(t0), x(t0), x(phaseReg))
			m.Base = t0
		}
		return m
	}
	panic("BUG: codegen/arm64: a value has no address")
}

// divide divides lane by lane. The result of a division by 0 is 0, as is the remainder.
func (n *nest) divide(i *vector.Inst, sign byte, rem bool, lane string) {
	w, lanes := "W", 4
	if lane == "D" {
		w, lanes = "", 2
	}
	for j := range lanes {
		n.do("UMOV."+lane, x(t0), v(i.Src[0].Index), imm(j))
		n.do("UMOV."+lane, x(t1), v(i.Src[1].Index), imm(j))
		n.do(string(sign)+"DIV"+w, x(t2), x(t0), x(t1))
		if rem {
			n.do("MSUB"+w, x(t2), x(t2), x(t1), x(t0))
			n.do("CMP"+w, x(t1), imm(0))
			n.do("CSEL", x(t2), x(zr), x(t2), imm(condEQ))
		}
		n.do("INSR."+lane, v(i.Dst), imm(j), x(t2))
	}
}

// singlesOf converts two vectors of 8-byte integers to one of float32. Rounding to float64 first would round twice.
func (n *nest) singlesOf(i *vector.Inst) {
	for j, t := range []int{t0, t1, t2, t3} {
		n.do("UMOV.D", x(t), v(i.Src[j/2].Index), imm(j%2))
	}
	for j, t := range []int{t0, t1, t2, t3} {
		n.do(i.Op.Name, v(scratchV), x(t))
		n.do("INS.S", v(i.Dst), imm(j), v(scratchV), imm(0))
	}
}
