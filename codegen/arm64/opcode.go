package arm64

import (
	"strings"

	"github.com/stridefuse/stridefuse/codegen/vector"
)

// The opcodes of bodies: instructions of the table whose operands are vector registers and one constant, with how the allocator
// treats them, and some that become several instructions.

// overwriting are the instructions whose result is computed from the register that it overwrites, which is their last source.
var overwriting = strings.Fields("FMLA.4S FMLA.2D FMLS.4S FMLS.2D UMLAL.2D XTN2.4S XTN2.2D XTN2.8H SQXTN2.2D UQXTN2.2D FCVTN2.4S FCVTN2.2D TBX1.16B")

// composed are the opcodes that have no row in the table: see special.
var composed = []vector.Opcode{
	{Name: opSelect, Args: 3, Form: vector.FormOver, Overs: 0b111}, // sources: mask, y, z
	{Name: opReload, Args: 1, Mem: 0},                              // a copy of an operand
	{Name: opStore, Args: 1, Form: vector.FormStore},               // Place.Bytes bytes
	{Name: opTailLoad, Form: vector.FormNarrowLoad},
	{Name: opTailStore, Args: 1, Form: vector.FormNarrowStore},
	{Name: opMemberLoad, Form: vector.FormNarrowLoad},
	{Name: opMemberStore, Args: 1, Form: vector.FormNarrowStore},
	{Name: "SDIV.S", Args: 2}, {Name: "UDIV.S", Args: 2}, {Name: "SREM.S", Args: 2}, {Name: "UREM.S", Args: 2},
	{Name: "SDIV.D", Args: 2}, {Name: "UDIV.D", Args: 2}, {Name: "SREM.D", Args: 2}, {Name: "UREM.D", Args: 2},
	{Name: "SCVTF.SX", Args: 2}, {Name: "UCVTF.SX", Args: 2}, // two vectors of 8-byte integers to float32
}

const (
	opSelect    = "SELECT"
	opReload    = "RELOAD"
	opStore     = "STORE"
	opTailLoad  = "TAILLOAD"
	opTailStore = "TAILSTORE"
)

func newOpcodes() map[string]*vector.Opcode {
	all := map[string]*vector.Opcode{}
	for name, rows := range insts() {
		if op := opcodeOf(rows[0]); op != nil {
			all[name] = op
		}
	}
	for _, name := range overwriting {
		op := all[name]
		op.Form, op.Overs = vector.FormOver, 1<<op.Args
		op.Args++
	}
	for _, op := range composed {
		if op.Name != opReload {
			op.Mem = -1
		}
		all[op.Name] = &op
	}
	return all
}

// opcodeOf returns the opcode of a row, or nil if it has other operands than a body's instructions.
func opcodeOf(i *Inst) *vector.Opcode {
	op := &vector.Opcode{Name: i.Name, Mem: -1, Args: -1}
	seen := map[int]bool{}
	for _, p := range i.text {
		if p.field == nil || seen[p.arg] {
			continue
		}
		seen[p.arg] = true
		switch {
		case p.field.kind == ArgV:
			op.Args++
		case p.field.kind == ArgImm && !op.Imm:
			op.Imm = true
		default:
			return nil
		}
	}
	if op.Args < 1 || op.Args > 3 {
		return nil
	}
	return op
}

// opcode returns the opcode of an instruction.
func (t *Target) opcode(name string) *vector.Opcode {
	op := t.opcodes[name]
	if op == nil {
		panic("BUG: codegen/arm64: no instruction " + name)
	}
	return op
}
