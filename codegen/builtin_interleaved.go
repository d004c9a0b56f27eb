package codegen

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The built-in kernels of interleaved operands: conversions of pixels and products of complex numbers, which programs compute
// before and after their own formulas. genkernels makes others.

// interleavedKernels are products of complex numbers, their squares, and conversions of pixels of bytes.
var interleavedKernels = []string{
	"kernel ((u0 u1):f32, (u2 u3):f32) { t0 = mul u0 u2; t1 = mul u1 u3; t2 = sub t0 t1; t3 = mul u0 u3; t4 = mul u1 u2; t5 = add t3 t4; store (t2 t5) }",
	"kernel ((u0 u1):f32, (u2 u3):f32, (u4 u5):f32) { t0 = mul u0 u2; t1 = mul u1 u3; t2 = sub t0 t1; t3 = add t2 u4; t4 = mul u0 u3; t5 = mul u1 u2; t6 = add t4 t5; t7 = add t6 u5; store (t3 t7) }",
	"kernel ((u0 u1):f32) { t0 = mul u0 u0; t1 = mul u1 u1; t2 = add t0 t1; store t2 }",
	"kernel ((u0 u1 u2):f32) { t0 = add u0 u2; t1 = add t0 u1; store t1 }",
	"kernel ((u0 u1 u2):u8) { t0 = cast:f32 u0; t1 = cast:f32 u1; t2 = cast:f32 u2; store t0 t1 t2 }",
	"kernel ((u0 u1 u2):u8, s3:f32) { t0 = cast:f32 u0; t1 = mul t0 s3; t2 = cast:f32 u1; t3 = mul t2 s3; t4 = cast:f32 u2; t5 = mul t4 s3; store t1 t3 t5 }",
	"kernel ((u0 u1 u2):u8, s3:f32, s4:f32, s5:f32) { t0 = cast:f32 u0; t1 = mul t0 s3; t2 = cast:f32 u2; t3 = mul t2 s4; t4 = add t1 t3; t5 = cast:f32 u1; t6 = mul t5 s5; t7 = add t4 t6; store t7 }",
	"kernel (u0:f32, u1:f32, u2:f32) { t0 = cast:u8 u0; t1 = cast:u8 u1; t2 = cast:u8 u2; store (t0 t1 t2) }",
}

// interleavedBuiltins returns interleavedKernels, and the copies that deinterleave and interleave two to four operands of
// float32, as they are or times one number.
func interleavedBuiltins() []kernel.Code {
	texts := append([]string(nil), interleavedKernels...)
	for n := 2; n <= kernel.MaxFactor; n++ {
		for _, op := range []struct{ text, splat string }{{"copy u%d", ""}, {fmt.Sprintf("mul u%%d s%d", n), fmt.Sprintf(", s%d:f32", n)}} {
			var units, members, body, results []string
			for i := range n {
				units, members = append(units, fmt.Sprintf("u%d:f32", i)), append(members, fmt.Sprintf("u%d", i))
				body, results = append(body, fmt.Sprintf("t%d = "+op.text+";", i, i)), append(results, fmt.Sprintf("t%d", i))
			}
			ops, out := strings.Join(body, " "), strings.Join(results, " ")
			texts = append(texts,
				fmt.Sprintf("kernel ((%s):f32%s) { %s store %s }", strings.Join(members, " "), op.splat, ops, out),
				fmt.Sprintf("kernel (%s%s) { %s store (%s) }", strings.Join(units, ", "), op.splat, ops, out))
		}
	}
	return parseAll([]ir.DType{ir.Float32}, texts...)
}
