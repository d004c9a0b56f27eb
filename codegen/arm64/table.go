package arm64

import (
	"strings"
	"sync"
)

// The instruction table. A row has the word of an instruction without its operands, and its text in the manual's syntax, with
// placeholders for operands (see fields.go):
//
//	FADD.4S   4e20d400   fadd <Vd>.4s, <Vn>.4s, <Vm>.4s
//	LDR.Q     3dc00000   ldr <Qt>, <mem:u4>
//
// The name of a vector instruction ends with the arrangement of its elements, that of a scalar one with S, D or H. Instructions
// with general registers only also have a text for Go's assembler. All others are printed as words.

// Inst is a row of the table.
type Inst struct {
	Name         string
	Word         uint32
	Text         string // in the manual's syntax
	Go           string // in that of Go's assembler, or empty
	text, goText []piece
}

// A piece of a text: a placeholder, or literal text if field is nil.
type piece struct {
	literal string
	field   *field
	arg     int // index of the operand
}

// insts returns the rows by name. Rows of one name differ in their forms: the first that has the operands is used.
var insts = sync.OnceValue(func() map[string][]*Inst {
	t := table{}
	t.threeSame()
	t.twoMisc()
	t.widths()
	t.shifts()
	t.permutes()
	t.elements()
	t.immediates()
	t.scalars()
	t.vectorMemory()
	t.structures()
	t.integers()
	t.branches()
	t.integerMemory()
	return t
})

type table map[string][]*Inst

// Insts returns all rows, in no order.
func Insts() []*Inst {
	var all []*Inst
	for _, rows := range insts() {
		all = append(all, rows...)
	}
	return all
}

// row adds an instruction.
func (t table) row(name string, word uint32, text string) { t.both(name, word, text, "") }

// both adds an instruction that Go's assembler has.
func (t table) both(name string, word uint32, text, goText string) {
	i := &Inst{Name: name, Word: word, Text: text, Go: goText}
	order := map[string]int{}
	i.text = pieces(text, order)
	if goText != "" {
		i.goText = pieces(goText, order)
	}
	t[name] = append(t[name], i)
}

// pieces cuts a text. Operands are numbered by their first occurrence: order has the number of each placeholder.
func pieces(text string, order map[string]int) []piece {
	var all []piece
	for text != "" {
		literal, rest, found := strings.Cut(text, "<")
		if literal != "" {
			all = append(all, piece{literal: literal})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, ">")
		if _, ok := order[name]; !ok {
			order[name] = len(order)
		}
		all = append(all, piece{field: fieldOf(name), arg: order[name]})
		text = after
	}
	return all
}

// arrangement is how a vector instruction divides its registers.
type arrangement struct {
	name string // 16b, 8h, 4s, 2d; 8b, 4h, 2s, 1d of half a register
	size int    // log2 of an element's bytes
	q    uint32 // the bit that says whole register, as part of the word
}

var arrangements = map[string]arrangement{
	"8b": {"8b", 0, 0}, "16b": {"16b", 0, 1 << 30}, "4h": {"4h", 1, 0}, "8h": {"8h", 1, 1 << 30},
	"2s": {"2s", 2, 0}, "4s": {"4s", 2, 1 << 30}, "1d": {"1d", 3, 0}, "2d": {"2d", 3, 1 << 30},
}

// sets of arrangements.
const (
	ofInts   = "8b 16b 4h 8h 2s 4s 2d"
	ofInts32 = "8b 16b 4h 8h 2s 4s"
	ofBytes  = "8b 16b"
	ofFloats = "2s 4s 2d"
	ofAll    = ofInts
)

// each adds a row for each instruction of a list "name word name word..." and each arrangement of a set. The size of the elements is
// in bits 22 and 23; with floats only bit 22 is free and says 8 bytes. In the text, T stands for the arrangement, and <op> for the name.
func (t table) each(arrangements_, text, list string) {
	words := strings.Fields(list)
	for i := 0; i < len(words); i += 2 {
		name, word := words[i], hex(words[i+1])
		for _, a := range strings.Fields(arrangements_) {
			of := arrangements[a]
			size := uint32(of.size) << 22
			switch {
			case arrangements_ == ofFloats:
				size = uint32(of.size-2) << 22
			case arrangements_ == ofBytes:
				size = 0
			}
			t.row(name+"."+strings.ToUpper(a), word|of.q|size, filled(text, mnemonic(name), a))
		}
	}
}

// mnemonic returns the manual's mnemonic of a name, which distinguishes comparisons with zero.
func mnemonic(name string) string { return strings.ToLower(strings.TrimSuffix(name, "ZERO")) }

// filled returns a text with its op and its arrangement.
func filled(text, op, t string) string {
	text = strings.ReplaceAll(text, "OP", op)
	return strings.ReplaceAll(text, ".T", "."+t)
}

func hex(s string) uint32 {
	n := uint32(0)
	for _, c := range s {
		n = n<<4 | uint32(strings.IndexRune("0123456789abcdef", c))
	}
	return n
}
