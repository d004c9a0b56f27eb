package amd64

// The forms of instructions under a mask, and of those whose result is a mask.
var (
	formThreeMasked = []slot{vRM, vV, under, vReg}
	formTwoMasked   = []slot{vRM, under, vReg}
	formLoadMasked  = []slot{inMem, under, vReg}
	formMoveMasked  = []slot{vReg, under, vRM}
	formCompare     = []slot{vRM, vV, kReg}
	formCompareImm  = []slot{imm8, vRM, vV, kReg}
)

// vector512Rows are the instructions that only AVX-512 has.
var vector512Rows = []encodingRow{
	{formThree, p66 | m0F, noEncoding, w1, ofOperands, vectorOrElement, 0, "VPANDQ DB VPANDNQ DF VPORQ EB VPXORQ EF"},
	{formThree, p66 | m0F38, noEncoding, w0, ofOperands, vectorOrElement, 0, "VSCALEFPS 2C"},
	{formThree, p66 | m0F38, noEncoding, w1, ofOperands, vectorOrElement, 0, "VSCALEFPD 2C"},
	{formThree, p66 | m0F38, noEncoding, w0, ofOperands, vectorOrElement, 0, "VPDPWSSD 52"},
	{formThree, p66 | m0F38, noEncoding, w1, ofOperands, vectorOrElement, 0, "VPMINSQ 39 VPMAXSQ 3D VPMINUQ 3B VPMAXUQ 3F VPMULLQ 40 VPSRAVQ 46"},
	{formThreeImm, p66 | m0F3A, noEncoding, w1, ofOperands, vectorOrElement, 0, "VPTERNLOGQ 25"},
	{formTwo, p66 | m0F38, noEncoding, w1, ofOperands, aVector, 0, "VPABSQ 1F"},
	{formTwoImm, p66 | m0F3A, noEncoding, w0, ofOperands, aVector, 0, "VRNDSCALEPS 08 VGETMANTPS 26"},
	{formTwoImm, p66 | m0F3A, noEncoding, w1, ofOperands, aVector, 0, "VRNDSCALEPD 09 VGETMANTPD 26"},
	{formShift, p66 | m0F, noEncoding, w1, ofOperands, aVector, 0, "VPSRAQ 72/4"},

	{formThreeImm, p66 | m0F3A, noEncoding, w0, ofOperands, aVector, no128, "VSHUFF32X4 23"},
	{formThreeImm, p66 | m0F3A, noEncoding, w1, ofOperands, aVector, no128, "VSHUFF64X2 23"},
	{[]slot{imm8, halfRM, vV, vReg}, p66 | m0F3A, noEncoding, w1, fixed512, bytes32, 0, "VINSERTF64X4 1A"},
	{[]slot{imm8, vReg, halfRM}, p66 | m0F3A, noEncoding, w1, fixed512, bytes32, 0, "VEXTRACTF64X4 1B"},

	// Conversions.
	{formTwo, m0F, noEncoding, w0, ofOperands, aVector, 0, "VCVTTPS2UDQ 78"},
	{formTwo, pF2 | m0F, noEncoding, w0, ofOperands, aVector, 0, "VCVTUDQ2PS 7A"},
	{formTwo, pF3 | m0F, noEncoding, w1, ofOperands, aVector, 0, "VCVTQQ2PD E6 VCVTUQQ2PD 7A"},
	{formTwo, p66 | m0F, noEncoding, w1, ofOperands, aVector, 0, "VCVTTPD2QQ 7A VCVTTPD2UQQ 78"},
	{formWiden, pF3 | m0F, noEncoding, w0, ofOperands, halfVector, 0, "VCVTUDQ2PD 7A"},
	{formWiden, p66 | m0F, noEncoding, w0, ofOperands, halfVector, 0, "VCVTTPS2QQ 7A VCVTTPS2UQQ 78"},
	{formNarrow, p66 | m0F, noEncoding, w1, fixed512, aVector, 0, "VCVTPD2PS 5A VCVTTPD2DQ E6"},
	{formNarrow, m0F, noEncoding, w1, fixed512, aVector, 0, "VCVTQQ2PS 5B VCVTTPD2UDQ 78"},
	{formNarrow, pF2 | m0F, noEncoding, w1, fixed512, aVector, 0, "VCVTUQQ2PS 7A"},
	{[]slot{vReg, {role: inRM, kinds: aReg | aMem, part: 4}}, pF3 | m0F38, noEncoding, w0, ofOperands, quarterVector, 0, "VPMOVDB 31"},
	{[]slot{vReg, halfRM}, pF3 | m0F38, noEncoding, w0, ofOperands, halfVector, 0, "VPMOVDW 33 VPMOVQD 35"},

	// Under masks.
	{formThreeMasked, p66 | m0F38, noEncoding, w0, ofOperands, vectorOrElement, 0, "VBLENDMPS 65"},
	{formThreeMasked, p66 | m0F38, noEncoding, w1, ofOperands, vectorOrElement, 0, "VBLENDMPD 65"},
	{formThreeMasked, p66 | m0F38, noEncoding, w0, ofOperands, aVector, 0, "VSCALEFPS.Z 2C"},
	{formThreeMasked, p66 | m0F38, noEncoding, w1, ofOperands, aVector, 0, "VSCALEFPD.Z 2C"},
	{formTwoMasked, p66 | m0F38, noEncoding, w0, ofOperands, aVector, 0, "VGETEXPPS.Z 42"},
	{formTwoMasked, p66 | m0F38, noEncoding, w1, ofOperands, aVector, 0, "VGETEXPPD.Z 42"},
	{formMoveMasked, m0F, noEncoding, w0, ofOperands, aVector, 0, "VMOVUPS 11"},
	{formMoveMasked, p66 | m0F, noEncoding, w1, ofOperands, aVector, 0, "VMOVUPD 11"},
	{[]slot{vReg, under, vOnlyRM}, m0F, noEncoding, w0, ofOperands, aVector, 0, "VMOVUPS.Z 11"},
	{[]slot{vReg, under, vOnlyRM}, p66 | m0F, noEncoding, w1, ofOperands, aVector, 0, "VMOVUPD.Z 11"},
	{formLoadMasked, m0F, noEncoding, w0, ofOperands, aVector, 0, "VMOVUPS 10 VMOVUPS.Z 10"},
	{formLoadMasked, p66 | m0F, noEncoding, w1, ofOperands, aVector, 0, "VMOVUPD 10 VMOVUPD.Z 10"},
	{formLoadMasked, p66 | m0F38, noEncoding, w0, ofOperands, quarterVector, 0, "VPMOVSXBD.Z 21 VPMOVZXBD.Z 31"},
	{formLoadMasked, p66 | m0F38, noEncoding, w0, ofOperands, halfVector, 0, "VPMOVSXWD.Z 23 VPMOVZXWD.Z 33"},
	{[]slot{vReg, under, inMem}, pF3 | m0F38, noEncoding, w0, ofOperands, quarterVector, 0, "VPMOVDB 31"},
	{[]slot{vReg, under, inMem}, pF3 | m0F38, noEncoding, w0, ofOperands, halfVector, 0, "VPMOVDW 33"},

	// Comparisons.
	{formCompareImm, m0F, noEncoding, w0, ofOperands, vectorOrElement, 0, "VCMPPS C2"},
	{formCompareImm, p66 | m0F, noEncoding, w1, ofOperands, vectorOrElement, 0, "VCMPPD C2"},
	{formCompareImm, p66 | m0F3A, noEncoding, w0, ofOperands, vectorOrElement, 0, "VPCMPD 1F VPCMPUD 1E"},
	{formCompareImm, p66 | m0F3A, noEncoding, w1, ofOperands, vectorOrElement, 0, "VPCMPQ 1F VPCMPUQ 1E"},
	{formCompare, p66 | m0F, noEncoding, w0, ofOperands, vectorOrElement, 0, "VPCMPEQD 76 VPCMPGTD 66"},
	{formCompare, p66 | m0F38, noEncoding, w0, ofOperands, vectorOrElement, 0, "VPTESTMD 27"},
	{[]slot{imm8, vRM, kReg}, p66 | m0F3A, noEncoding, w0, fixed512, aVector, 0, "VFPCLASSPSZ 66"},
	{[]slot{imm8, vRM, kReg}, p66 | m0F3A, noEncoding, w1, fixed512, aVector, 0, "VFPCLASSPDZ 66"},

	// Masks. Three operands set VEX.L.
	{[]slot{kRM, kV, kReg}, m0F, w0, noEncoding, fixed256, aVector, 0, "KANDW 41 KANDNW 42 KORW 45 KXORW 47"},
	{[]slot{kRM, kV, kReg}, p66 | m0F, w0, noEncoding, fixed256, aVector, 0, "KANDB 41 KANDNB 42 KORB 45 KXORB 47 KUNPCKBW 4B"},
	{[]slot{kRM, kReg}, m0F, w0, noEncoding, fixed128, aVector, 0, "KNOTW 44 KTESTW 99 KMOVW 90"},
	{[]slot{kRM, kReg}, p66 | m0F, w0, noEncoding, fixed128, aVector, 0, "KNOTB 44 KMOVB 90"},
	{[]slot{imm8, kRM, kReg}, p66 | m0F3A, w1, noEncoding, fixed128, aVector, 0, "KSHIFTRW 30"},
	{[]slot{inMem, kReg}, m0F, w0, noEncoding, fixed128, aVector, 0, "KMOVW 90"},
	{[]slot{kReg, inMem}, m0F, w0, noEncoding, fixed128, aVector, 0, "KMOVW 91"},
	{[]slot{{role: inRM, kinds: aGP32}, kReg}, m0F, w0, noEncoding, fixed128, aVector, 0, "KMOVW 92"},
	{[]slot{{role: inRM, kinds: aGP32}, kReg}, p66 | m0F, w0, noEncoding, fixed128, aVector, 0, "KMOVB 92"},
}
