package arm64

import "strconv"

// Forms of addresses.
//
//	u4, u0...     base and an offset of 0 to 4095 times 1<<4
//	s9            base and an offset of -256 to 255
//	x4            base and an index register, which is shifted by 4 or not at all
//	p9            base; the access adds -256 to 255
//	pair4         base and an offset of -64 to 63 times 1<<4
//	pairpost4     base; the access adds -64 to 63 times 1<<4
//	0             base
//	by64          base; the access adds 64
//	byx           base; the access adds a register

func memoryField(form string) *field {
	f := &field{name: "mem:" + form, kind: ArgMem, text: addressText, goText: goAddress}
	encode := addressOf(form)
	f.encode = func(a Arg) (uint32, bool) {
		if uint(a.Mem.Base) > 31 {
			return 0, false
		}
		word, ok := encode(a.Mem)
		return word | uint32(a.Mem.Base)<<5, ok
	}
	return f
}

// addressOf returns the function that encodes an address of the given form, without its base.
func addressOf(form string) func(m Memory) (uint32, bool) {
	n := 0
	digits := len(form)
	for digits > 0 && form[digits-1] >= '0' && form[digits-1] <= '9' {
		digits--
	}
	n, _ = strconv.Atoi(form[digits:])
	multiple := func(m Memory, least, most int, post bool) (uint32, bool) {
		scaled := m.Disp >> n
		return uint32(scaled), m.Index == noIndex && m.Post == post && scaled<<n == m.Disp && scaled >= least && scaled <= most
	}
	switch form[:digits] {
	case "u":
		return func(m Memory) (uint32, bool) {
			word, ok := multiple(m, 0, 4095, false)
			return word << 10, ok
		}
	case "s", "p":
		return func(m Memory) (uint32, bool) {
			return uint32(m.Disp) & 511 << 12, m.Index == noIndex && m.Post == (form[0] == 'p') && m.Disp >= -256 && m.Disp < 256
		}
	case "x":
		return func(m Memory) (uint32, bool) {
			word := uint32(m.Index) << 16
			if m.Shift > 0 {
				word |= 1 << 12
			}
			return word, uint(m.Index) < 32 && !m.Post && m.Disp == 0 && (m.Shift == 0 || m.Shift == n)
		}
	case "pair", "pairpost":
		return func(m Memory) (uint32, bool) {
			word, ok := multiple(m, -64, 63, form[:digits] == "pairpost")
			return word & 127 << 15, ok
		}
	case "byx":
		return func(m Memory) (uint32, bool) { return uint32(m.Index) << 16, m.Post && uint(m.Index) < 31 }
	case "by":
		return func(m Memory) (uint32, bool) { return 0, m.Post && m.Index == noIndex && m.Disp == n }
	}
	return func(m Memory) (uint32, bool) { return 0, !m.Post && m.Index == noIndex && m.Disp == 0 }
}

// addressText returns an address in the manual's syntax.
func addressText(a Arg) string {
	m := a.Mem
	base := "[x" + strconv.Itoa(m.Base)
	if m.Base == sp {
		base = "[sp"
	}
	switch {
	case m.Post && m.Index != noIndex:
		return base + "], x" + strconv.Itoa(m.Index)
	case m.Post:
		return base + "], #" + strconv.Itoa(m.Disp)
	case m.Index != noIndex && m.Shift > 0:
		return base + ", " + indexText(m.Index) + ", lsl #" + strconv.Itoa(m.Shift) + "]"
	case m.Index != noIndex:
		return base + ", " + indexText(m.Index) + "]"
	case m.Disp != 0:
		return base + ", #" + strconv.Itoa(m.Disp) + "]"
	}
	return base + "]"
}

func indexText(r int) string {
	if r == zr {
		return "xzr"
	}
	return "x" + strconv.Itoa(r)
}

// goAddress returns an address in the syntax of Go's assembler.
func goAddress(a Arg) string {
	m := a.Mem
	base := "(" + goRegister(m.Base, true) + ")"
	switch {
	case m.Index != noIndex && m.Shift > 0:
		return base + "(" + goRegister(m.Index, false) + "<<" + strconv.Itoa(m.Shift) + ")"
	case m.Index != noIndex:
		return base + "(" + goRegister(m.Index, false) + ")"
	case m.Disp != 0 || m.Post:
		return strconv.Itoa(m.Disp) + base
	}
	return base
}
