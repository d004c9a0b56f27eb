package codegen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuiltinAVX512 pins which kernels are made for AVX-512 too.
func TestBuiltinAVX512(t *testing.T) {
	for text, want := range map[string]bool{
		"reduce [add] kernel (u0:f32) { store u0 }":                                                true,
		"reduce [add] kernel (u0:f64) { t0 = mul u0 u0; store t0 }":                                true,
		"reduce [add] kernel (u0:i32) { store u0 }":                                                false,
		"reduce [max] kernel (u0:f32) { store u0 }":                                                true,
		"reduce [min, max] kernel (u0:f64) { store u0 u0 }":                                        true,
		"reduce [max] kernel (u0:f32) { t0 = abs u0; store t0 }":                                   false,
		"reduce [max] kernel (u0:i32) { store u0 }":                                                false,
		"reduce [add, add] kernel (u0:f32, u1:f32) { store u0 u1 }":                                false, // several rows together
		"reduce_columns add kernel (u0:f32) { store u0 }":                                          true,
		"reduce_columns max kernel (u0:f32, s1:f32) { t0 = add u0 s1; store t0 }":                  false,
		"kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }":                                     true,
		"kernel (u0:i32, u1:i32) { t0 = add u0 u1; store t0 }":                                     false,
		"kernel (u0:f32, u1:f32) { t0 = div u0 u1; store t0 }":                                     false,
		"kernel (u0:f32) { t0 = cast:i64 u0; store t0 }":                                           true,
		"kernel (u0:f64) { t0 = cast:u64 u0; store t0 }":                                           true,
		"kernel (u0:i64) { t0 = cast:f32 u0; store t0 }":                                           true,
		"kernel (u0:i64) { t0 = cast:f64 u0; store t0 }":                                           false,
		"kernel (u0:f32) { t0 = cast:i32 u0; store t0 }":                                           false,
		"reduce [mul, add] kernel (u0:f64) { t0 = significand u0; t1 = exponent u0; store t0 t1 }": true,
		"reduce [mul] kernel (u0:f64) { t0 = significand u0; store t0 }":                           false, // a level above
		"kernel (u0:f16, u1:f32) { t0 = cast:f32 u0; t1 = add t0 u1; store t1 }":                   false,
		"kernel (u0:f32, u1:f16) { t0 = cast:f32 u1; t1 = add t0 u0; store t1 }":                   false,
		"kernel (u0:f16, u1:f32) { t0 = cast:f32 u0; t1 = mul t0 u1; store t1 }":                   true,
		"kernel (u0:f32, u1:f32) { t0 = add u0 u1; t1 = exp t0; store t1 }":                        true,
		"kernel (u0:f32) { t0 = round u0; t1 = cast:u8 t0; store t1 }":                             true,
		"kernel (u0:f32) { t0 = cast:u8 u0; store t0 }":                                            false,
		"kernel (u0:i32, s1:i32, s2:i32) { t0 = clip u0 s1 s2; t1 = cast:u8 t0; store t1 }":        false,
	} {
		require.Equal(t, want, BuiltinAVX512(parse(t, text)[0]), text)
	}
}
