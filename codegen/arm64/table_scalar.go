package arm64

import "strings"

// Rows of scalar floats, and of general registers and jumps.

// scalars adds instructions on one float, in the low lanes of a vector register. They set all other lanes to 0.
func (t table) scalars() {
	add := func(word uint32, name, text string) {
		t.row(name+".S", word, strings.ReplaceAll(text, "<F", "<S"))
		t.row(name+".D", word|1<<22, strings.ReplaceAll(text, "<F", "<D"))
	}
	for name, word := range map[string]uint32{"FADD": 0x1e202800, "FSUB": 0x1e203800, "FMUL": 0x1e200800, "FDIV": 0x1e201800, "FMAX": 0x1e204800,
		"FMIN": 0x1e205800, "FMAXNM": 0x1e206800, "FMINNM": 0x1e207800, "FNMUL": 0x1e208800} {
		add(word, name, strings.ToLower(name)+" <Fd>, <Fn>, <Fm>")
	}
	for name, word := range map[string]uint32{"FMADD": 0x1f000000, "FMSUB": 0x1f008000, "FNMADD": 0x1f200000, "FNMSUB": 0x1f208000} {
		add(word, name, strings.ToLower(name)+" <Fd>, <Fn>, <Fm>, <Fa>")
	}
	for name, word := range map[string]uint32{"FMOV": 0x1e204000, "FABS": 0x1e20c000, "FNEG": 0x1e214000, "FSQRT": 0x1e21c000, "FRINTN": 0x1e244000,
		"FRINTP": 0x1e24c000, "FRINTM": 0x1e254000, "FRINTZ": 0x1e25c000, "FRINTA": 0x1e264000, "FRINTX": 0x1e274000, "FRINTI": 0x1e27c000} {
		add(word, name, strings.ToLower(name)+" <Fd>, <Fn>")
	}
	add(0x1e202000, "FCMP", "fcmp <Fn>, <Fm>")
	add(0x1e202008, "FCMPZERO", "fcmp <Fn>, #0.0")
	add(0x1e200c00, "FCSEL", "fcsel <Fd>, <Fn>, <Fm>, <cond>")
	for name, word := range map[string]uint32{"SD": 0x1e22c000, "DS": 0x1e624000, "SH": 0x1e23c000, "HS": 0x1ee24000, "DH": 0x1e63c000, "HD": 0x1ee2c000} {
		t.row("FCVT."+name, word, "fcvt <"+name[1:]+"d>, <"+name[:1]+"n>") // from the first type to the second
	}
	for name, word := range map[string]uint32{"WS": 0x1e260000, "XD": 0x9e660000, "SW": 0x1e270000, "DX": 0x9e670000} {
		t.row("FMOV."+name, word, "fmov <"+name[:1]+"d>, <"+name[1:]+"n>") // to the first from the second
	}
	for to, wide := range map[string]uint32{"W": 0, "X": 1 << 31} {
		for f, double := range map[string]uint32{"S": 0, "D": 1 << 22} {
			for sign, unsigned := range map[string]uint32{"S": 0, "U": 1 << 16} {
				t.row("FCVTZ"+sign+"."+to+f, 0x1e380000|wide|double|unsigned, "fcvtz"+strings.ToLower(sign)+" <"+to+"d>, <"+f+"n>")
				t.row(sign+"CVTF."+f+to, 0x1e220000|wide|double|unsigned, strings.ToLower(sign)+"cvtf <"+f+"d>, <"+to+"n>")
			}
		}
	}
	for name, word := range map[string]uint32{"FADDP": 0x7e30d800, "FMAXP": 0x7e30f800, "FMINP": 0x7eb0f800, "FMAXNMP": 0x7e30c800, "FMINNMP": 0x7eb0c800} {
		t.row(name+".S", word, strings.ToLower(name)+" <Sd>, <Vn>.2s")
		t.row(name+".D", word|1<<22, strings.ToLower(name)+" <Dd>, <Vn>.2d")
	}
	t.row("ADDP.D", 0x5ef1b800, "addp <Dd>, <Vn>.2d")
}

// integers adds arithmetic of general registers. W names instructions on 4 bytes.
func (t table) integers() {
	for _, op := range []struct {
		name, g  string
		reg, imm uint32
	}{{"ADD", "ADD", 0x8b000000, 0x91000000}, {"SUB", "SUB", 0xcb000000, 0xd1000000}, {"ADDS", "ADDS", 0xab000000, 0xb1000000}, {"SUBS", "SUBS", 0xeb000000, 0xf1000000}} {
		lower := strings.ToLower(op.name)
		to := "Xd"
		if !strings.HasSuffix(op.name, "S") {
			to = "Xd|SP"
		}
		t.both(op.name, op.imm, lower+" <"+to+">, <Xn|SP>, #<imm12>", op.g+" $<imm12>, <Xn|SP>, <"+to+">")
		t.both(op.name, op.imm|1<<22, lower+" <"+to+">, <Xn|SP>, #<imm24>", op.g+" $<imm24>, <Xn|SP>, <"+to+">")
		t.both(op.name, op.reg, lower+" <Xd>, <Xn>, <Xm>", op.g+" <Xm>, <Xn>, <Xd>")
		t.both(op.name, op.reg, lower+" <Xd>, <Xn>, <Xm>, lsl #<sh6>", op.g+" <Xm>{{<sh6>, <Xn>, <Xd>")
		t.both(op.name+"W", op.reg&^(1<<31), lower+" <Wd>, <Wn>, <Wm>", op.g+"W <Wm>, <Wn>, <Wd>")
	}
	t.both("CMP", 0xf100001f, "cmp <Xn|SP>, #<imm12>", "CMP $<imm12>, <Xn|SP>")
	t.both("CMP", 0xeb00001f, "cmp <Xn>, <Xm>", "CMP <Xm>, <Xn>")
	t.both("CMPW", 0x6b00001f, "cmp <Wn>, <Wm>", "CMPW <Wm>, <Wn>")
	t.both("CMPW", 0x7100001f, "cmp <Wn>, #<imm12>", "CMPW $<imm12>, <Wn>")
	t.both("CMN", 0xb100001f, "cmn <Xn|SP>, #<imm12>", "CMN $<imm12>, <Xn|SP>")
	for name, word := range map[string]uint32{"AND": 0x8a000000, "ORR": 0xaa000000, "EOR": 0xca000000, "ANDS": 0xea000000} {
		t.both(name, word, strings.ToLower(name)+" <Xd>, <Xn>, <Xm>", name+" <Xm>, <Xn>, <Xd>")
		to := "Xd|SP"
		if name == "ANDS" {
			to = "Xd"
		}
		t.both(name, word&0x60000000|0x92000000, strings.ToLower(name)+" <"+to+">, <Xn>, #<mask>", name+" $<mask>, <Xn>, <"+to+">")
	}
	t.both("BIC", 0x8a200000, "bic <Xd>, <Xn>, <Xm>", "BIC <Xm>, <Xn>, <Xd>")
	t.both("TST", 0xea00001f, "tst <Xn>, <Xm>", "TST <Xm>, <Xn>")
	t.both("TST", 0xf200001f, "tst <Xn>, #<mask>", "TST $<mask>, <Xn>")
	for name, word := range map[string]uint32{"LSL": 0x9ac02000, "LSR": 0x9ac02400, "ASR": 0x9ac02800, "SDIV": 0x9ac00c00, "UDIV": 0x9ac00800, "MUL": 0x9b007c00, "UMULH": 0x9bc07c00} {
		t.both(name, word, strings.ToLower(name)+" <Xd>, <Xn>, <Xm>", name+" <Xm>, <Xn>, <Xd>")
		if name != "UMULH" {
			t.both(name+"W", word&^(1<<31), strings.ToLower(name)+" <Wd>, <Wn>, <Wm>", name+"W <Wm>, <Wn>, <Wd>")
		}
	}
	t.both("LSL", 0xd3400000, "lsl <Xd>, <Xn>, #<lslx>", "LSL $<lslx>, <Xn>, <Xd>")
	t.both("LSR", 0xd340fc00, "lsr <Xd>, <Xn>, #<shrx>", "LSR $<shrx>, <Xn>, <Xd>")
	t.both("ASR", 0x9340fc00, "asr <Xd>, <Xn>, #<shrx>", "ASR $<shrx>, <Xn>, <Xd>")
	for name, word := range map[string]uint32{"MADD": 0x9b000000, "MSUB": 0x9b008000} {
		t.both(name, word, strings.ToLower(name)+" <Xd>, <Xn>, <Xm>, <Xa>", name+" <Xm>, <Xa>, <Xn>, <Xd>")
		t.both(name+"W", word&^(1<<31), strings.ToLower(name)+" <Wd>, <Wn>, <Wm>, <Wa>", name+"W <Wm>, <Wa>, <Wn>, <Wd>")
	}
	t.both("MOV", 0xaa0003e0, "mov <Xd>, <Xm>", "MOVD <Xm>, <Xd>")
	t.both("NEG", 0xcb0003e0, "neg <Xd>, <Xm>", "NEG <Xm>, <Xd>")
	t.both("SXTW", 0x93407c00, "sxtw <Xd>, <Wn>", "SXTW <Wn>, <Xd>")
	t.both("UXTW", 0x2a0003e0, "mov <Wd>, <Wm>", "MOVWU <Wm>, <Wd>")
	t.both("CLZ", 0xdac01000, "clz <Xd>, <Xn>", "CLZ <Xn>, <Xd>")
	t.both("RBIT", 0xdac00000, "rbit <Xd>, <Xn>", "RBIT <Xn>, <Xd>")
	for name, word := range map[string]uint32{"MOVZ": 0xd2800000, "MOVN": 0x92800000, "MOVK": 0xf2800000} {
		t.both(name, word, strings.ToLower(name)+" <Xd>, #<imm16>, lsl #<hw>", name+" $(<imm16>{{<hw>), <Xd>")
	}
	for name, word := range map[string]uint32{"CSEL": 0x9a800000, "CSINC": 0x9a800400, "CSINV": 0xda800000, "CSNEG": 0xda800400} {
		t.both(name, word, strings.ToLower(name)+" <Xd>, <Xn>, <Xm>, <cond>", name+" <cond>, <Xn>, <Xm>, <Xd>")
	}
}

// conditions are the names of conditions by their numbers, for the manual and for Go's assembler.
var conditions = strings.Fields("eq ne hs lo mi pl vs vc hi ls ge lt gt le")

// Conditions as operands.
const (
	condEQ = iota
	condNE
	condHS
	condLO
	condMI
	condPL
	condVS
	condVC
	condHI
	condLS
	condGE
	condLT
	condGT
	condLE
)

// branches adds jumps, and the address of a label.
func (t table) branches() {
	t.both("B", 0x14000000, "b <to26>", "JMP <to26>")
	for i, c := range conditions {
		t.both("B"+strings.ToUpper(c), 0x54000000|uint32(i), "b."+c+" <to19>", "B"+strings.ToUpper(c)+" <to19>")
	}
	for name, word := range map[string]uint32{"CBZ": 0xb4000000, "CBNZ": 0xb5000000} {
		t.both(name, word, strings.ToLower(name)+" <Xt>, <to19>", name+" <Xt>, <to19>")
	}
	for name, word := range map[string]uint32{"TBZ": 0x36000000, "TBNZ": 0x37000000} {
		t.both(name, word, strings.ToLower(name)+" <Xt>, #<bit>, <to14>", name+" $<bit>, <Xt>, <to14>")
	}
	t.both("ADR", 0x10000000, "adr <Xd>, <toByte>", "ADR <toByte>, <Xd>")
	t.both("RET", 0xd65f03c0, "ret", "RET")
}
