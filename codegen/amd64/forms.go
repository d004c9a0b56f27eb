package amd64

import (
	"strings"

	"github.com/stridefuse/stridefuse/codegen/vector"
)

// shape is the operand form of some instructions. The allocator reads it to place sources and results, and plain (emit.go)
// to print them.
type shape struct {
	names string
	op    vector.Opcode
}

// forms are the instructions of a target, by the names that rows use.
type forms map[string]*vector.Opcode

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

func (f forms) opcode(name string) *vector.Opcode {
	op := f[name]
	if op == nil {
		panic("BUG: codegen/amd64: no instruction " + name)
	}
	return op
}

// commonForms are the instructions that all targets have, under AVX2's names.
var commonForms = []shape{
	{"VADDPS VADDPD VMULPS VMULPD VANDPS VORPS VXORPS VPAND VPOR VPXOR VPADDD VPADDQ VPMULLD VPMULLW VPMULUDQ VPMADDWD " +
		"VPMINSD VPMINUD VPMAXSD VPMAXUD", vector.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VSUBPS VSUBPD VDIVPS VDIVPD VMINPS VMINPD VMAXPS VMAXPD VANDNPS VPANDN VPSUBD VPSUBQ " +
		"VPSLLVD VPSLLVQ VPSRLVD VPSRLVQ VPSRAVD", vector.Opcode{Args: 2, Mem: 1}},
	{"VPERMPS", vector.Opcode{Args: 2, Mem: -1}}, // from memory it takes a Zen 3 two cycles instead of one
	{"VSHUFPS", vector.Opcode{Args: 2, Mem: 1, Imm: true}},
	{"VINSERTF128", vector.Opcode{Args: 2, Mem: 1, Imm: true, HalfSrc: true}},
	{"VMOVUPS VSQRTPS VSQRTPD VPABSD VCVTDQ2PS VCVTTPS2DQ", vector.Opcode{Args: 1, Mem: 0}},
	{"VROUNDPS VROUNDPD", vector.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPSLLD VPSLLQ VPSRLD VPSRLQ VPSRAD", vector.Opcode{Args: 1, Mem: -1, Imm: true}},
	{"VEXTRACTF128 VCVTPS2PH", vector.Opcode{Args: 1, Mem: -1, Imm: true, HalfDst: true}},
	{"VCVTPS2PD VCVTDQ2PD VPMOVSXDQ VPMOVZXDQ VPMOVZXBD VPMOVZXBQ VPMOVZXWD VPMOVSXBD VPMOVSXWD VCVTPH2PS", vector.Opcode{Args: 1, Mem: 0, HalfSrc: true}},
	{"VCVTPD2PSY VCVTTPD2DQY", vector.Opcode{Args: 1, Mem: 0, HalfDst: true}},
	{"VFMADDPS VFMADDPD VFMSUBPS VFMSUBPD VFNMADDPS VFNMADDPD VFNMSUBPS VFNMSUBPD", vector.Opcode{Args: 3, Form: vector.FormFMA}},
	{"DIVREM DIVREMU", vector.Opcode{Args: 4, Mem: -1, Form: vector.FormScalarLoop}},
	{"STORE", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormStore}},
	{"MASKLOADPS MASKLOADPD", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormMaskLoad}},
	{"MASKSTOREPS MASKSTOREPD", vector.Opcode{Args: 2, Mem: -1, Form: vector.FormMaskStore}},
	{"STOREHALF", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormStore}},
}

// avx2Forms are the instructions that only AVX2 has.
var avx2Forms = []shape{
	{"VCMPPS VCMPPD", vector.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored}},
	{"VPCMPEQD VPCMPEQQ", vector.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPCMPGTD VPCMPGTQ", vector.Opcode{Args: 2, Mem: 1}},
	{"VBLENDVPS", vector.Opcode{Args: 3, Mem: 1}},
	{"VPERMQ", vector.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPACKUSDW VPACKUSWB VPACKSSDW VPACKSSWB", vector.Opcode{Args: 2, Mem: -1, Half: true}},
	{"VPABSB", vector.Opcode{Args: 1, Mem: -1, Half: true}},
	{"NARROWLOAD", vector.Opcode{Mem: -1, Form: vector.FormNarrowLoad, HalfDst: true}},
	{"VMOVQ", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormStore}},
	{"NARROWSTORE GROUPSTORE", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormNarrowStore}},
	{"VUNPCKLPS VUNPCKHPS VPSHUFB", vector.Opcode{Args: 2, Mem: 1}},
	{"VPERM2F128", vector.Opcode{Args: 2, Mem: 1, Imm: true}},
	{"GROUPMASK", vector.Opcode{Mem: -1, Form: vector.FormMask}},
	{"GROUPLOAD", vector.Opcode{Mem: -1, Form: vector.FormNarrowLoad}},
}

// avx512Forms are the instructions that only AVX-512 has, under its names.
var avx512Forms = []shape{
	{"VCMPPS", vector.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored, Result: vector.ClassMask}},
	{"VCMPPD", vector.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirrored, Result: vector.ClassWideMask}},
	{"VPCMPD VPCMPUD", vector.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirroredInt, Result: vector.ClassMask}},
	{"VPCMPQ VPCMPUQ", vector.Opcode{Args: 2, Mem: 1, Commutes: true, Imm: true, Mirror: mirroredInt, Result: vector.ClassWideMask}},
	{"VPCMPEQD VPTESTMD", vector.Opcode{Args: 2, Mem: 1, Commutes: true, Result: vector.ClassMask}},
	{"VPCMPGTD", vector.Opcode{Args: 2, Mem: 1, Result: vector.ClassMask}},
	{"VBLENDMPS VBLENDMPD VSCALEFPS.Z VSCALEFPD.Z", vector.Opcode{Args: 3, Mem: 2}},
	{"VPTERNLOGQ", vector.Opcode{Args: 3, Form: vector.FormFMA, Imm: true}}, // its immediate operand: see ternary
	{"VMOVUPS.Z VMOVUPD.Z VGETEXPPS.Z VGETEXPPD.Z", vector.Opcode{Args: 2, Mem: 1}},
	{"VFPCLASSPSZ", vector.Opcode{Args: 1, Mem: 0, Imm: true, Result: vector.ClassMask}},
	{"VFPCLASSPDZ", vector.Opcode{Args: 1, Mem: 0, Imm: true, Result: vector.ClassWideMask}},
	{"VGETMANTPS VGETMANTPD", vector.Opcode{Args: 1, Mem: 0, Imm: true}},
	{"VPMINSQ VPMAXSQ VPMINUQ VPMAXUQ VPMULLQ", vector.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPSRAVQ VSCALEFPS VSCALEFPD", vector.Opcode{Args: 2, Mem: 1}},
	{"VPSRAQ", vector.Opcode{Args: 1, Mem: -1, Imm: true}},
	{"VPABSQ VCVTUDQ2PS VCVTTPS2UDQ VCVTQQ2PD VCVTUQQ2PD VCVTTPD2QQ VCVTTPD2UQQ", vector.Opcode{Args: 1, Mem: 0}},
	{"VCVTUDQ2PD VCVTTPS2QQ VCVTTPS2UQQ", vector.Opcode{Args: 1, Mem: 0, HalfSrc: true}},
	{"VCVTQQ2PS VCVTUQQ2PS VCVTTPD2UDQ", vector.Opcode{Args: 1, Mem: 0, HalfDst: true}},
	{"VPMOVQD VPMOVDW", vector.Opcode{Args: 1, Mem: -1, HalfDst: true}},
	{"VSHUFF64X2", vector.Opcode{Args: 2, Mem: -1, Imm: true}},
	{"KANDW KORW KXORW", vector.Opcode{Args: 2, Mem: -1, Commutes: true, Result: vector.ClassMask}},
	{"KANDB KORB KXORB", vector.Opcode{Args: 2, Mem: -1, Commutes: true, Result: vector.ClassWideMask}},
	{"KANDNW", vector.Opcode{Args: 2, Mem: -1, Result: vector.ClassMask}},
	{"KANDNB", vector.Opcode{Args: 2, Mem: -1, Result: vector.ClassWideMask}},
	{"KNOTW", vector.Opcode{Args: 1, Mem: -1, Result: vector.ClassMask}},
	{"KNOTB", vector.Opcode{Args: 1, Mem: -1, Result: vector.ClassWideMask}},
	{"KUNPCKBW", vector.Opcode{Args: 2, Mem: -1, Result: vector.ClassMask}},
	{"KMOVB", vector.Opcode{Args: 1, Mem: -1, Result: vector.ClassWideMask}},
	{"KSHIFTRW", vector.Opcode{Args: 1, Mem: -1, Imm: true, Result: vector.ClassWideMask}},
	{"VPMOVZXBD.Z VPMOVZXWD.Z VPMOVSXBD.Z VPMOVSXWD.Z", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormMaskLoad}},
	{"STOREDB STOREDW", vector.Opcode{Args: 1, Mem: -1, Form: vector.FormStore}},
	{"MASKSTOREDB MASKSTOREDW", vector.Opcode{Args: 2, Mem: -1, Form: vector.FormMaskStore}},
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
var fusedDigits = map[vector.Fused]string{
	vector.OverFactor: "132", vector.OverFactorAddendLast: "213", vector.OverAddend: "231",
}

// spelled returns the name of a fused multiply-add with the given digits: VFMADDPS and 231 make VFMADD231PS.
func spelled(fma *vector.Opcode, digits string) string {
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
func ternary(function uint8, over vector.Fused) uint8 {
	out := uint8(0)
	for bit := range 8 {
		x, y, z := bit>>2&1, bit>>1&1, bit&1
		switch over {
		case vector.OverFactor: // the instruction's sources are x, z and y
			y, z = z, y
		case vector.OverAddend: // z, x, y
			x, y, z = y, z, x
		}
		out |= function >> (4*x + 2*y + z) & 1 << bit
	}
	return out
}
