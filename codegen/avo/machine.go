package avo

// space is where a vector in memory is.
type space uint8

const (
	inRegister space = iota
	inOperand        // a unit operand, at place
	inConst          // RODATA, 32 bytes of the constant bits
	inSlot           // the stack: invariant number index
	inSpill          // the stack: spill number index
	inScratch        // the stack: scratch vector number index
	inAcc            // the stack: accumulator number index
)

// loc is where an instruction finds a source: a register or memory.
type loc struct {
	space space
	index int // register, slot, spill, scratch or accumulator
	bits  uint64
	place place
}

// machineInst is an instruction over physical vector registers. Loads, saves
// and moves that the allocator adds have the opcodes below.
type machineInst struct {
	op    *opcode
	name  string // op.name, or the encoding chosen for a fused multiply-add
	imm   uint8
	dst   int // register, or -1
	src   []loc
	place place // operand that is addressed
	slot  int   // scalar loops
	to    loc   // save: where
	exit  *exit // detours
}

var (
	opLoad = &opcode{name: "LOAD", args: 1, mem: 0}
	opSave = &opcode{name: "SAVE", args: 1, mem: -1}
	opMove = &opcode{name: "MOVE", args: 1, mem: -1}
)

// What instructions that an allocation adds cost, against an instruction of
// the body. They only have to rank allocations of one body.
const (
	costLoad = 1.0 // of a constant, an invariant or a spilled value
	costFold = 0.4 // the same as an instruction's memory operand
	costSave = 2.0
	costMove = 0.5
	// A load that must wait for a store of the step before, or is taken back.
	costCarry = 8.0
)

const vectorRegisters = 16
