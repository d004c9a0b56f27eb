package amd64

// The operands of vector instructions. Sources come first, as in Go's assembler.
var (
	vReg    = slot{role: inReg, kinds: aReg, part: 1}
	vV      = slot{role: inV, kinds: aReg, part: 1}
	vRM     = slot{role: inRM, kinds: aReg | aMem, part: 1}
	vOnlyRM = slot{role: inRM, kinds: aReg, part: 1}
	halfRM  = slot{role: inRM, kinds: aReg | aMem, part: 2}
	under   = slot{role: inMask, kinds: aMask}
	xReg    = slot{role: inReg, kinds: aReg}
	xV      = slot{role: inV, kinds: aReg}
	xRM     = slot{role: inRM, kinds: aReg | aMem}
	kReg    = slot{role: inReg, kinds: aMask}
	kV      = slot{role: inV, kinds: aMask}
	kRM     = slot{role: inRM, kinds: aMask}
)

// The forms of vector instructions.
var (
	formThree    = []slot{vRM, vV, vReg}
	formThreeImm = []slot{imm8, vRM, vV, vReg}
	formTwo      = []slot{vRM, vReg}
	formTwoImm   = []slot{imm8, vRM, vReg}
	formWiden    = []slot{halfRM, vReg}
	formNarrow   = []slot{vRM, {role: inReg, kinds: aReg, part: 2}}
	formShift    = []slot{imm8, vOnlyRM, vV}
	formLoad     = []slot{inMem, vReg}
	formStore    = []slot{vReg, inMem}
	formMove     = []slot{vReg, vRM}
	formLoadX    = []slot{inMem, xReg}
	formStoreX   = []slot{xReg, inMem}
	formInsertX  = []slot{imm8, inMem, xV, xReg}
)

// vectorRows are the vector instructions of AVX2, with the encoding that AVX-512 has of them.
var vectorRows = []encodingRow{
	// Arithmetic.
	{formThree, m0F, w0, w0, ofOperands, vectorOrElement, 0, "VADDPS 58 VMULPS 59 VSUBPS 5C VMINPS 5D VDIVPS 5E VMAXPS 5F"},
	{formThree, p66 | m0F, w0, w1, ofOperands, vectorOrElement, 0, "VADDPD 58 VMULPD 59 VSUBPD 5C VMINPD 5D VDIVPD 5E VMAXPD 5F " +
		"VANDPD 54 VANDNPD 55 VORPD 56 VXORPD 57 VPMULUDQ F4 VPADDQ D4 VPSUBQ FB"},
	{formThree, m0F, w0, w0, ofOperands, aVector, 0, "VANDPS 54 VANDNPS 55 VORPS 56 VXORPS 57"},
	{formThree, p66 | m0F, w0, w0, ofOperands, vectorOrElement, 0, "VPADDD FE VPSUBD FA"},
	{formThree, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VPADDB FC VPADDW FD VPADDSB EC VPADDSW ED VPADDUSB DC VPADDUSW DD " +
		"VPSUBB F8 VPSUBW F9 VPSUBSB E8 VPSUBSW E9 VPSUBUSB D8 VPSUBUSW D9 VPMINSW EA VPMINUB DA VPMAXSW EE VPMAXUB DE " +
		"VPMULLW D5 VPMADDWD F5 VPSADBW F6"},
	{formThree, p66 | m0F38, w0, w0, ofOperands, vectorOrElement, 0, "VPMULLD 40 VPMINSD 39 VPMINUD 3B VPMAXSD 3D VPMAXUD 3F " +
		"VPSLLVD 47 VPSRLVD 45 VPSRAVD 46"},
	{formThree, p66 | m0F38, w1, w1, ofOperands, vectorOrElement, 0, "VPSLLVQ 47 VPSRLVQ 45"},
	{formThree, p66 | m0F38, w0, w0, ofOperands, aVector, 0, "VPMINSB 38 VPMINUW 3A VPMAXSB 3C VPMAXUW 3E"},
	{formThree, p66 | m0F38, w0, w0, ofOperands, vectorOrElement, 0, "VFMADD132PS 98 VFMADD213PS A8 VFMADD231PS B8 " +
		"VFMSUB132PS 9A VFMSUB213PS AA VFMSUB231PS BA VFNMADD132PS 9C VFNMADD213PS AC VFNMADD231PS BC " +
		"VFNMSUB132PS 9E VFNMSUB213PS AE VFNMSUB231PS BE"},
	{formThree, p66 | m0F38, w1, w1, ofOperands, vectorOrElement, 0, "VFMADD132PD 98 VFMADD213PD A8 VFMADD231PD B8 " +
		"VFMSUB132PD 9A VFMSUB213PD AA VFMSUB231PD BA VFNMADD132PD 9C VFNMADD213PD AC VFNMADD231PD BC " +
		"VFNMSUB132PD 9E VFNMSUB213PD AE VFNMSUB231PD BE"},
	{formTwo, m0F, w0, w0, ofOperands, aVector, 0, "VSQRTPS 51 VCVTDQ2PS 5B"},
	{formTwo, p66 | m0F, w0, w1, ofOperands, aVector, 0, "VSQRTPD 51"},
	{formTwo, p66 | m0F38, w0, w0, ofOperands, aVector, 0, "VPABSB 1C VPABSW 1D VPABSD 1E"},
	{formTwoImm, p66 | m0F3A, w0, noEncoding, ofOperands, aVector, 0, "VROUNDPS 08 VROUNDPD 09"},

	// Bits, comparisons and choices with vectors as masks, which AVX-512 lacks.
	{formThree, p66 | m0F, w0, noEncoding, ofOperands, aVector, 0, "VPAND DB VPANDN DF VPOR EB VPXOR EF " +
		"VPCMPEQB 74 VPCMPEQW 75 VPCMPEQD 76 VPCMPGTB 64 VPCMPGTW 65 VPCMPGTD 66"},
	{formThree, p66 | m0F38, w0, noEncoding, ofOperands, aVector, 0, "VPCMPEQQ 29 VPCMPGTQ 37"},
	{formThreeImm, m0F, w0, noEncoding, ofOperands, aVector, 0, "VCMPPS C2"},
	{formThreeImm, p66 | m0F, w0, noEncoding, ofOperands, aVector, 0, "VCMPPD C2"},
	{[]slot{{role: inIs4, kinds: aReg, part: 1}, vRM, vV, vReg}, p66 | m0F3A, w0, noEncoding, ofOperands, aVector, 0, "VBLENDVPS 4A VPBLENDVB 4C"},
	{formTwo, p66 | m0F38, w0, noEncoding, ofOperands, aVector, 0, "VPTEST 17"},
	{[]slot{vOnlyRM, gpReg32}, m0F, w0, noEncoding, ofOperands, aVector, 0, "VMOVMSKPS 50"},
	{[]slot{vOnlyRM, gpReg32}, p66 | m0F, w0, noEncoding, ofOperands, aVector, 0, "VMOVMSKPD 50 VPMOVMSKB D7"},
	{[]slot{xRM, xReg}, m0F, w0, w0, fixed128, bytes4, 0, "VUCOMISS 2E"},
	{[]slot{xRM, xReg}, p66 | m0F, w0, w1, fixed128, bytes8, 0, "VUCOMISD 2E"},

	// Shifts by a constant, and by the first 8 bytes of a register.
	{formShift, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VPSLLD 72/6 VPSRLD 72/2 VPSRAD 72/4"},
	{formShift, p66 | m0F, w0, w1, ofOperands, aVector, 0, "VPSLLQ 73/6 VPSRLQ 73/2"},
	{formShift, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VPSLLW 71/6 VPSRLW 71/2 VPSRAW 71/4"},
	{formShift, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VPSLLDQ 73/7 VPSRLDQ 73/3"},
	{[]slot{xRM, vV, vReg}, p66 | m0F, w0, w0, ofOperands, bytes16, 0, "VPSLLW F1 VPSRLW D1 VPSRAW E1"},

	// Shuffles.
	{formThree, m0F, w0, w0, ofOperands, aVector, 0, "VUNPCKLPS 14 VUNPCKHPS 15"},
	{formThree, p66 | m0F, w0, w1, ofOperands, aVector, 0, "VUNPCKLPD 14 VUNPCKHPD 15"},
	{formThree, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VPUNPCKLBW 60 VPUNPCKLWD 61 VPUNPCKHBW 68 VPUNPCKHWD 69 " +
		"VPACKSSWB 63 VPACKUSWB 67 VPACKSSDW 6B"},
	{formThree, p66 | m0F38, w0, w0, ofOperands, aVector, 0, "VPSHUFB 00 VPACKUSDW 2B"},
	{formThree, p66 | m0F38, w0, w0, ofOperands, aVector, no128, "VPERMPS 16"},
	{formThreeImm, m0F, w0, w0, ofOperands, aVector, 0, "VSHUFPS C6"},
	{formThreeImm, p66 | m0F3A, w0, noEncoding, fixed256, aVector, 0, "VPERM2F128 06"},
	{formTwoImm, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VPSHUFD 70"},
	{formTwoImm, p66 | m0F3A, w0, w0, ofOperands, aVector, 0, "VPERMILPS 04"},
	{formTwoImm, p66 | m0F3A, w0, w1, ofOperands, aVector, 0, "VPERMILPD 05"},
	{formTwoImm, p66 | m0F3A, w1, w1, ofOperands, aVector, no128, "VPERMQ 00"},
	{[]slot{imm8, xRM, vV, vReg}, p66 | m0F3A, w0, noEncoding, fixed256, aVector, 0, "VINSERTF128 18"},
	{[]slot{imm8, vReg, xRM}, p66 | m0F3A, w0, noEncoding, fixed256, aVector, 0, "VEXTRACTF128 19"},
	{[]slot{xRM, vReg}, p66 | m0F38, w0, w0, ofOperands, bytes4, 0, "VBROADCASTSS 18 VPBROADCASTD 58"},
	{[]slot{xRM, vReg}, p66 | m0F38, w0, w1, ofOperands, bytes8, 0, "VPBROADCASTQ 59"},
	{[]slot{xRM, vReg}, p66 | m0F38, w0, w1, ofOperands, bytes8, no128, "VBROADCASTSD 19"},
	{[]slot{xRM, vReg}, p66 | m0F38, w0, w0, ofOperands, bytes1, 0, "VPBROADCASTB 78"},
	{[]slot{xRM, vReg}, p66 | m0F38, w0, w0, ofOperands, bytes2, 0, "VPBROADCASTW 79"},
	{formLoad, p66 | m0F38, w0, noEncoding, fixed256, bytes16, 0, "VBROADCASTF128 1A"},

	// Conversions.
	{formTwo, pF3 | m0F, w0, w0, ofOperands, aVector, 0, "VCVTTPS2DQ 5B"},
	{formWiden, pF3 | m0F, w0, w0, ofOperands, halfVector, 0, "VCVTDQ2PD E6"},
	{formWiden, m0F, w0, w0, ofOperands, halfVector, 0, "VCVTPS2PD 5A"},
	{formNarrow, p66 | m0F, w0, w1, fixed256, aVector, 0, "VCVTPD2PSY 5A VCVTTPD2DQY E6"},
	{formWiden, p66 | m0F38, w0, w0, ofOperands, halfVector, 0, "VCVTPH2PS 13 VPMOVSXBW 20 VPMOVZXBW 30 VPMOVSXWD 23 VPMOVZXWD 33 " +
		"VPMOVSXDQ 25 VPMOVZXDQ 35"},
	{[]slot{{role: inRM, kinds: aReg | aMem, part: 4}, vReg}, p66 | m0F38, w0, w0, ofOperands, quarterVector, 0, "VPMOVSXBD 21 VPMOVZXBD 31"},
	{[]slot{{role: inRM, kinds: aReg | aMem, part: 8}, vReg}, p66 | m0F38, w0, w0, ofOperands, eighthVector, 0, "VPMOVZXBQ 32"},
	{[]slot{imm8, vReg, halfRM}, p66 | m0F3A, w0, w0, ofOperands, halfVector, 0, "VCVTPS2PH 1D"},

	// Moves of vectors.
	{formMove, m0F, w0, w0, ofOperands, aVector, 0, "VMOVUPS 11 VMOVAPS 29"},
	{formLoad, m0F, w0, w0, ofOperands, aVector, 0, "VMOVUPS 10"},
	{formLoad, pF3 | m0F, w0, noEncoding, ofOperands, aVector, 0, "VMOVDQU 6F"},
	{formStore, pF3 | m0F, w0, noEncoding, ofOperands, aVector, 0, "VMOVDQU 7F"},
	{formStore, p66 | m0F, w0, w0, ofOperands, aVector, 0, "VMOVNTDQ E7"},
	{[]slot{inMem, vV, vReg}, p66 | m0F38, w0, noEncoding, ofOperands, aVector, 0, "VMASKMOVPS 2C VMASKMOVPD 2D"},
	{[]slot{vReg, vV, inMem}, p66 | m0F38, w0, noEncoding, ofOperands, aVector, 0, "VMASKMOVPS 2E VMASKMOVPD 2F"},

	// Moves of elements.
	{formLoadX, pF3 | m0F, w0, w0, fixed128, bytes4, 0, "VMOVSS 10"},
	{formStoreX, pF3 | m0F, w0, w0, fixed128, bytes4, 0, "VMOVSS 11"},
	{formLoadX, pF2 | m0F, w0, w1, fixed128, bytes8, 0, "VMOVSD 10"},
	{formStoreX, pF2 | m0F, w0, w1, fixed128, bytes8, 0, "VMOVSD 11"},
	{[]slot{{role: inRM, kinds: aGP64 | aMem}, xReg}, p66 | m0F, w1, w1, fixed128, bytes8, 0, "VMOVQ 6E"},
	{[]slot{xReg, {role: inRM, kinds: aGP64 | aMem}}, p66 | m0F, w1, w1, fixed128, bytes8, 0, "VMOVQ 7E"},
	{[]slot{{role: inRM, kinds: aGP32 | aMem}, xReg}, p66 | m0F, w0, w0, fixed128, bytes4, 0, "VMOVD 6E"},
	{[]slot{xReg, {role: inRM, kinds: aGP32 | aMem}}, p66 | m0F, w0, w0, fixed128, bytes4, 0, "VMOVD 7E"},
	{[]slot{inMem, xV, xReg}, m0F, w0, w0, fixed128, bytes8, 0, "VMOVHPS 16"},
	{formStoreX, m0F, w0, w0, fixed128, bytes8, 0, "VMOVHPS 17"},
	{[]slot{inMem, xV, xReg}, p66 | m0F, w0, w1, fixed128, bytes8, 0, "VMOVHPD 16"},
	{formStoreX, p66 | m0F, w0, w1, fixed128, bytes8, 0, "VMOVHPD 17"},
	{formInsertX, p66 | m0F3A, w0, w0, fixed128, bytes1, 0, "VPINSRB 20"},
	{formInsertX, p66 | m0F, w0, w0, fixed128, bytes2, 0, "VPINSRW C4"},
	{formInsertX, p66 | m0F3A, w0, w0, fixed128, bytes4, 0, "VPINSRD 22 VINSERTPS 21"},
	{formInsertX, p66 | m0F3A, w1, w1, fixed128, bytes8, 0, "VPINSRQ 22"},
	{[]slot{imm8, xReg, inMem}, p66 | m0F3A, w0, w0, fixed128, bytes2, 0, "VPEXTRW 15"},
	{[]slot{imm8, xReg, inMem}, p66 | m0F3A, w0, w0, fixed128, bytes4, 0, "VEXTRACTPS 17"},
	{[]slot{imm8, xReg, gpRM}, p66 | m0F3A, w1, w1, fixed128, bytes8, 0, "VPEXTRQ 16"},
}
