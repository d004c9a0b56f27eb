package avo

import (
	"strings"

	"github.com/stridefuse/stridefuse/codegen/machine"
)

// shape is the operand form of some instructions. The allocator reads it to place sources and results, and plain (emit.go)
// to print them.
type shape struct {
	names string
	op    machine.Opcode
}

// forms are the instructions of a target, by the names that rows use.
type forms map[string]*machine.Opcode

// add adds the instructions of shapes. own maps names of rows to the target's own names.
func (f forms) add(own map[string]string, shapes []shape) forms {
	for _, s := range shapes {
		for _, name := range strings.Fields(s.names) {
			op := s.op
			op.Name = name
			if spelled, ok := own[name]; ok {
				op.Name = spelled
			}
			f[name] = &op
		}
	}
	return f
}

func (f forms) opcode(name string) *machine.Opcode {
	op := f[name]
	if op == nil {
		panic("BUG: codegen/avo: no instruction " + name)
	}
	return op
}

// commonForms are the instructions that all targets have, under AVX2's names.
var commonForms = []shape{
	{"VADDPS VADDPD VMULPS VMULPD VANDPS VORPS VXORPS VPAND VPOR VPXOR VPADDD VPADDQ VPMULLD VPMULLW VPMULUDQ VPMADDWD " +
		"VPMINSD VPMINUD VPMAXSD VPMAXUD", machine.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VSUBPS VSUBPD VDIVPS VDIVPD VMINPS VMINPD VMAXPS VMAXPD VANDNPS VPANDN VPSUBD VPSUBQ " +
		"VPSLLVD VPSLLVQ VPSRLVD VPSRLVQ VPSRAVD", machine.Opcode{Args: 2, Mem: 1}},
	{"VPERMPS", machine.Opcode{Args: 2, Mem: -1}}, // from memory it takes a Zen 3 two cycles instead of one
	{"VSHUFPS", machine.Opcode{Args: 2, Mem: 1, Imm: true}},
	{"VINSERTF128", machine.Opcode{Args: 2, Mem: 1, Imm: true, HalfSrc: true}},
	{"VMOVUPS VSQRTPS VSQRTPD VPABSD VCVTDQ2PS VCVTTPS2DQ", machine.Opcode{Args: 1, Mem: 0}},
	{"VROUNDPS VROUNDPD", machine.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPSLLD VPSLLQ VPSRLD VPSRLQ VPSRAD", machine.Opcode{Args: 1, Mem: -1, Imm: true}},
	{"VEXTRACTF128 VCVTPS2PH", machine.Opcode{Args: 1, Mem: -1, Imm: true, HalfDst: true}},
	{"VCVTPS2PD VCVTDQ2PD VPMOVSXDQ VPMOVZXDQ VPMOVZXBD VPMOVZXBQ VPMOVZXWD VPMOVSXBD VPMOVSXWD VCVTPH2PS", machine.Opcode{Args: 1, Mem: 0, HalfSrc: true}},
	{"VCVTPD2PSY VCVTTPD2DQY", machine.Opcode{Args: 1, Mem: 0, HalfDst: true}},
	{"VFMADDPS VFMADDPD VFMSUBPS VFMSUBPD VFNMADDPS VFNMADDPD VFNMSUBPS VFNMSUBPD", machine.Opcode{Args: 3, Form: machine.FormFMA}},
	{"DIVREM DIVREMU", machine.Opcode{Args: 4, Mem: -1, Form: machine.FormScalarLoop}},
	{"STORE", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormStore}},
	{"MASKLOADPS MASKLOADPD", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormMaskLoad}},
	{"MASKSTOREPS MASKSTOREPD", machine.Opcode{Args: 2, Mem: -1, Form: machine.FormMaskStore}},
	{"STOREHALF", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormStore}},
}

// avx2Forms are the instructions that only AVX2 has.
var avx2Forms = []shape{
	{"VCMPPS VCMPPD", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored}},
	{"VPCMPEQD VPCMPEQQ", machine.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPCMPGTD VPCMPGTQ", machine.Opcode{Args: 2, Mem: 1}},
	{"VBLENDVPS", machine.Opcode{Args: 3, Mem: 1}},
	{"VPERMQ", machine.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPACKUSDW VPACKUSWB VPACKSSDW VPACKSSWB", machine.Opcode{Args: 2, Mem: -1, Half: true}},
	{"VPABSB", machine.Opcode{Args: 1, Mem: -1, Half: true}},
	{"NARROWLOAD", machine.Opcode{Mem: -1, Form: machine.FormNarrowLoad, HalfDst: true}},
	{"VMOVQ", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormStore}},
	{"NARROWSTORE GROUPSTORE", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormNarrowStore}},
	{"VUNPCKLPS VUNPCKHPS VPSHUFB", machine.Opcode{Args: 2, Mem: 1}},
	{"VPERM2F128", machine.Opcode{Args: 2, Mem: 1, Imm: true}},
	{"GROUPMASK", machine.Opcode{Mem: -1, Form: machine.FormMask}},
	{"GROUPLOAD", machine.Opcode{Mem: -1, Form: machine.FormNarrowLoad}},
}

// avx512Forms are the instructions that only AVX-512 has, under its names.
var avx512Forms = []shape{
	{"VCMPPS", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored, Result: machine.ClassMask}},
	{"VCMPPD", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored, Result: machine.ClassWideMask}},
	{"VPCMPD VPCMPUD", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirroredInt, Result: machine.ClassMask}},
	{"VPCMPQ VPCMPUQ", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirroredInt, Result: machine.ClassWideMask}},
	{"VPCMPEQD VPTESTMD", machine.Opcode{Args: 2, Mem: 1, Commutes: true, Result: machine.ClassMask}},
	{"VPCMPGTD", machine.Opcode{Args: 2, Mem: 1, Result: machine.ClassMask}},
	{"VBLENDMPS VBLENDMPD VSCALEFPS.Z VSCALEFPD.Z", machine.Opcode{Args: 3, Mem: 2}},
	{"VPTERNLOGQ", machine.Opcode{Args: 3, Form: machine.FormFMA, Imm: true}}, // its immediate operand: see ternary
	{"VMOVUPS.Z VMOVUPD.Z VGETEXPPS.Z VGETEXPPD.Z", machine.Opcode{Args: 2, Mem: 1}},
	{"VFPCLASSPSZ", machine.Opcode{Args: 1, Mem: 0, Imm: true, Result: machine.ClassMask}},
	{"VFPCLASSPDZ", machine.Opcode{Args: 1, Mem: 0, Imm: true, Result: machine.ClassWideMask}},
	{"VGETMANTPS VGETMANTPD", machine.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPMINSQ VPMAXSQ VPMINUQ VPMAXUQ VPMULLQ", machine.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPSRAVQ VSCALEFPS VSCALEFPD", machine.Opcode{Args: 2, Mem: 1}},
	{"VPSRAQ", machine.Opcode{Args: 1, Mem: -1, Imm: true}},
	{"VPABSQ VCVTUDQ2PS VCVTTPS2UDQ VCVTQQ2PD VCVTUQQ2PD VCVTTPD2QQ VCVTTPD2UQQ", machine.Opcode{Args: 1, Mem: 0}},
	{"VCVTUDQ2PD VCVTTPS2QQ VCVTTPS2UQQ", machine.Opcode{Args: 1, Mem: 0, HalfSrc: true}},
	{"VCVTQQ2PS VCVTUQQ2PS VCVTTPD2UDQ", machine.Opcode{Args: 1, Mem: 0, HalfDst: true}},
	{"VPMOVQD VPMOVDW", machine.Opcode{Args: 1, Mem: -1, HalfDst: true}},
	{"VSHUFF64X2", machine.Opcode{Args: 2, Mem: -1, Imm: true}},
	{"KANDW KORW KXORW", machine.Opcode{Args: 2, Mem: -1, Commutes: true, Result: machine.ClassMask}},
	{"KANDB KORB KXORB", machine.Opcode{Args: 2, Mem: -1, Commutes: true, Result: machine.ClassWideMask}},
	{"KANDNW", machine.Opcode{Args: 2, Mem: -1, Result: machine.ClassMask}},
	{"KANDNB", machine.Opcode{Args: 2, Mem: -1, Result: machine.ClassWideMask}},
	{"KNOTW", machine.Opcode{Args: 1, Mem: -1, Result: machine.ClassMask}},
	{"KNOTB", machine.Opcode{Args: 1, Mem: -1, Result: machine.ClassWideMask}},
	{"KUNPCKBW", machine.Opcode{Args: 2, Mem: -1, Result: machine.ClassMask}},
	{"KMOVB", machine.Opcode{Args: 1, Mem: -1, Result: machine.ClassWideMask}},
	{"KSHIFTRW", machine.Opcode{Args: 1, Mem: -1, Imm: true, Result: machine.ClassWideMask}},
	{"VPMOVZXBD.Z VPMOVZXWD.Z VPMOVSXBD.Z VPMOVSXWD.Z", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormMaskLoad}},
	{"STOREDB STOREDW", machine.Opcode{Args: 1, Mem: -1, Form: machine.FormStore}},
	{"MASKSTOREDB MASKSTOREDW", machine.Opcode{Args: 2, Mem: -1, Form: machine.FormMaskStore}},
}

// avx512Names maps common instructions to the names that AVX-512 has for them. Bitwise instructions are those on 8-byte
// lanes, so that an 8-byte constant can be broadcast.
var avx512Names = map[string]string{
	"VANDPS": "VANDPD", "VORPS": "VORPD", "VXORPS": "VXORPD", "VANDNPS": "VANDNPD",
	"VPAND": "VPANDQ", "VPOR": "VPORQ", "VPXOR": "VPXORQ", "VPANDN": "VPANDNQ",
	"VROUNDPS": "VRNDSCALEPS", "VROUNDPD": "VRNDSCALEPD",
	"VEXTRACTF128": "VEXTRACTF64X4", "VINSERTF128": "VINSERTF64X4",
	"VCVTPD2PSY": "VCVTPD2PS", "VCVTTPD2DQY": "VCVTTPD2DQ",
}

// fusedDigits are the parts of the names of fused multiply-adds that say which source
// the result overwrites.
var fusedDigits = map[machine.Fused]string{
	machine.OverFactor: "132", machine.OverFactorAddendLast: "213", machine.OverAddend: "231",
}

// spelled returns the name of a fused multiply-add with the given digits: VFMADDPS and 231 make VFMADD231PS.
func spelled(fma *machine.Opcode, digits string) string {
	n := len(fma.Name) - 2
	return fma.Name[:n] + digits + fma.Name[n:]
}

// The functions of three bits x, y and z that rows use, as truth tables: bit 4x+2y+z is the result. They are symmetric in x and y.
const (
	andThenOr  = 0xea
	andThenXor = 0x6a
)

// ternary returns the immediate operand for a function of three bits. The instruction's first source is the one that its
// result overwrites; the others are those of Inst.Src.
func ternary(function uint8, over machine.Fused) uint8 {
	out := uint8(0)
	for bit := range 8 {
		x, y, z := bit>>2&1, bit>>1&1, bit&1
		switch over {
		case machine.OverFactor: // the instruction's sources are x, z and y
			y, z = z, y
		case machine.OverAddend: // z, x, y
			x, y, z = y, z, x
		}
		out |= function >> (4*x + 2*y + z) & 1 << bit
	}
	return out
}
