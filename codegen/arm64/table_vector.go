package arm64

import "strings"

// Rows of vector instructions.

const (
	three  = "OP <Vd>.T, <Vn>.T, <Vm>.T"
	unary  = "OP <Vd>.T, <Vn>.T"
	toZero = "OP <Vd>.T, <Vn>.T, #0"
)

// threeSame adds instructions with three vectors of the same arrangement.
func (t table) threeSame() {
	t.each(ofFloats, three, "FADD 0e20d400 FSUB 0ea0d400 FMUL 2e20dc00 FDIV 2e20fc00 FMLA 0e20cc00 FMLS 0ea0cc00 FMAX 0e20f400 FMIN 0ea0f400 "+
		"FMAXNM 0e20c400 FMINNM 0ea0c400 FCMEQ 0e20e400 FCMGE 2e20e400 FCMGT 2ea0e400 FACGE 2e20ec00 FACGT 2ea0ec00 FABD 2ea0d400 "+
		"FADDP 2e20d400 FMAXP 2e20f400 FMINP 2ea0f400 FMAXNMP 2e20c400 FMINNMP 2ea0c400 FMULX 0e20dc00")
	t.each(ofInts, three, "ADD 0e208400 SUB 2e208400 CMGT 0e203400 CMGE 0e203c00 CMHI 2e203400 CMHS 2e203c00 CMEQ 2e208c00 CMTST 0e208c00 "+
		"SSHL 0e204400 USHL 2e204400 SRSHL 0e205400 URSHL 2e205400 SQADD 0e200c00 UQADD 2e200c00 SQSUB 0e202c00 UQSUB 2e202c00 ADDP 0e20bc00")
	t.each(ofInts32, three, "MUL 0e209c00 MLA 0e209400 MLS 2e209400 SMAX 0e206400 SMIN 0e206c00 UMAX 2e206400 UMIN 2e206c00 "+
		"SHADD 0e200400 UHADD 2e200400 SRHADD 0e201400 URHADD 2e201400 SHSUB 0e202400 UHSUB 2e202400 SABD 0e207400 UABD 2e207400 SABA 0e207c00 UABA 2e207c00 "+
		"SMAXP 0e20a400 SMINP 0e20ac00 UMAXP 2e20a400 UMINP 2e20ac00")
	t.each("4h 8h 2s 4s", three, "SQDMULH 0e20b400 SQRDMULH 2e20b400")
	t.each(ofBytes, three, "AND 0e201c00 BIC 0e601c00 ORR 0ea01c00 ORN 0ee01c00 EOR 2e201c00 BSL 2e601c00 BIT 2ea01c00 BIF 2ee01c00")
	for name, word := range map[string]uint32{"SDOT": 0x0e809400, "UDOT": 0x2e809400} { // an extension: FEAT_DotProd
		t.row(name+".2S", word, strings.ToLower(name)+" <Vd>.2s, <Vn>.8b, <Vm>.8b")
		t.row(name+".4S", word|1<<30, strings.ToLower(name)+" <Vd>.4s, <Vn>.16b, <Vm>.16b")
	}
}

// twoMisc adds instructions with one source of the same arrangement.
func (t table) twoMisc() {
	t.each(ofFloats, unary, "FABS 0ea0f800 FNEG 2ea0f800 FSQRT 2ea1f800 FRINTN 0e218800 FRINTM 0e219800 FRINTP 0ea18800 FRINTZ 0ea19800 "+
		"FRINTA 2e218800 FRINTX 2e219800 FRINTI 2ea19800 FCVTNS 0e21a800 FCVTMS 0e21b800 FCVTAS 0e21c800 FCVTPS 0ea1a800 FCVTZS 0ea1b800 "+
		"FCVTNU 2e21a800 FCVTMU 2e21b800 FCVTAU 2e21c800 FCVTPU 2ea1a800 FCVTZU 2ea1b800 SCVTF 0e21d800 UCVTF 2e21d800")
	t.each(ofFloats, "OP <Vd>.T, <Vn>.T, #0.0", "FCMGTZERO 0ea0c800 FCMEQZERO 0ea0d800 FCMLTZERO 0ea0e800 FCMGEZERO 2ea0c800 FCMLEZERO 2ea0d800")
	t.each(ofInts, toZero, "CMGTZERO 0e208800 CMEQZERO 0e209800 CMLTZERO 0e20a800 CMGEZERO 2e208800 CMLEZERO 2e209800")
	t.each(ofInts, unary, "ABS 0e20b800 NEG 2e20b800 SQABS 0e207800 SQNEG 2e207800")
	t.each(ofInts32, unary, "CLZ 2e204800 CLS 0e204800")
	t.each(ofInts32, unary, "REV64 0e200800")
	t.each("8b 16b 4h 8h", unary, "REV32 2e200800")
	t.each(ofBytes, unary, "REV16 0e201800 CNT 0e205800 NOT 2e205800 RBIT 2e605800")
}

// halved are the arrangements of half as wide elements: of a half of the register, and of all of it.
var halved = []struct{ wide, low, all string }{{"8h", "8b", "16b"}, {"4s", "4h", "8h"}, {"2d", "2s", "4s"}}

// widths adds instructions that widen or narrow elements, and those that reduce a vector. Those whose name ends with 2 read or write the
// upper half of the narrow vector.
func (t table) widths() {
	// narrow elements are T, wide ones W.
	pairs := func(text, list string, floats bool) {
		words := strings.Fields(list)
		for i := 0; i < len(words); i += 2 {
			for size, h := range halved {
				word, narrow := hex(words[i+1])|uint32(size)<<22, h.low
				if floats && size == 0 {
					continue
				} else if floats {
					word = hex(words[i+1]) | uint32(size-1)<<22
				}
				for upper, suffix := range []string{"", "2"} {
					if upper == 1 {
						word, narrow = word|1<<30, h.all
					}
					line := strings.ReplaceAll(filled(text, strings.ToLower(words[i])+suffix, narrow), ".W", "."+h.wide)
					t.row(words[i]+suffix+"."+strings.ToUpper(h.wide), word, line)
				}
			}
		}
	}
	pairs("OP <Vd>.T, <Vn>.W", "XTN 0e212800 SQXTN 0e214800 UQXTN 2e214800 SQXTUN 2e212800", false)
	pairs("OP <Vd>.T, <Vn>.W", "FCVTN 0e216800", true)
	pairs("OP <Vd>.W, <Vn>.T", "FCVTL 0e217800", true)
	t.row("FCVTXN.2D", 0x2e616800, "fcvtxn <Vd>.2s, <Vn>.2d")
	t.row("FCVTXN2.2D", 0x6e616800, "fcvtxn2 <Vd>.4s, <Vn>.2d")
	pairs("OP <Vd>.W, <Vn>.T, <Vm>.T", "SADDL 0e200000 UADDL 2e200000 SSUBL 0e202000 USUBL 2e202000 SMULL 0e20c000 UMULL 2e20c000 "+
		"SMLAL 0e208000 UMLAL 2e208000 SMLSL 0e20a000 UMLSL 2e20a000 SABDL 0e207000 UABDL 2e207000 SABAL 0e205000 UABAL 2e205000", false)
	pairs("OP <Vd>.W, <Vn>.W, <Vm>.T", "SADDW 0e201000 UADDW 2e201000 SSUBW 0e203000 USUBW 2e203000", false)
	pairs("OP <Vd>.T, <Vn>.W, <Vm>.W", "ADDHN 0e204000 SUBHN 0e206000", false)
	for size, h := range halved { // sums of neighbors, named after the narrow elements
		for q, narrow := range []string{h.low, h.all} {
			wide := h.wide
			if q == 0 {
				wide = map[string]string{"8h": "4h", "4s": "2s", "2d": "1d"}[wide]
			}
			for name, word := range map[string]uint32{"SADDLP": 0x0e202800, "UADDLP": 0x2e202800, "SADALP": 0x0e206800, "UADALP": 0x2e206800} {
				t.row(name+"."+strings.ToUpper(narrow), word|uint32(size)<<22|uint32(q)<<30, strings.ToLower(name)+" <Vd>."+wide+", <Vn>."+narrow)
			}
		}
	}
	across := "8b 16b 4h 8h 4s"
	for _, a := range strings.Fields(across) {
		of := arrangements[a]
		for name, word := range map[string]uint32{"ADDV": 0x0e31b800, "SMAXV": 0x0e30a800, "SMINV": 0x0e31a800, "UMAXV": 0x2e30a800, "UMINV": 0x2e31a800} {
			t.row(name+"."+strings.ToUpper(a), word|of.q|uint32(of.size)<<22, strings.ToLower(name)+" <"+"BHSD"[of.size:of.size+1]+"d>, <Vn>."+a)
		}
		for name, word := range map[string]uint32{"SADDLV": 0x0e303800, "UADDLV": 0x2e303800} {
			t.row(name+"."+strings.ToUpper(a), word|of.q|uint32(of.size)<<22, strings.ToLower(name)+" <"+"HSD"[of.size:of.size+1]+"d>, <Vn>."+a)
		}
	}
	for name, word := range map[string]uint32{"FMAXV": 0x6e30f800, "FMINV": 0x6eb0f800, "FMAXNMV": 0x6e30c800, "FMINNMV": 0x6eb0c800} {
		t.row(name+".4S", word, strings.ToLower(name)+" <Sd>, <Vn>.4s")
	}
}

// shifts adds shifts by constants.
func (t table) shifts() {
	for _, a := range strings.Fields(ofInts) {
		of := arrangements[a]
		width := itoa(8 << of.size)
		for name, word := range map[string]uint32{"SHL": 0x0f005400, "SLI": 0x2f005400} {
			t.row(name+"."+strings.ToUpper(a), word|of.q, filled("OP <Vd>.T, <Vn>.T, #<shl:"+width+">", strings.ToLower(name), a))
		}
		for name, word := range map[string]uint32{"SSHR": 0x0f000400, "USHR": 0x2f000400, "SSRA": 0x0f001400, "USRA": 0x2f001400, "SRI": 0x2f004400, "SRSHR": 0x0f002400, "URSHR": 0x2f002400} {
			t.row(name+"."+strings.ToUpper(a), word|of.q, filled("OP <Vd>.T, <Vn>.T, #<shr:"+width+">", strings.ToLower(name), a))
		}
	}
	for size, h := range halved {
		width := itoa(8 << size)
		for q, narrow := range []string{h.low, h.all} {
			suffix := []string{"", "2"}[q]
			for name, word := range map[string]uint32{"SHRN": 0x0f008400, "RSHRN": 0x0f008c00, "SQSHRN": 0x0f009400, "UQSHRN": 0x2f009400, "SQSHRUN": 0x2f008400} {
				t.row(name+suffix+"."+strings.ToUpper(h.wide), word|uint32(q)<<30, strings.ToLower(name)+suffix+" <Vd>."+narrow+", <Vn>."+h.wide+", #<shr:"+width+">")
			}
			for name, word := range map[string]uint32{"SSHLL": 0x0f00a400, "USHLL": 0x2f00a400} {
				t.row(name+suffix+"."+strings.ToUpper(h.wide), word|uint32(q)<<30, strings.ToLower(name)+suffix+" <Vd>."+h.wide+", <Vn>."+narrow+", #<shl:"+width+">")
			}
			for name, word := range map[string]uint32{"SXTL": 0x0f00a400, "UXTL": 0x2f00a400} {
				t.row(name+suffix+"."+strings.ToUpper(h.wide), word|uint32(q)<<30|8<<size<<16, strings.ToLower(name)+suffix+" <Vd>."+h.wide+", <Vn>."+narrow)
			}
		}
	}
}

// permutes adds instructions that move elements between lanes.
func (t table) permutes() {
	t.each(ofAll, three, "ZIP1 0e003800 ZIP2 0e007800 UZP1 0e001800 UZP2 0e005800 TRN1 0e002800 TRN2 0e006800")
	t.row("EXT.8B", 0x2e000000, "ext <Vd>.8b, <Vn>.8b, <Vm>.8b, #<ext>")
	t.row("EXT.16B", 0x6e000000, "ext <Vd>.16b, <Vn>.16b, <Vm>.16b, #<ext>")
	for n := 1; n <= 4; n++ { // the table is in n registers
		list := "{<Vn*" + itoa(n) + ".16b>}"
		for q, a := range []string{"8b", "16b"} {
			t.row("TBL"+itoa(n)+"."+strings.ToUpper(a), 0x0e000000|uint32(q)<<30|uint32(n-1)<<13, "tbl <Vd>."+a+", "+list+", <Vm>."+a)
			t.row("TBX"+itoa(n)+"."+strings.ToUpper(a), 0x0e001000|uint32(q)<<30|uint32(n-1)<<13, "tbx <Vd>."+a+", "+list+", <Vm>."+a)
		}
	}
}

// elements adds instructions that read or write one element of a vector.
func (t table) elements() {
	for _, a := range strings.Fields(ofInts) {
		of, upper := arrangements[a], strings.ToUpper(a)
		e, lane := "bhsd"[of.size:of.size+1], itoa(of.size)
		from := "W"
		if of.size == 3 {
			from = "X"
		}
		t.row("DUP."+upper, 0x0e000400|of.q, "dup <Vd>."+a+", <Vn>."+e+"[<lane:"+lane+">]")
		t.row("DUPR."+upper, 0x0e000c00|of.q|1<<of.size<<16, "dup <Vd>."+a+", <"+from+"n>")
	}
	for size := range 4 {
		e, E, lane := "bhsd"[size:size+1], "BHSD"[size:size+1], itoa(size)
		t.row("DUP."+E, 0x5e000400, "dup <"+E+"d>, <Vn>."+e+"[<lane:"+lane+">]")
		t.row("INS."+E, 0x6e000400, "ins <Vd>."+e+"[<lane:"+lane+">], <Vn>."+e+"[<from:"+lane+">]")
		from := "W"
		if size == 3 {
			from = "X"
		}
		t.row("INSR."+E, 0x4e001c00, "ins <Vd>."+e+"[<lane:"+lane+">], <"+from+"n>")
		t.row("UMOV."+E, []uint32{0x0e003c00, 0x0e003c00, 0x0e003c00, 0x4e003c00}[size], "umov <"+from+"d>, <Vn>."+e+"[<lane:"+lane+">]")
		if size < 3 {
			t.row("SMOV."+E, 0x4e002c00, "smov <Xd>, <Vn>."+e+"[<lane:"+lane+">]")
		}
	}
	for _, a := range strings.Fields(ofFloats) { // one factor is an element
		of, e := arrangements[a], "sd"[arrangements[a].size-2:arrangements[a].size-1]
		for name, word := range map[string]uint32{"FMLA": 0x0f801000, "FMLS": 0x0f805000, "FMUL": 0x0f809000} {
			t.row(name+"E."+strings.ToUpper(a), word|of.q|uint32(of.size-2)<<22, filled("OP <Vd>.T, <Vn>.T, <Vm>."+e+"[<elem:"+itoa(of.size)+">]", strings.ToLower(name), a))
		}
	}
	t.row("UMLALE.2D", 0x2f802000, "umlal <Vd>.2d, <Vn>.2s, <Vm>.s[<elem:2>]")
	t.row("SMLALE.2D", 0x0f802000, "smlal <Vd>.2d, <Vn>.2s, <Vm>.s[<elem:2>]")
	for _, a := range []string{"2s", "4s"} {
		of := arrangements[a]
		for name, word := range map[string]uint32{"MUL": 0x0f808000, "MLA": 0x2f800000, "MLS": 0x2f804000} {
			t.row(name+"E."+strings.ToUpper(a), word|of.q, filled("OP <Vd>.T, <Vn>.T, <Vm>.s[<elem:2>]", strings.ToLower(name), a))
		}
	}
}

// immediates adds constants in all lanes.
func (t table) immediates() {
	for q, n := range []string{"2S", "4S"} {
		a := strings.ToLower(n)
		t.row("MOVI."+n, 0x0f000400|uint32(q)<<30, "movi <Vd>."+a+", #<imm8>, lsl #<lsl:3>")
		t.row("MVNI."+n, 0x2f000400|uint32(q)<<30, "mvni <Vd>."+a+", #<imm8>, lsl #<lsl:3>")
		t.row("FMOV."+n, 0x0f00f400|uint32(q)<<30, "fmov <Vd>."+a+", #<fimm8>")
	}
	for q, n := range []string{"4H", "8H"} {
		a := strings.ToLower(n)
		t.row("MOVI."+n, 0x0f008400|uint32(q)<<30, "movi <Vd>."+a+", #<imm8>, lsl #<lsl:1>")
		t.row("MVNI."+n, 0x2f008400|uint32(q)<<30, "mvni <Vd>."+a+", #<imm8>, lsl #<lsl:1>")
	}
	for q, n := range []string{"8B", "16B"} {
		t.row("MOVI."+n, 0x0f00e400|uint32(q)<<30, "movi <Vd>."+strings.ToLower(n)+", #<imm8>")
	}
	t.row("MOVI.2D", 0x6f00e400, "movi <Vd>.2d, #<imm64>")
	t.row("FMOV.2D", 0x6f00f400, "fmov <Vd>.2d, #<fimm8>")
}
