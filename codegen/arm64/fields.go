package arm64

import (
	"math"
	"strconv"
	"strings"
)

// The placeholders of the table: how an operand is encoded and printed.
//
//	Vd Qt Sn Xm Wa ...  a register: its kind, then its place in the word
//	Vt*2.4s             a list of registers: as many as the digit says, from the first one on
//	mem:u4              memory, with a form of address: see addressOf
//	to26                a label, whose distance in words has as many bits as the digits say
//	toByte              a label less than 1 MiB away
//	others              constants: see constantField
//
// A register as Xn|SP may be the stack pointer, others the zero register.

// field is a placeholder.
type field struct {
	name   string
	kind   ArgKind
	encode func(a Arg) (word uint32, ok bool)
	text   func(a Arg) string // in the manual's syntax
	goText func(a Arg) string // in that of Go's assembler; nil if it is text
}

// places are the bits of registers in a word.
var places = map[string]int{"d": 0, "t": 0, "n": 5, "m": 16, "a": 10, "t2": 10}

func fieldOf(name string) *field {
	kind, form, _ := strings.Cut(name, ":")
	switch {
	case kind == "mem":
		return memoryField(form)
	case strings.HasPrefix(name, "to"):
		return labelField(name[2:])
	case strings.Contains(name, "*"):
		return listField(name)
	case strings.Contains("VQDSHBXW", name[:1]):
		return registerField(name)
	}
	return constantField(kind, form)
}

func registerField(name string) *field {
	place, stack := strings.CutSuffix(name[1:], "|SP")
	at, letter := places[place], strings.ToLower(name[:1])
	f := &field{name: name, kind: ArgV}
	f.encode = func(a Arg) (uint32, bool) { return uint32(a.Reg) << at, uint(a.Reg) < 32 }
	f.text = func(a Arg) string { return letter + strconv.Itoa(a.Reg) }
	if letter != "x" && letter != "w" {
		return f
	}
	f.kind = ArgR
	f.text = func(a Arg) string {
		switch {
		case a.Reg < 31:
			return letter + strconv.Itoa(a.Reg)
		case stack:
			return "sp"
		}
		return letter + "zr"
	}
	f.goText = func(a Arg) string { return goRegister(a.Reg, stack) }
	return f
}

func goRegister(n int, stack bool) string {
	switch {
	case n < 31:
		return "R" + strconv.Itoa(n)
	case stack:
		return "RSP"
	}
	return "ZR"
}

// listField is a list of registers of an arrangement.
func listField(name string) *field {
	place, of, _ := strings.Cut(name, "*")
	count, a, _ := strings.Cut(of, ".")
	n, _ := strconv.Atoi(count)
	at := places[place[1:]]
	return &field{name: name, kind: ArgV,
		encode: func(a Arg) (uint32, bool) { return uint32(a.Reg) << at, uint(a.Reg) < 32 },
		text: func(arg Arg) string {
			var all []string
			for i := range n {
				all = append(all, "v"+strconv.Itoa((arg.Reg+i)%VectorRegisters)+"."+a)
			}
			return strings.Join(all, ", ")
		}}
}

// labelField is a label. Its distance, the constant of the operand, is known when the program is encoded, and is 0 in a text.
func labelField(form string) *field {
	bits, err := strconv.Atoi(form)
	f := &field{name: "to" + form, kind: ArgLabel, text: func(a Arg) string { return a.Label }}
	f.encode = func(a Arg) (uint32, bool) {
		words := a.Imm >> 2
		word := uint32(words) & (1<<bits - 1)
		if bits < 26 {
			word <<= 5
		}
		return word, a.Imm&3 == 0 && words>>(bits-1) == words>>63
	}
	if err != nil {
		f.encode = func(a Arg) (uint32, bool) {
			return uint32(a.Imm)&3<<29 | uint32(a.Imm>>2)&(1<<19-1)<<5, a.Imm>>20 == a.Imm>>63
		}
	}
	return f
}

// constantField is a constant. Most have a form, a number.
func constantField(kind, form string) *field {
	n, _ := strconv.Atoi(form)
	of := constantKinds[kind]
	if of == nil {
		panic("BUG: codegen/arm64: no placeholder " + kind)
	}
	f := of(n)
	f.name, f.kind = kind, ArgImm
	if f.text == nil {
		f.text = func(a Arg) string { return strconv.FormatInt(a.Imm, 10) }
	}
	return f
}

// constantKinds are the placeholders of constants, by their names.
var constantKinds = map[string]func(n int) *field{
	"shl": func(n int) *field { // of elements of n bits
		return ranged(0, int64(n-1), func(v uint32) uint32 { return (uint32(n) + v) << 16 })
	},
	"shr": func(n int) *field {
		return ranged(1, int64(n), func(v uint32) uint32 { return (2*uint32(n) - v) << 16 })
	},
	"ext": func(int) *field { return ranged(0, 15, shifted(11)) },
	"lane": func(n int) *field { // n is the log2 of the bytes of an element
		return ranged(0, 16>>n-1, func(v uint32) uint32 { return (2*v + 1) << n << 16 })
	},
	"from": func(n int) *field { return ranged(0, 16>>n-1, shifted(11+n)) },
	"slot": func(n int) *field {
		return ranged(0, 16>>n-1, func(v uint32) uint32 { v <<= n; return v>>3<<30 | v&7<<10 })
	},
	"elem": func(n int) *field {
		if n == 3 {
			return ranged(0, 1, shifted(11))
		}
		return ranged(0, 3, func(v uint32) uint32 { return v>>1<<11 | v&1<<21 })
	},
	"imm8":  func(int) *field { return ranged(0, 255, splitByte) },
	"lsl":   func(n int) *field { return stepped(8, int64(8*n), 13) },
	"imm64": func(int) *field { return &field{encode: wholeBytes, text: hexText} },
	"fimm8": func(int) *field {
		f := ranged(0, 255, splitByte)
		f.text = func(a Arg) string { return strconv.FormatFloat(smallFloat(uint8(a.Imm)), 'e', 8, 64) }
		return f
	},
	"imm12": func(int) *field { return ranged(0, 4095, shifted(10)) },
	"imm24": func(int) *field {
		return &field{encode: func(a Arg) (uint32, bool) {
			return uint32(a.Imm) >> 12 << 10, a.Imm > 4095 && a.Imm < 1<<24 && a.Imm%4096 == 0
		}}
	},
	"mask": func(int) *field {
		return &field{encode: func(a Arg) (uint32, bool) { return bitmask(uint64(a.Imm)) }, text: hexText}
	},
	"imm16": func(int) *field { return ranged(0, 1<<16-1, shifted(5)) },
	"hw":    func(int) *field { return stepped(16, 48, 21) },
	"sh6":   func(int) *field { return ranged(0, 63, shifted(10)) },
	"lslx":  func(int) *field { return ranged(0, 63, func(v uint32) uint32 { return -v&63<<16 | (63-v)<<10 }) },
	"shrx":  func(int) *field { return ranged(0, 63, shifted(16)) },
	"bit":   func(int) *field { return ranged(0, 63, func(v uint32) uint32 { return v&31<<19 | v>>5<<31 }) },
	"hint": func(int) *field {
		return &field{
			encode: func(a Arg) (uint32, bool) { return uint32(a.Imm), a.Imm >= 0 && a.Imm < 32 && hints[a.Imm] != "" },
			text:   func(a Arg) string { return hints[a.Imm&31] },
		}
	},
	"cond": func(int) *field {
		f := ranged(0, int64(len(conditions)-1), shifted(12))
		f.text = func(a Arg) string { return conditions[a.Imm] }
		f.goText = func(a Arg) string { return strings.ToUpper(conditions[a.Imm]) }
		return f
	},
}

// ranged is a constant from least to most.
func ranged(least, most int64, encode func(v uint32) uint32) *field {
	return &field{encode: func(a Arg) (uint32, bool) { return encode(uint32(a.Imm)), a.Imm >= least && a.Imm <= most }}
}

// stepped is a multiple of step up to most, of which the quotient is encoded from a bit on.
func stepped(step, most int64, bit int) *field {
	return &field{encode: func(a Arg) (uint32, bool) {
		return uint32(a.Imm/step) << bit, a.Imm >= 0 && a.Imm <= most && a.Imm%step == 0
	}}
}

func shifted(bit int) func(uint32) uint32 { return func(v uint32) uint32 { return v << bit } }

// splitByte has the upper three bits of a byte apart from the others.
func splitByte(v uint32) uint32 { return v>>5<<16 | v&31<<5 }

func hexText(a Arg) string { return "0x" + strconv.FormatUint(uint64(a.Imm), 16) }

// hints are the kinds of prefetches by their numbers.
var hints = [32]string{0: "pldl1keep", 1: "pldl1strm", 2: "pldl2keep", 3: "pldl2strm", 16: "pstl1keep", 17: "pstl1strm", 18: "pstl2keep", 19: "pstl2strm"}

// smallFloat is the float that eight bits of an FMOV stand for: a sign, an exponent of -3 to 4, and four bits of the fraction.
func smallFloat(b uint8) float64 {
	exponent := int(b>>4&7) ^ 4
	f := math.Ldexp(float64(16+b&15), exponent-3-4)
	if b>>7 != 0 {
		return -f
	}
	return f
}

// wholeBytes encodes a constant of 8 bytes that are 0 or 255 each.
func wholeBytes(a Arg) (uint32, bool) {
	word := uint32(0)
	for i := range 8 {
		switch uint64(a.Imm) >> (8 * i) & 255 {
		case 255:
			word |= 1 << i
		case 0:
		default:
			return 0, false
		}
	}
	return splitByte(word), true
}

// bitmask encodes a constant of a logical instruction: a run of ones, rotated, and repeated every 2, 4, ... 64 bits.
func bitmask(mask uint64) (uint32, bool) {
	for size := uint(2); size <= 64; size *= 2 {
		low := mask << (64 - size) >> (64 - size)
		repeated := uint64(0)
		for i := uint(0); i < 64; i += size {
			repeated |= low << i
		}
		if repeated != mask {
			continue
		}
		for ones := uint(1); ones < size; ones++ {
			for turn := range size {
				run := uint64(1)<<ones - 1
				rotated := run>>turn | run<<(size-turn)
				if rotated<<(64-size)>>(64-size) == low {
					imms := (^(2*size - 1) & 63) | ones - 1
					n := uint32(size >> 6)
					return n<<22 | uint32(turn)<<16 | uint32(imms&63)<<10, true
				}
			}
		}
		return 0, false
	}
	return 0, false
}
