package avo

import (
	"strings"

	"github.com/stridefuse/stridefuse/codegen/machine"
)

// The instructions in use, by shape. The allocator reads a shape to place sources and
// results, and plain (emit.go) to print them.
var shapes = []struct {
	names string
	op    machine.Opcode
}{
	{"VADDPS VADDPD VMULPS VMULPD VANDPS VORPS VXORPS VPAND VPOR VPXOR VPADDD VPADDQ VPMULLD VPMULLW VPMULUDQ " +
		"VPMINSD VPMINUD VPMAXSD VPMAXUD VPCMPEQD VPCMPEQQ", machine.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VSUBPS VSUBPD VDIVPS VDIVPD VMINPS VMINPD VMAXPS VMAXPD VANDNPS VPANDN VPSUBD VPSUBQ VPCMPGTD VPCMPGTQ " +
		"VPSLLVD VPSLLVQ VPSRLVD VPSRLVQ VPSRAVD", machine.Opcode{Args: 2, Mem: 1}},
	{"VSHUFPS", machine.Opcode{Args: 2, Mem: 1, Imm: true}},
	{"VCMPPS VCMPPD", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored}},
	{"VINSERTF128", machine.Opcode{Args: 2, Mem: 1, Imm: true, HalfSrc: true}},
	{"VBLENDVPS", machine.Opcode{Args: 3, Mem: 1}},
	{"VMOVUPS VSQRTPS VSQRTPD VPABSD VCVTDQ2PS VCVTTPS2DQ", machine.Opcode{Args: 1, Mem: 0}},
	{"VROUNDPS VROUNDPD VPERMQ", machine.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPSLLD VPSLLQ VPSRLD VPSRLQ VPSRAD", machine.Opcode{Args: 1, Mem: -1, Imm: true}},
	{"VEXTRACTF128 VCVTPS2PH", machine.Opcode{Args: 1, Mem: -1, Imm: true, HalfDst: true}},
	{"VCVTPS2PD VCVTDQ2PD VPMOVSXDQ VPMOVZXDQ VPMOVZXBD VPMOVZXBQ VPMOVZXWD VPMOVSXBD VPMOVSXWD VCVTPH2PS", machine.Opcode{Args: 1, Mem: 0, HalfSrc: true}},
	{"VCVTPD2PSY VCVTTPD2DQY", machine.Opcode{Args: 1, Mem: 0, HalfDst: true}},
	{"VPACKUSDW VPACKUSWB VPACKSSDW VPACKSSWB", machine.Opcode{Args: 2, Mem: -1, Half: true}},
	{"VPABSB", machine.Opcode{Args: 1, Mem: -1, Half: true}},
	{"VFMADDPS VFMADDPD VFMSUBPS VFMSUBPD VFNMADDPS VFNMADDPD VFNMSUBPS VFNMSUBPD", machine.Opcode{Args: 3, Form: machine.FormFMA}},
	{"DIVREM DIVREMU", machine.Opcode{Args: 4, Mem: -1, Form: machine.FormScalarLoop}},
	{"VMASKMOVPS VMASKMOVPD", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormMaskLoad}},
	{"NARROWLOAD", machine.Opcode{Mem: -1, Form: machine.FormNarrowLoad, HalfDst: true}},
	{"STORE VMOVQ STOREHALF", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormStore}},
	{"MASKSTOREPS MASKSTOREPD", machine.Opcode{Args: 2, Mem: -1, Form: machine.FormMaskStore}},
	{"NARROWSTORE", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormNarrowStore}},
}

var opcodes = func() map[string]*machine.Opcode {
	m := map[string]*machine.Opcode{}
	for _, s := range shapes {
		for _, name := range strings.Fields(s.names) {
			op := s.op
			op.Name = name
			m[name] = &op
		}
	}
	return m
}()

func opcodeOf(name string) *machine.Opcode {
	op := opcodes[name]
	if op == nil {
		panic("BUG: codegen/avo: no instruction " + name)
	}
	return op
}

// fusedDigits are the parts of the names of fused multiply-adds that say which source
// the result overwrites.
var fusedDigits = map[machine.Fused]string{
	machine.OverFactor: "132", machine.OverFactorAddendLast: "213", machine.OverAddend: "231",
}

// spelled returns the name of a fused multiply-add with these digits: VFMADDPS, 231
// is VFMADD231PS.
func spelled(fma *machine.Opcode, digits string) string {
	n := len(fma.Name) - 2
	return fma.Name[:n] + digits + fma.Name[n:]
}
