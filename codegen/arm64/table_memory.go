package arm64

import "strings"

// Rows of loads and stores. The forms of an address are rows of one name: a multiple of the size, any small offset, an index
// register, and an address that the access advances.

// accesses adds the forms of a load or store. word is that of the form with a multiple of the size.
func (t table) accesses(name, g, reg, text string, word uint32, shift int) {
	post := ""
	if g != "" {
		post = g + ".P"
	}
	add := func(word uint32, text, field, g string) {
		if g == "" {
			t.row(name, word, text+" <"+reg+">, <"+field+">")
			return
		}
		line := g + " <" + field + ">, <" + reg + ">"
		if strings.HasPrefix(text, "st") {
			line = g + " <" + reg + ">, <" + field + ">"
		}
		t.both(name, word, text+" <"+reg+">, <"+field+">", line)
	}
	unscaled := strings.Replace(strings.Replace(text, "ldr", "ldur", 1), "str", "stur", 1)
	s := itoa(shift)
	add(word, text, "mem:u"+s, g)
	add(word&^(1<<24), unscaled, "mem:s9", g)
	add(word&^(1<<24)|0x00206800, text, "mem:x"+s, g)
	add(word&^(1<<24)|0x00000400, text, "mem:p9", post)
}

// vectorMemory adds loads and stores of a vector register, or its low part, and of two.
func (t table) vectorMemory() {
	for shift, e := range strings.Fields("B H S D Q") {
		size := uint32(shift) << 30
		if shift == 4 {
			size = 0x00800000
		}
		t.accesses("LDR."+e, "", e+"t", "ldr", 0x3d400000|size, shift)
		t.accesses("STR."+e, "", e+"t", "str", 0x3d000000|size, shift)
		if shift < 2 {
			continue
		}
		pair, s := uint32(shift-2)<<30, itoa(shift)
		for load, name := range []string{"STP", "LDP"} {
			word := 0x2d000000 | pair | uint32(load)<<22
			t.row(name+"."+e, word, strings.ToLower(name)+" <"+e+"t>, <"+e+"t2>, <mem:pair"+s+">")
			t.row(name[:2]+"N"+name[2:]+"."+e, word&^(1<<24), strings.ToLower(name[:2]+"N"+name[2:])+" <"+e+"t>, <"+e+"t2>, <mem:pair"+s+">")
			t.row(name+"."+e, word&^(3<<23)|1<<23, strings.ToLower(name)+" <"+e+"t>, <"+e+"t2>, <mem:pairpost"+s+">")
		}
	}
}

// structures adds loads and stores of elements of one to four registers, which are interleaved in memory if there are several elements
// in each (LD2 to LD4), or not (LD1). The digit behind the name of LD1 is the number of registers.
func (t table) structures() {
	for _, a := range strings.Fields("8b 16b 4h 8h 2s 4s 1d 2d") {
		of := arrangements[a]
		whole := 8
		if of.q != 0 {
			whole = 16
		}
		for n := 1; n <= 4; n++ {
			list := "{<Vt*" + itoa(n) + "." + a + ">}, "
			for load, name := range []string{"ST", "LD"} {
				word := of.q | uint32(load)<<22 | uint32(of.size)<<10
				lower := strings.ToLower(name)
				t.addressed(name+"1x"+itoa(n)+"."+strings.ToUpper(a), lower+"1 "+list, 0x0c000000|word|[]uint32{0, 0x7000, 0xa000, 0x6000, 0x2000}[n], n*whole)
				if n > 1 && a != "1d" {
					t.addressed(name+itoa(n)+"."+strings.ToUpper(a), lower+itoa(n)+" "+list, 0x0c000000|word|[]uint32{0, 0, 0x8000, 0x4000, 0}[n], n*whole)
				}
			}
			all := 0x0d40c000 | of.q | uint32(of.size)<<10 | []uint32{0, 0, 1 << 21, 0x2000, 1<<21 | 0x2000}[n]
			t.addressed("LD"+itoa(n)+"R."+strings.ToUpper(a), "ld"+itoa(n)+"r "+list, all, n<<of.size)
		}
	}
	for size, e := range strings.Fields("b h s d") {
		for n := 1; n <= 4; n++ {
			list := "{<Vt*" + itoa(n) + "." + e + ">}[<slot:" + itoa(size) + ">], "
			for load, name := range []string{"st", "ld"} {
				word := 0x0d000000 | uint32(load)<<22 | []uint32{0, 0x4000, 0x8000, 0x8400}[size] | []uint32{0, 0, 1 << 21, 0x2000, 1<<21 | 0x2000}[n]
				t.addressed(strings.ToUpper(name)+itoa(n)+"."+strings.ToUpper(e), name+itoa(n)+" "+list, word, n<<size)
			}
		}
	}
}

// addressed adds the forms of an access of elements: its address, which it may advance by what it reads, or by a register.
func (t table) addressed(name, text string, word uint32, bytes int) {
	t.row(name, word, text+"<mem:0>")
	t.row(name, word|0x009f0000, text+"<mem:by"+itoa(bytes)+">")
	t.row(name, word|0x00800000, text+"<mem:byx>")
}

// integerMemory adds loads and stores of general registers, and prefetches. The suffix is the size; S extends the sign.
func (t table) integerMemory() {
	t.accesses("LDR", "MOVD", "Xt", "ldr", 0xf9400000, 3)
	t.accesses("STR", "MOVD", "Xt", "str", 0xf9000000, 3)
	t.accesses("LDRW", "MOVWU", "Wt", "ldr", 0xb9400000, 2)
	t.accesses("STRW", "MOVW", "Wt", "str", 0xb9000000, 2)
	t.accesses("LDRSW", "MOVW", "Xt", "ldrsw", 0xb9800000, 2)
	t.accesses("LDRH", "MOVHU", "Wt", "ldrh", 0x79400000, 1)
	t.accesses("STRH", "MOVH", "Wt", "strh", 0x79000000, 1)
	t.accesses("LDRSH", "MOVH", "Xt", "ldrsh", 0x79800000, 1)
	t.accesses("LDRB", "MOVBU", "Wt", "ldrb", 0x39400000, 0)
	t.accesses("STRB", "MOVB", "Wt", "strb", 0x39000000, 0)
	t.accesses("LDRSB", "MOVB", "Xt", "ldrsb", 0x39800000, 0)
	t.both("LDP", 0xa9400000, "ldp <Xt>, <Xt2>, <mem:pair3>", "LDP <mem:pair3>, (<Xt>, <Xt2>)")
	t.both("STP", 0xa9000000, "stp <Xt>, <Xt2>, <mem:pair3>", "STP (<Xt>, <Xt2>), <mem:pair3>")
	t.row("PRFM", 0xf9800000, "prfm <hint>, <mem:u3>")
	t.row("PRFM", 0xf8a06800, "prfm <hint>, <mem:x3>")
}
