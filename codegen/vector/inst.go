package vector

import "slices"

// Space is the kind of place that holds a vector.
type Space uint8

// The spaces.
const (
	InRegister Space = iota
	InOperand        // a unit operand, at Place
	InConst          // constant memory: Bits, repeated over the width; or the table Bits, if Index is 1
	InSlot           // the stack: invariant number Index
	InSpill          // the stack: spill number Index
	InScratch        // the stack: scratch vector number Index
	InAcc            // the stack: accumulator number Index
)

// Loc is the place of a source: a register or memory.
type Loc struct {
	Bits  uint64
	Index int // register, slot, spill, scratch vector or accumulator
	Place Place
	Space Space
}

// Inst is an instruction over physical vector registers. Sources are in the order of Opcode. An instruction that overwrites a
// source lists the other ones in Src, and Fused tells which it overwrites; or it lists all, and Over tells which.
type Inst struct {
	Op    *Opcode
	Dst   int // register, or -1
	Src   []Loc
	Over  int   // FormOver: the source that the result overwrites, which Src lists too
	Slot  int   // scalar loops, OpKeep
	Exit  *Exit // OpCold
	To    Loc   // OpSave: where
	Place Place // the operand that is addressed
	Fused Fused
	Imm   uint8
}

// touches reports whether the instruction may read or write a register. A scalar loop has registers of its own.
func (i *Inst) touches(r int) bool {
	return i.Dst == r || i.Op.Form == FormScalarLoop ||
		slices.ContainsFunc(i.Src, func(l Loc) bool { return l.Space == InRegister && l.Index == r })
}

// Fused tells which source of a fused multiply-add x*y+z the result overwrites, and thereby the order of the others. The last of
// those may be in memory.
type Fused uint8

// The ways to overwrite a source.
const (
	OverFactor           Fused = iota + 1 // x: sources z, y
	OverFactorAddendLast                  // x: sources y, z
	OverAddend                            // z: sources x, y
)

// The costs of instructions that an allocation adds, relative to an instruction of the
// body. They rank the allocations of one body.
const (
	costLoad   = 1.0 // of a constant, an invariant or a spilled value
	costMemory = 0.4 // of a load as the memory operand of an instruction
	costSave   = 2.0
	costMove   = 0.5
	costCarry  = 8.0 // a load that must wait for a store of the step before
)
