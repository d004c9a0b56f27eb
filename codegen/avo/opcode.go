package avo

import "strings"

// form says how the allocator and the printer treat an instruction.
type form uint8

const (
	formPlain      form = iota // dst = op(sources)
	formFMA                    // dst is one of the sources; three encodings
	formDivRem                 // scalar loop over four scratch vectors; no dst
	formMask                   // dst = what the step says: a tail's mask, from the sliding table; the index
	formMaskLoad               // dst = memory under a mask
	formNarrowLoad             // dst = up to 8 elements of one or two bytes, one at a time
	formDetour                 // results of its own, which kResult nodes name
	formStore                  // the first of those without a result
	formMaskStore
	formNarrowStore
	formCarry // the next value of an accumulator
)

// pure reports whether the result follows from the sources alone.
func (f form) pure() bool { return f < formMask }

// opcode describes an instruction over vector registers. Sources are in
// Intel's order, which Go's assembler reverses.
type opcode struct {
	name string
	form form
	args int
	mem  int // the source that may be in memory, or -1
	comm bool
	imm  bool
	xdst bool
	xsrc bool // the last source is an X register or 16 bytes
	xall bool // all registers are X
	// compares: if the sources change places, so does the immediate operand.
	compares bool
}

// The instructions in use, by shape.
var shapes = []struct {
	names string
	op    opcode
}{
	{"VADDPS VADDPD VMULPS VMULPD VANDPS VORPS VXORPS VPAND VPOR VPXOR VPADDD VPADDQ VPMULLD VPMULLW VPMULUDQ " +
		"VPMINSD VPMINUD VPMAXSD VPMAXUD VPCMPEQD VPCMPEQQ", opcode{args: 2, mem: 1, comm: true}},
	{"VSUBPS VSUBPD VDIVPS VDIVPD VMINPS VMINPD VMAXPS VMAXPD VANDNPS VPANDN VPSUBD VPSUBQ VPCMPGTD VPCMPGTQ " +
		"VPSLLVD VPSLLVQ VPSRLVD VPSRLVQ VPSRAVD", opcode{args: 2, mem: 1}},
	{"VSHUFPS", opcode{args: 2, mem: 1, imm: true}},
	{"VCMPPS VCMPPD", opcode{args: 2, mem: 1, comm: true, imm: true, compares: true}},
	{"VINSERTF128", opcode{args: 2, mem: 1, imm: true, xsrc: true}},
	{"VBLENDVPS", opcode{args: 3, mem: 1}},
	{"VMOVUPS VSQRTPS VSQRTPD VPABSD VCVTDQ2PS VCVTTPS2DQ", opcode{args: 1, mem: 0}},
	{"VROUNDPS VROUNDPD VPERMQ", opcode{args: 1, mem: 0, imm: true}},
	{"VPSLLD VPSLLQ VPSRLD VPSRLQ VPSRAD", opcode{args: 1, mem: -1, imm: true}},
	{"VEXTRACTF128 VCVTPS2PH", opcode{args: 1, mem: -1, imm: true, xdst: true}},
	{"VCVTPS2PD VCVTDQ2PD VPMOVSXDQ VPMOVZXDQ VPMOVZXBD VPMOVZXBQ VPMOVZXWD VPMOVSXBD VPMOVSXWD VCVTPH2PS", opcode{args: 1, mem: 0, xsrc: true}},
	{"VCVTPD2PSY VCVTTPD2DQY", opcode{args: 1, mem: 0, xdst: true}},
	{"VPACKUSDW VPACKUSWB VPACKSSDW VPACKSSWB", opcode{args: 2, mem: -1, xall: true}},
	{"VPABSB", opcode{args: 1, mem: -1, xall: true}},
	{"VFMADDPS VFMADDPD VFMSUBPS VFMSUBPD VFNMADDPS VFNMADDPD VFNMSUBPS VFNMSUBPD", opcode{args: 3, form: formFMA}},
	{"DIVREM", opcode{args: 4, mem: -1, form: formDivRem}},
	{"MASK", opcode{mem: -1, form: formMask}},
	{"VMASKMOVPS VMASKMOVPD", opcode{args: 1, mem: -1, form: formMaskLoad}},
	{"NARROWLOAD", opcode{mem: -1, form: formNarrowLoad, xdst: true}},
	{"DETOUR", opcode{mem: -1, form: formDetour}},
	{"INDEX", opcode{mem: -1, form: formMask}},
	{"KEEP STORE STOREONE VMOVQ STOREHALF", opcode{args: 1, mem: -1, form: formStore}},
	{"MASKSTOREPS MASKSTOREPD", opcode{args: 2, mem: -1, form: formMaskStore}},
	{"CARRY", opcode{args: 1, mem: -1, form: formCarry}},
	{"NARROWSTORE", opcode{args: 1, mem: -1, form: formNarrowStore}},
}

var opcodes = func() map[string]*opcode {
	m := map[string]*opcode{}
	for _, s := range shapes {
		for _, name := range strings.Fields(s.names) {
			op := s.op
			op.name = name
			m[name] = &op
		}
	}
	return m
}()

func opcodeOf(name string) *opcode {
	op := opcodes[name]
	if op == nil {
		panic("BUG: codegen/avo: no instruction " + name)
	}
	return op
}

// spelled returns the encoding of a fused multiply-add whose destination takes
// the place of the source that the digits say: VFMADDPS, 231 is VFMADD231PS.
func spelled(fma *opcode, digits string) string {
	n := len(fma.name) - 2
	return fma.name[:n] + digits + fma.name[n:]
}
