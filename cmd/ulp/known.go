package main

import "github.com/stridefuse/stridefuse/ir"

// known are arguments with larger errors than any sample found: every measurement and every test tries them.
var known = map[ir.Op][][2]float64{
	ir.OpTan:      {{0x1.ddd35898fbcfp+3}, {-0x1.9ac60cc78bf3cp+8}},
	ir.OpCos:      {{-0x1.8ebf934p-27}, {0x1.000002p-24}},
	ir.OpLog10:    {{0x1.090f9f0450967p+0}},
	ir.OpGELU:     {{-0x1.59b0bb744df08p-2}},
	ir.OpGELUTanh: {{-0x1.52d908661e765p+4}},
	ir.OpErfc:     {{0x1.a2f8e363ede92p-1}},
	ir.OpAtan2:    {{-0x1.f191370abeb98p-1020, 0x1.e3f96edc0439cp-1019}},
	ir.OpELU:      {{-0x1.62f72ap-2, 0x1.b1505ap-8}},
}
