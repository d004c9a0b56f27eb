//go:build !purego

package avo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// narrowBodies are bodies whose values all have one byte, or one or two, and sums of bytes.
var narrowBodies = []string{
	"kernel (u0:u8, u1:u8) { t0 = addsat u0 u1; store t0 }",
	"kernel (u0:i8, s1:i8) { t0 = subsat u0 s1; t1 = abs t0; store t1 }",
	"kernel (u0:u8, s1:u8, s2:u8) { t0 = gt u0 s1; t1 = const:u8:fe; t2 = select t0 t1 s2; store t2 }",
	"kernel (u0:i8, u1:i8) { t0 = lt u0 u1; t1 = le u1 u0; t2 = xor t0 t1; t3 = not t2; store t2 t3 }",
	"kernel (u0:bool, u1:u8, u2:u8, s3:bool) { t0 = eq u1 u2; t1 = and t0 u0; t2 = or t1 s3; store t2 }",
	"kernel (u0:u8, u1:u8) { t0 = sub u0 u1; t1 = min t0 u1; t2 = max t1 u0; t3 = clip t2 u0 u1; store t3 }",
	"kernel (u0:i8, u1:i8) { t0 = add u0 u1; t1 = neg t0; t2 = clip t1 u0 u1; t3 = ge t2 u1; store t3 t2 }",
	"kernel (u0:u8, u1:u8, s2:u8) { t0 = mul u0 u1; t1 = shl t0 s2; t2 = shr u0 s2; t3 = square t2; store t1 t3 }",
	"kernel (u0:i8, u1:i8, s2:i8) { t0 = mul u0 u1; t1 = shr t0 s2; t2 = const:i8:3; t3 = shr u1 t2; t4 = shl u0 s2; t5 = sub t3 t4; store t1 t5 }",
	"kernel (u0:bool, u1:u8, u2:i8) { t0 = cast:u8 u0; t1 = cast:i8 u1; t2 = cast:bool u2; t3 = cast:u8 t1; t4 = select t2 t0 t3; store t4 t2 }",
	"kernel (u0:u8, s1:u16, u2:u8, s3:u16, s4:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; t2 = cast:u16 u2; t3 = mul t2 s3; t4 = addsat t1 t3; t5 = shr t4 s4; t6 = cast:u8 t5; store t6 }",
	"kernel (u0:i16, u1:i16, s2:i16) { t0 = sub u0 u1; t1 = shr t0 s2; t2 = abs t1; t3 = lt t2 s2; t4 = select t3 t0 u1; t5 = cast:i8 t4; store t4 t3 t5 }",
	"kernel (u0:u16, u1:u16) { t0 = lt u0 u1; t1 = le u1 u0; t2 = xor t0 t1; t3 = min u0 u1; t4 = subsat u1 u0; t5 = clip t4 t3 u0; t6 = not t5; store t2 t6 }",
	"kernel (u0:i8, u1:i16, u2:u8) { t0 = cast:i16 u0; t1 = addsat t0 u1; t2 = cast:u8 u0; t3 = addsat t2 u2; t4 = sub t3 t2; t5 = subsat u0 u0; t6 = cast:i8 u2; t7 = subsat t6 u0; t8 = addsat t7 t5; t9 = abs t8; store t1 t4 t9 }",
	"kernel (u0:i8, s1:i16, u2:i8, s3:bool) { t0 = cast:i16 u0; t1 = mul t0 s1; t2 = cast:i8 t1; t3 = mul t2 u2; t4 = neg t3; t5 = cast:bool t1; t6 = or t5 s3; store t4 t6 }",
	"reduce [add] kernel (u0:bool) { t0 = cast:i64 u0; store t0 }",
	"reduce [add] kernel (u0:u8) { t0 = cast:u32 u0; store t0 }",
	"reduce [add] kernel (u0:i8) { t0 = cast:u64 u0; store t0 }",
	"reduce [add] kernel (u0:i16) { t0 = cast:i32 u0; store t0 }",
	"reduce [add] kernel (u0:u16) { t0 = cast:i64 u0; store t0 }",
}

// TestDifferentialBytes runs bodies in narrow lanes on both engines.
func TestDifferentialBytes(t *testing.T) {
	t.Parallel()
	var ks []kernel.Code
	for _, text := range narrowBodies {
		c, err := kernel.ParseCode(text)
		require.NoError(t, err, text)
		canon, _ := kernel.Canonical(c)
		require.False(t, avo.AVX512.Emits(canon), "AVX2 has as many lanes or more: %s", text)
		ks = append(ks, canon)
	}
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// TestNarrowLanes counts the instructions of loops: for each 32 bytes a load, a maximum with the other
// operand in memory, and a store, and the end of the loop; for 16 elements of a blend two loads that extend them,
// two products, a sum, a shift, three that make bytes of the lanes, and a store.
func TestNarrowLanes(t *testing.T) {
	for text, want := range map[string]string{
		"kernel (u0:u8, u1:u8) { t0 = max u0 u1; store t0 }": "VMOVUPS VPMAXUB VMOVUPS",
		narrowBodies[10]: "VPMOVZXBW VPMULLW VPMOVZXBW VPMULLW VPADDUSW VPSRLW VPAND VEXTRACTF128 VPACKUSWB VMOVUPS",
	} {
		k, err := kernel.ParseKernel(text)
		require.NoError(t, err)
		asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{k})
		require.NoError(t, err)
		_, loop, _ := strings.Cut(string(asm), "loop:\n")
		loop, _, _ = strings.Cut(loop, "\tADDQ")
		var names []string
		for line := range strings.Lines(loop) {
			names = append(names, strings.Fields(line)[0])
		}
		slices.Sort(names)
		once := strings.Fields(want)
		twice := append(once, once...)
		slices.Sort(twice)
		require.Equal(t, twice, names, text)
	}
}
