package amd64

import (
	endian "encoding/binary"
	"fmt"
)

// Labels, jumps and alignment. Code between them has a length that does not depend on its address. A jump is short, of two
// bytes, if its target is near enough, which is decided as Go's assembler does: jumps begin short, and those that turn out
// too far become long until none does.

// mark is a place in the code where the distance to the entry is not known before all lengths are.
type mark struct {
	at        int // in the code without marks
	target    string
	kind      markKind
	condition uint8
	align     uint8
	long      bool // of a jump

	to   int32 // the mark of a jump's target
	pos  int   // in the code with marks
	size int
}

type markKind uint8

const (
	markLabel markKind = iota
	markJump
	markAlign
)

// place finds the positions of marks and the sizes of jumps.
func (a *encoder) place() error {
	for i := range a.marks {
		if m := &a.marks[i]; m.kind == markJump {
			to, ok := a.follow(m.target)
			if !ok {
				return fmt.Errorf("no label %s", m.target)
			}
			m.to = int32(to)
		}
	}
	for again := true; again; {
		again = false
		grown := 0 // bytes of the marks so far
		for i := range a.marks {
			m := &a.marks[i]
			m.pos, m.size = m.at+grown, 0
			switch m.kind {
			case markAlign:
				m.size = -m.pos & (int(m.align) - 1)
			case markJump:
				if int(m.to) < i { // jumps back may become short again, where alignment takes less
					m.long = a.marks[m.to].pos-m.pos-2 < -128
				}
				m.size = m.jumpSize()
			}
			grown += m.size
		}
		for i := range a.marks {
			if m := &a.marks[i]; m.kind == markJump && int(m.to) > i && !m.long && a.marks[m.to].pos-m.pos-2 > 127 {
				m.long, again = true, true
			}
		}
	}
	return nil
}

// follow returns the mark of a label. If only a JMP is there, it returns that of the JMP's own target.
func (a *encoder) follow(label string) (to int, ok bool) {
	for range a.marks { // jumps may form a circle
		if to, ok = a.labels[label]; !ok {
			return 0, false
		}
		next := to
		for next < len(a.marks) && a.marks[next].kind == markLabel {
			next++
		}
		if next == len(a.marks) || a.marks[next].at != a.marks[to].at || a.marks[next].kind != markJump || a.marks[next].condition != always {
			return to, true
		}
		label = a.marks[next].target
	}
	return to, true
}

func (m *mark) jumpSize() int {
	switch {
	case !m.long:
		return 2
	case m.condition == always:
		return 5
	}
	return 6
}

// write returns the code with its marks.
func (a *encoder) write() []byte {
	out := make([]byte, 0, 2*len(a.code)+64)
	from, ref := 0, 0
	upTo := func(at int) {
		for ; ref < len(a.refs) && a.refs[ref].at < at; ref++ {
			a.refs[ref].at += len(out) - from
			a.refs[ref].end += len(out) - from
		}
		out = append(out, a.code[from:at]...)
		from = at
	}
	for i := range a.marks {
		m := &a.marks[i]
		upTo(m.at)
		switch m.kind {
		case markAlign:
			out = appendNops(out, m.size)
		case markJump:
			out = m.appendJump(out, a.marks[m.to].pos-m.pos-m.size)
		}
	}
	upTo(len(a.code))
	return out
}

// appendJump appends a jump to an address relative to its end.
func (m *mark) appendJump(out []byte, by int) []byte {
	switch {
	case !m.long && m.condition == always:
		return append(out, 0xeb, uint8(by))
	case !m.long:
		return append(out, 0x70|m.condition, uint8(by))
	case m.condition == always:
		out = append(out, 0xe9)
	default:
		out = append(out, 0x0f, 0x80|m.condition)
	}
	return endian.LittleEndian.AppendUint32(out, uint32(by))
}

// nops are the instructions without effect of 1 to 9 bytes that Intel's manual recommends (NOP, table 4-12).
var nops = [...]string{
	"\x90", "\x66\x90", "\x0f\x1f\x00", "\x0f\x1f\x40\x00", "\x0f\x1f\x44\x00\x00", "\x66\x0f\x1f\x44\x00\x00",
	"\x0f\x1f\x80\x00\x00\x00\x00", "\x0f\x1f\x84\x00\x00\x00\x00\x00", "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

func appendNops(out []byte, n int) []byte {
	for n > 0 {
		size := min(n, len(nops))
		out = append(out, nops[size-1]...)
		n -= size
	}
	return out
}
