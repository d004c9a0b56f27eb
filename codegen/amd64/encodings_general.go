package amd64

// The operands of general instructions. Sources come first, as in Go's assembler.
var (
	gpReg   = slot{role: inReg, kinds: aGP64}
	gpRM    = slot{role: inRM, kinds: aGP64 | aMem}
	gpAX    = slot{role: implied, kinds: anAX}
	gpReg32 = slot{role: inReg, kinds: aGP32}
	gpReg8  = slot{role: inReg, kinds: aGP8}
	inMem   = slot{role: inRM, kinds: aMem}
	imm8    = slot{role: inImm8, kinds: aByte}
	int8s   = slot{role: inImm8, kinds: anInt8}
	int32s  = slot{role: inImm32, kinds: anInt}
)

// generalRows are the instructions on general registers, except jumps and RET.
var generalRows = []encodingRow{
	{form: []slot{int8s, gpRM}, flags: wide64, names: "ADDQ 83/0 ANDQ 83/4 SUBQ 83/5"},
	{form: []slot{int32s, gpAX}, flags: wide64, names: "ADDQ 05 ANDQ 25 SUBQ 2D TESTQ A9"},
	{form: []slot{int32s, gpRM}, flags: wide64, names: "ADDQ 81/0 ANDQ 81/4 SUBQ 81/5 TESTQ F7/0 MOVQ C7/0"},
	{form: []slot{gpRM, int8s}, flags: wide64, names: "CMPQ 83/7"},
	{form: []slot{gpAX, int32s}, flags: wide64, names: "CMPQ 3D"},
	{form: []slot{gpRM, int32s}, flags: wide64, names: "CMPQ 81/7"},
	{form: []slot{{role: implied, kinds: aOne}, gpRM}, flags: wide64, names: "SHLQ D1/4 SHRQ D1/5"},
	{form: []slot{imm8, gpRM}, flags: wide64, names: "SHLQ C1/4 SHRQ C1/5"},
	{form: []slot{gpReg, gpRM}, flags: wide64, names: "ADDQ 01 ANDQ 21 ORQ 09 XORQ 31 SUBQ 29 TESTQ 85 MOVQ 89"},
	{form: []slot{inMem, gpReg}, flags: wide64, names: "ADDQ 03 ANDQ 23 ORQ 0B XORQ 33 SUBQ 2B MOVQ 8B LEAQ 8D"},
	{form: []slot{gpRM, gpReg}, flags: wide64, names: "CMPQ 39"},
	{form: []slot{gpReg, inMem}, flags: wide64, names: "CMPQ 3B"},
	{form: []slot{gpRM, gpReg}, prefix: m0F, flags: wide64, names: "IMULQ AF BSFQ BC CMOVQCS 42 CMOVQGT 4F CMOVQHI 47 CMOVQLT 4C"},
	{form: []slot{gpRM}, flags: wide64, names: "DECQ FF/1 INCQ FF/0 NEGQ F7/3 DIVQ F7/6 IDIVQ F7/7"},
	{form: nil, flags: wide64, names: "CQO 99"},

	{form: []slot{{role: inRM, kinds: aGP8 | aMem}, gpReg}, prefix: m0F, flags: wide64, names: "MOVBQSX BE MOVBQZX B6"},
	{form: []slot{{role: inRM, kinds: aGP16 | aMem}, gpReg}, prefix: m0F, flags: wide64, names: "MOVWQSX BF MOVWQZX B7"},
	{form: []slot{{role: inRM, kinds: aGP32 | aMem}, gpReg}, flags: wide64, names: "MOVLQSX 63"},
	{form: []slot{{role: inRM, kinds: aGP8 | aHigh | aMem}, gpReg32}, prefix: m0F, names: "MOVBLZX B6"},
	{form: []slot{int32s, {role: inOpcode, kinds: aGP32}}, names: "MOVL B8"},
	{form: []slot{inMem, gpReg32}, names: "MOVL 8B"},
	{form: []slot{gpReg32, inMem}, names: "MOVL 89"},
	{form: []slot{{role: inReg, kinds: aGP16}, inMem}, flags: data16, names: "MOVW 89"},
	{form: []slot{inMem, gpReg8}, names: "MOVB 8A"},
	{form: []slot{gpReg8, inMem}, names: "MOVB 88"},

	{form: []slot{inMem}, prefix: m0F, names: "PREFETCHT0 18/1 PREFETCHT1 18/2"},
	{form: nil, prefix: m0F, names: "SFENCE AE/7"},
	{form: []slot{{role: inV, kinds: aGP64}, gpRM, gpReg}, prefix: m0F38, vex: w1, vector: fixed128, names: "BZHIQ F5"},
	{form: nil, prefix: m0F, vex: w0, vector: fixed128, names: "VZEROUPPER 77"},
}

// jumps are the condition codes of jumps.
var jumps = map[string]uint8{
	"JCS": 0x2, "JCC": 0x3, "JEQ": 0x4, "JNE": 0x5, "JLS": 0x6, "JHI": 0x7, "JMI": 0x8, "JPL": 0x9, "JPS": 0xa, "JPC": 0xb,
	"JLT": 0xc, "JGE": 0xd, "JLE": 0xe, "JGT": 0xf, "JMP": always,
}

// always is the place of a condition code in JMP.
const always = 0x10
