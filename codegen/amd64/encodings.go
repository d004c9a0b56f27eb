package amd64

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The encodings of instructions, as data. A row of the tables (encodings_*.go) has the instructions that differ in their
// names and opcodes only: operands, prefix, and the lengths of vectors are the same. An instruction may be in several rows,
// one for each form of its operands; the first that fits is taken, which is the one that Go's assembler takes.
//
// Sources: Intel's Software Developer's Manual, volume 2, for prefixes and opcodes; the choice among equal encodings follows
// Go's assembler, with which a test compares every form.

// encodingRow is a row of a table.
type encodingRow struct {
	form   []slot
	prefix prefix
	vex    wBit
	evex   wBit
	vector vectorLength
	memory memoryBytes
	flags  rowFlags
	// names has a name and an opcode in hex for each instruction. A digit behind / goes to the register field: "SHLQ C1/4".
	names string
}

// encoding is one instruction of a row.
type encoding struct {
	*encodingRow
	opcode  uint8
	digit   int8 // in the register field of ModR/M, or none
	zero    bool // elements outside of the mask become zero: the name ends in .Z
	element bool // an element in memory is broadcast: the name ends in .BCST
}

const noDigit = -1

// prefix is a mandatory prefix and an opcode map: the fields pp and mmmmm of VEX.
type prefix uint8

const (
	_ prefix = iota // no prefix
	p66
	pF3
	pF2
)

// The maps of opcodes. Opcodes without an escape byte are in map 0.
const (
	m0F prefix = (iota + 1) << 2
	m0F38
	m0F3A
)

func (p prefix) mandatory() uint8 { return uint8(p & 3) }
func (p prefix) opcodeMap() uint8 { return uint8(p >> 2) }

// wBit is the bit W of an encoding, or whether there is such an encoding.
type wBit uint8

const (
	noEncoding wBit = iota
	w0
	w1
)

func (w wBit) bit() uint8 {
	if w == w1 {
		return 1
	}
	return 0
}

// vectorLength is the length of an instruction's vectors: that of its operands of size whole, if it is not fixed.
type vectorLength uint8

const (
	ofOperands vectorLength = 0
	fixed128   vectorLength = 16
	fixed256   vectorLength = 32
	fixed512   vectorLength = 64
)

// memoryBytes is how many bytes of memory an instruction with EVEX accesses, the factor of its short displacements.
type memoryBytes uint8

const (
	vectorOrElement memoryBytes = iota // a vector, or with EVEX an element that is broadcast
	aVector
	halfVector
	quarterVector
	eighthVector
	bytes1
	bytes2
	bytes4
	bytes8
	bytes16
	bytes32
)

// of returns the bytes for vectors of a length.
func (m memoryBytes) of(length int) int {
	switch m {
	case vectorOrElement, aVector:
		return length
	case halfVector:
		return length / 2
	case quarterVector:
		return length / 4
	case eighthVector:
		return length / 8
	}
	return 1 << (m - bytes1)
}

// rowFlags are further properties of a row.
type rowFlags uint8

const (
	no128  rowFlags = 1 << iota // not for vectors of 16 bytes
	wide64                      // REX.W
	data16                      // the prefix of 16-bit operands
)

// slot is an operand of a form: where it is encoded, and what it may be.
type slot struct {
	role  role
	kinds kinds
	part  uint8 // of a vector register: the whole is 1, half is 2, and 0 means the first 16 bytes
}

// role is where an operand is encoded.
type role uint8

const (
	inReg    role = iota // the field reg of ModR/M
	inRM                 // the field rm of ModR/M, with a SIB byte and a displacement
	inV                  // VEX.vvvv
	inMask               // EVEX.aaa; mask register 0 would mean no mask
	inIs4                // the upper half of the last byte
	inImm8               // the last byte
	inImm32              // the last four bytes
	inOpcode             // the low bits of the opcode
	implied              // nowhere
)

// kinds is a set of operands.
type kinds uint16

const (
	aReg kinds = 1 << iota // a vector register
	aMask
	aMem
	aGP64
	aGP32
	aGP16
	aGP8
	aHigh
	anAX   // AX, 8 bytes
	aByte  // a constant of 8 bits, signed or not
	anInt8 // a signed constant of 8 bits
	anInt  // a signed constant of 32 bits
	aOne   // the constant 1
)

// hasBroadcast reports whether an instruction has a form that broadcasts an element in memory. The name of the form ends in
// .BCST.
func hasBroadcast(name string) bool { return encodingsOf()[name+".BCST"] != nil }

var encodings struct {
	once   sync.Once
	byName map[string][]encoding
}

// encodingsOf returns the encodings of each instruction by its name.
func encodingsOf() map[string][]encoding {
	encodings.once.Do(func() {
		out := map[string][]encoding{}
		for _, rows := range [...][]encodingRow{generalRows, vectorRows, vector512Rows} {
			for i := range rows {
				rows[i].each(func(name string, e encoding) { out[name] = append(out[name], e) })
			}
		}
		encodings.byName = out
	})
	return encodings.byName
}

// each calls f for the instructions of a row.
func (r *encodingRow) each(f func(name string, e encoding)) {
	words := strings.Fields(r.names)
	for ; len(words) > 0; words = words[2:] {
		opcode, digit, has := strings.Cut(words[1], "/")
		value, err := strconv.ParseUint(opcode, 16, 8)
		if err != nil {
			panic(fmt.Sprintf("BUG: codegen/amd64: the opcode of %s: %v", words[0], err))
		}
		e := encoding{encodingRow: r, opcode: uint8(value), digit: noDigit, zero: strings.HasSuffix(words[0], ".Z")}
		if has {
			e.digit = int8(digit[0] - '0')
		}
		f(words[0], e)
		if r.evex != noEncoding && r.memory == vectorOrElement {
			e.element = true
			f(words[0]+".BCST", e)
		}
	}
}
