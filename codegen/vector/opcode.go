package vector

// Form is the allocator's treatment of an instruction, and in part determines how a target prints it.
type Form uint8

// The forms of instructions. Those before FormMask are pure; those from FormStore
// on have no result.
const (
	FormPlain       Form = iota // dst = op(sources)
	FormFMA                     // dst is one of the sources
	FormOver                    // dst is one of the sources that Overs has
	FormScalarLoop              // a loop over the elements of four scratch vectors; its results are scratch values
	FormMask                    // dst depends on the present step: the tail's mask, the index
	FormMaskLoad                // dst = memory under a mask
	FormNarrowLoad              // dst = elements narrower than a lane, one by one
	FormCold                    // the test of a cold block, whose results are KindResult nodes
	FormStore                   // memory = source
	FormMaskStore               // memory = source under a mask
	FormNarrowStore             // elements narrower than a lane = source, one by one
	FormCarry                   // the next value of an accumulator
)

// pure reports whether the result depends only on the sources.
func (f Form) pure() bool { return f < FormMask }

// Opcode describes an instruction over vector registers. Sources are in the order of the target's manual. A result that
// overwrites a source overwrites the first.
type Opcode struct {
	Name     string
	Form     Form
	Args     int
	Mem      int                   // the source that may be in memory, or -1
	Commutes bool                  // the first two sources may change places
	Mirror   func(imm uint8) uint8 // the immediate operand after the sources change places; nil: the same
	Imm      bool                  // has an immediate operand
	Overs    uint8                 // FormOver: a bit for each source that the result may overwrite
	Result   Class
	HalfDst  bool // the result is half a register
	HalfSrc  bool // the last source is half a register
	Half     bool // the result and all sources are half registers
}

// The instructions that the package itself makes. A target prints them by name.
var (
	OpLoad  = &Opcode{Name: "LOAD", Args: 1, Mem: 0}                         // dst = src, from memory
	OpSave  = &Opcode{Name: "SAVE", Args: 1, Mem: -1}                        // To = src
	OpMove  = &Opcode{Name: "MOVE", Args: 1, Mem: -1}                        // dst = src, a register
	OpSplat = &Opcode{Name: "SPLAT", Mem: -1}                                // every lane of dst = the element of a splat operand
	OpMask  = &Opcode{Name: "MASK", Mem: -1, Form: FormMask}                 // dst = the tail's mask: imm 0 narrow lanes, 1 and 2 the parts of 8-byte lanes
	OpIndex = &Opcode{Name: "INDEX", Mem: -1, Form: FormMask}                // every lane of dst = the index of the step: imm 0 narrow lanes, 1 lanes of 8 bytes
	OpKeep  = &Opcode{Name: "KEEP", Args: 1, Mem: -1, Form: FormStore}       // slot = src
	OpFirst = &Opcode{Name: "STOREFIRST", Args: 1, Mem: -1, Form: FormStore} // the start of an operand = the first element of src
	OpCarry = &Opcode{Name: "CARRY", Args: 1, Mem: -1, Form: FormCarry}
	OpCold  = &Opcode{Name: "COLD", Mem: -1, Form: FormCold}
)
