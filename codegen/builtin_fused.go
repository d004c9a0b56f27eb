package codegen

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The built-in kernels of several operations. Tilings use them for parts of a body. A loop that equals one of them needs no
// generated kernel.

// superKernels are bodies of several operations that are common in formulas; one kernel for them saves a pass through memory.
// $0, $1, ... are the operands. Any one or two of them may be splats.
var superKernels = []string{
	"t0 = mul $0 $1; t1 = add t0 $2",
	"t0 = mul $0 $1; t1 = sub t0 $2",
	"t0 = mul $0 $1; t1 = sub $2 t0",
	"t0 = add $0 $1; t1 = mul t0 $2",
	"t0 = add $0 $1; t1 = sqrt t0",
	"t0 = add $0 $1; t1 = reciprocal t0",
	"t0 = sub $0 $1; t1 = mul t0 $2",
	"t0 = sub $0 $1; t1 = div t0 $2",
	"t0 = sub $0 $1; t1 = mul t0 t0",
	"t0 = sub $0 $1; t1 = abs t0",
	"t0 = abs $0; t1 = add t0 $1",
	"t0 = mul $0 $0; t1 = add t0 $1",
}

// oneSplat are such bodies with at most one splat: with two, a formula would be written with other constants.
var oneSplat = []string{
	"t0 = mul $0 $1; t1 = mul t0 $2",
	"t0 = add $0 $1; t1 = add t0 $2",
	"t0 = sub $0 $1; t1 = add t0 $2",
}

// noSplat are such bodies without splats: the time of a division hides that of reading a constant from a table.
var noSplat = []string{
	"t0 = div $0 $1; t1 = add t0 $2",
	"t0 = div $0 $1; t1 = sub t0 $2",
	"t0 = div $0 $1; t1 = sub $2 t0",
}

// thresholds are such bodies of bytes. Graphs compare integers with constants by lt.
var thresholds = []string{
	"t0 = lt $0 $1; t1 = select t0 $2 $3",
}

// pictures are longer bodies of bytes: ranges, and the mix of two pictures by weights.
var pictures = []string{
	"kernel (s0:u8, u1:u8, u2:u8, s3:u8) { t0 = lt s0 u1; t1 = lt u2 s3; t2 = and t0 t1; store t2 }",
	"kernel (s0:u8, u1:u8, s2:u8) { t0 = lt s0 u1; t1 = lt u1 s2; t2 = and t0 t1; store t2 }",
	"kernel (u0:u8, s1:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:u8, s1:u16, u2:u16, s3:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; t2 = add t1 u2; t3 = shr t2 s3; store t3 }",
	"kernel (u0:u8, s1:u16, u2:u16, s3:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; t2 = addsat t1 u2; t3 = shr t2 s3; store t3 }",
	"kernel (u0:u16, s1:u16) { t0 = shr u0 s1; t1 = cast:u8 t0; store t1 }",
}

// longKernels are longer bodies, with the operands that formulas have, for each of superTypes, T: steps of polynomials, sums
// and differences of products, counts, choices between values, clipping, maxima of a few values, biases with and without
// bounds, and normalizations.
var longKernels = []string{
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = add t0 u2; t2 = mul t1 u3; store t2 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = mul u0 u1; t1 = add t0 s2; t2 = mul t1 u3; store t2 }",
	"kernel (u0:T, s1:T, s2:T, u3:T) { t0 = mul u0 s1; t1 = add t0 s2; t2 = mul t1 u3; store t2 }",
	"kernel (s0:T, u1:T, u2:T, u3:T) { t0 = mul s0 u1; t1 = mul t0 u2; t2 = add t1 u3; store t2 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = add t0 t1; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = mul u0 s1; t1 = mul u2 s3; t2 = add t0 t1; store t2 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = sub t0 t1; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = mul u0 s1; t1 = mul u2 s3; t2 = sub t0 t1; store t2 }",
	"kernel (u0:T, s1:T) { t0 = lt u0 s1; t1 = cast:T t0; store t1 }",
	"kernel (s0:T, u1:T) { t0 = lt s0 u1; t1 = cast:T t0; store t1 }",
	"kernel (u0:T, s1:T, u2:T) { t0 = lt u0 s1; t1 = cast:T t0; t2 = add t1 u2; store t2 }",
	"kernel (s0:T, u1:T, u2:T) { t0 = lt s0 u1; t1 = cast:T t0; t2 = add t1 u2; store t2 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = add u0 u1; t1 = lt t0 s2; t2 = cast:T t1; t3 = add t2 u3; store t3 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = lt u0 u1; t1 = select t0 u2 u3; store t1 }",
	"kernel (u0:T, s1:T, u2:T, u3:T) { t0 = lt u0 s1; t1 = select t0 u2 u3; store t1 }",
	"kernel (s0:T, u1:T, u2:T, u3:T) { t0 = lt s0 u1; t1 = select t0 u2 u3; store t1 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = lt u0 s1; t1 = select t0 u2 s3; store t1 }",
	"kernel (s0:T, u1:T, u2:T, s3:T) { t0 = lt s0 u1; t1 = select t0 u2 s3; store t1 }",
	"kernel (u0:T, s1:T, s2:T, u3:T) { t0 = lt u0 s1; t1 = select t0 s2 u3; store t1 }",
	"kernel (s0:T, u1:T, s2:T, u3:T) { t0 = lt s0 u1; t1 = select t0 s2 u3; store t1 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = max u0 s1; t1 = min t0 s2; store t1 }",
	"kernel (u0:T, u1:T, s2:T) { t0 = add u0 u1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = add u0 s1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = add u0 s1; t1 = add t0 u2; t2 = max t1 s3; store t2 }",
	"kernel (u0:T, u1:T, u2:T) { t0 = max u0 u1; t1 = max t0 u2; store t1 }",
	"kernel (u0:T, u1:T, u2:T) { t0 = min u0 u1; t1 = min t0 u2; store t1 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = mul u0 s1; t1 = min t0 s2; store t1 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = mul u0 s1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, s1:T) { t0 = abs u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:T, s1:T) { t0 = abs u0; t1 = lt t0 s1; store t1 }",
	"kernel (u0:T, u1:bool) { t0 = eq u0 u0; t1 = and t0 u1; store t1 }",
	"kernel (u0:bool, u1:bool, u2:T, s3:T) { t0 = and u0 u1; t1 = select t0 u2 s3; store t1 }",
	"kernel (s0:T, u1:T) { t0 = abs u1; t1 = lt s0 t0; store t1 }",
	"kernel (u0:T, u1:T) { t0 = abs u0; t1 = abs u1; t2 = lt t0 t1; t3 = select t2 u0 u1; store t3 }",
	"kernel (s0:T, u1:T, u2:T, u3:T, s4:T) { t0 = mul u1 u2; t1 = lt s0 t0; t2 = select t1 u3 s4; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T, s4:T) { t0 = lt u0 s1; t1 = mul u2 s3; t2 = select t0 t1 s4; store t2 }",
	"kernel (s0:T, u1:T, u2:T, s3:T, s4:T) { t0 = lt s0 u1; t1 = mul u2 s3; t2 = select t0 t1 s4; store t2 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = sub u0 s1; t1 = max t0 s2; store t1 }",
	"kernel (s0:T, u1:T, s2:T) { t0 = sub s0 u1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, u1:T, s2:T) { t0 = sub u0 u1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = mul u0 u1; t1 = mul t0 s2; t2 = add t1 u3; store t2 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = add u0 u1; t1 = max t0 s2; t2 = add u3 u1; t3 = max t2 s2; t4 = max t1 t3; store t4 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = max u0 u1; t1 = max u2 u3; t2 = max t0 t1; store t2 }",
	"kernel (u0:T, s1:T, u2:T, u3:T, s4:T) { t0 = mul u0 s1; t1 = add t0 u2; t2 = mul u3 s4; t3 = add t1 t2; store t3 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = add u0 u1; t1 = add t0 u2; t2 = add t1 u3; store t2 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = sub u0 u1; t1 = sub t0 u2; t2 = add t1 u3; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T, u4:T) { t0 = mul u0 s1; t1 = sub u2 t0; t2 = mul t1 s3; t3 = add t2 u4; store t3 }",
	"kernel (u0:T, s1:T, s2:T, u3:T, u4:T) { t0 = sub u0 s1; t1 = mul t0 s2; t2 = mul t1 u3; t3 = add t2 u4; store t3 }",
	"kernel (u0:T, s1:T, s2:T, s3:T, s4:T) { t0 = sub u0 s1; t1 = mul t0 s2; t2 = mul t1 s3; t3 = add t2 s4; store t3 }",
	"kernel (u0:T, u1:T, u2:T, u3:T, u4:T) { t0 = sub u0 u1; t1 = mul t0 u2; t2 = mul t1 u3; t3 = add t2 u4; store t3 }",
}

// sharedKernels are longer bodies that read an operand more than once or contain a division and something else, for each of
// superTypes, T: steps of Horner's rule and of integration, powers, sums of squares.
var sharedKernels = []string{
	"kernel (s0:T, u1:T, s2:T, s3:T) { t0 = mul s0 u1; t1 = add s2 t0; t2 = mul t1 u1; t3 = add s3 t2; store t3 }",
	"kernel (u0:T, u1:T, s2:T, s3:T) { t0 = mul u0 u1; t1 = add t0 s2; t2 = mul u1 t1; t3 = add t2 s3; store t3 }",
	"kernel (u0:T, s1:T, u2:T, s3:T, u4:T) { t0 = mul u0 s1; t1 = add t0 u2; t2 = mul t1 s3; t3 = add t2 u4; store t3 }",
	"kernel (u0:T, u1:T, u2:T) { t0 = sub u0 u1; t1 = mul t0 u2; t2 = add u1 t1; store t2 }",
	"kernel (u0:T, u1:T, s2:T) { t0 = sub u0 u1; t1 = mul t0 s2; t2 = add t1 u1; store t2 }",
	"kernel (s0:T, u1:T, s2:T) { t0 = sub s0 u1; t1 = mul t0 s2; t2 = add t1 u1; store t2 }",
	"kernel (u0:T, u1:T, s2:T) { t0 = sub u0 u1; t1 = mul t0 t0; t2 = mul t1 s2; store t2 }",
	"kernel (s0:T, u1:T, s2:T) { t0 = sub s0 u1; t1 = mul t0 t0; t2 = mul t1 s2; store t2 }",
	"kernel (u0:T) { t0 = mul u0 u0; t1 = mul t0 u0; store t1 }",
	"kernel (u0:T) { t0 = mul u0 u0; t1 = mul t0 t0; store t1 }",
	"kernel (u0:T, s1:T) { t0 = mul u0 u0; t1 = sub t0 u0; t2 = mul t1 s1; store t2 }",
	"kernel (u0:T, u1:T) { t0 = mul u0 u0; t1 = mul u1 u1; t2 = add t0 t1; store t2 }",
	"kernel (u0:T, u1:T) { t0 = mul u0 u0; t1 = add t0 u1; t2 = reciprocal t1; store t2 }",
	"kernel (u0:T, u1:T, u2:T) { t0 = mul u0 u1; t1 = div t0 u2; store t1 }",
	"kernel (u0:T, u1:T, u2:T) { t0 = add u0 u1; t1 = div u2 t0; store t1 }",
	"kernel (u0:T, s1:T, u2:T) { t0 = add u0 s1; t1 = div u2 t0; store t1 }",
	"kernel (u0:T, u1:T) { t0 = neg u0; t1 = sub t0 u1; store t1 }",
	"kernel (u0:T, s1:T, u2:T, u3:T) { t0 = mul u0 s1; t1 = sub u2 t0; t2 = div u3 t1; store t2 }",
}

// singleKernels are such bodies of float32: quotients by a root or a sum, steps of complex numbers, clipping, ranges and
// choices.
var singleKernels = []string{
	"kernel (u0:f32, u1:f32, u2:f32) { t0 = mul u0 u1; t1 = add t0 u2; t2 = mul t1 u0; store t2 }",
	"kernel (u0:f32, s1:f32) { t0 = mul u0 u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:f32, u1:f32) { t0 = mul u0 u0; t1 = mul u1 u1; t2 = add t0 t1; t3 = sqrt t2; store t3 }",
	"kernel (u0:f32, u1:f32, u2:f32) { t0 = mul u0 u0; t1 = mul u1 u1; t2 = sub t0 t1; t3 = add t2 u2; store t3 }",
	"kernel (u0:f32, u1:f32, s2:f32, u3:f32) { t0 = mul u0 u0; t1 = mul u1 u1; t2 = add t0 t1; t3 = lt t2 s2; t4 = cast:f32 t3; t5 = add t4 u3; store t5 }",
	"kernel (u0:f32, s1:f32, u2:f32, s3:f32) { t0 = mul u0 s1; t1 = mul u2 u2; t2 = mul t1 s3; t3 = add t0 t2; store t3 }",
	"kernel (u0:f32, s1:f32, u2:f32, u3:f32) { t0 = sqrt u0; t1 = add t0 s1; t2 = div u2 t1; t3 = sub u3 t2; store t3 }",
	"kernel (u0:f32, s1:f32, u2:f32, u3:f32) { t0 = abs u0; t1 = add t0 s1; t2 = div u2 t1; t3 = sub u3 t2; store t3 }",
	"kernel (u0:f32, u1:f32) { t0 = mul u0 u0; t1 = div u1 t0; store t1 }",
	"kernel (u0:f32, s1:f32, s2:f32, s3:f32) { t0 = add u0 s1; t1 = clip t0 s2 s3; store t1 }",
	"kernel (u0:f32, s1:f32, s2:f32, u3:f32) { t0 = clip u0 s1 s2; t1 = add t0 u3; store t1 }",
	"kernel (u0:f32, s1:f32, s2:f32, u3:f32) { t0 = clip u0 s1 s2; t1 = mul t0 u3; store t1 }",
	"kernel (u0:f32, s1:f32, s2:f32, s3:f32) { t0 = add u0 s1; t1 = max t0 s2; t2 = min t1 s3; store t2 }",
	"kernel (u0:f32, u1:f32, s2:f32, s3:f32) { t0 = add u0 u1; t1 = max t0 s2; t2 = min t1 s3; store t2 }",
	"kernel (u0:f32, s1:f32, s2:f32, s3:f32) { t0 = mul u0 s1; t1 = clip t0 s2 s3; store t1 }",
	"kernel (s0:f32, u1:f32, s2:f32, s3:f32) { t0 = lt s0 u1; t1 = lt u1 s2; t2 = and t0 t1; t3 = select t2 u1 s3; store t3 }",
	"kernel (s0:f32, u1:f32, s2:f32) { t0 = lt s0 u1; t1 = mul u1 s2; t2 = select t0 u1 t1; store t2 }",
	"kernel (u0:f32, s1:f32, u2:f32, s3:f32) { t0 = lt u0 s1; t1 = sub u0 s3; t2 = select t0 u2 t1; store t2 }",
	"kernel (u0:f32, s1:f32, u2:f32) { t0 = mul u0 s1; t1 = lt t0 u2; store t1 }",
	"kernel (u0:f32, u1:bool, u2:f32) { t0 = ne u0 u0; t1 = or t0 u1; t2 = select t1 u2 u0; store t2 }",
}

// halfBodies are such bodies of 16-bit floats, for each such type, T: products and sums, and normalizations.
var halfBodies = []string{
	"kernel (u0:T, u1:T, u2:T) { t0 = mul u0 u1; t1 = add t0 u2; store t1 }",
	"kernel (s0:T, u1:T, u2:T) { t0 = mul s0 u1; t1 = add t0 u2; store t1 }",
	"kernel (u0:T, s1:f32, s2:f32) { t0 = cast:f32 u0; t1 = sub t0 s1; t2 = mul t1 s2; t3 = cast:T t2; store t3 }",
	"kernel (u0:T, s1:f32, s2:f32) { t0 = cast:f32 u0; t1 = sub t0 s1; t2 = mul t1 s2; store t2 }",
	"kernel (u0:T, u1:f32) { t0 = cast:f32 u0; t1 = mul t0 u1; store t1 }",
	"kernel (u0:T, u1:f32) { t0 = cast:f32 u0; t1 = add t0 u1; t2 = cast:T t1; store t2 }",
}

// sampleBodies are bodies of pictures and sound that are computed in float32, for each of sampleTypes, T: samples that are scaled,
// added or subtracted, and results that are bounded and rounded.
var sampleBodies = []string{
	"kernel (u0:T, s1:f32) { t0 = cast:f32 u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:T, s1:f32, u2:f32) { t0 = cast:f32 u0; t1 = mul t0 s1; t2 = add t1 u2; store t2 }",
	"kernel (u0:T, s1:f32, s2:f32) { t0 = cast:f32 u0; t1 = sub t0 s1; t2 = mul t1 s2; store t2 }",
	"kernel (u0:T, u1:f32) { t0 = cast:f32 u0; t1 = mul t0 u1; store t1 }",
	"kernel (u0:T, u1:f32, u2:f32) { t0 = cast:f32 u0; t1 = mul t0 u1; t2 = add t1 u2; store t2 }",
	"kernel (u0:T, u1:f32) { t0 = cast:f32 u0; t1 = add t0 u1; store t1 }",
	"kernel (u0:T, u1:T) { t0 = cast:f32 u0; t1 = cast:f32 u1; t2 = sub t0 t1; store t2 }",
	"kernel (u0:T, u1:T, s2:f32) { t0 = cast:f32 u0; t1 = cast:f32 u1; t2 = sub t0 t1; t3 = mul t2 s2; store t3 }",
	"kernel (u0:T, u1:T, u2:f32) { t0 = cast:f32 u0; t1 = cast:f32 u1; t2 = sub t0 t1; t3 = add t2 u2; store t3 }",
	"kernel (u0:f32) { t0 = round u0; t1 = cast:T t0; store t1 }",
	"kernel (u0:f32, s1:f32) { t0 = min u0 s1; t1 = cast:T t0; store t1 }",
	"kernel (u0:f32, s1:f32, s2:f32) { t0 = clip u0 s1 s2; t1 = cast:T t0; store t1 }",
	"kernel (u0:f32, s1:f32, s2:f32) { t0 = round u0; t1 = clip t0 s1 s2; t2 = cast:T t1; store t2 }",
	"kernel (u0:f32, s1:f32, s2:f32) { t0 = clip u0 s1 s2; t1 = round t0; t2 = cast:T t1; store t2 }",
}

// sampleTypes are the element types of samples.
var sampleTypes = []ir.DType{ir.Uint8, ir.Int16}

// superTypes are the element types of superKernels.
var superTypes = []ir.DType{ir.Float32, ir.Float64}

// fusedBuiltins returns the built-in kernels of several operations that save passes over memory. A tiling of the other kernels
// computes the same.
func fusedBuiltins() []kernel.Code {
	var out []kernel.Code
	add := func(bodies []string, most int, types ...ir.DType) {
		for _, body := range bodies {
			for _, d := range types {
				for splats := range uint(1) << strings.Count(body, "$") {
					if k := superKernel(body, d, int(splats)); bits.OnesCount(splats) <= most && !splatOnly(k) {
						out = append(out, k)
					}
				}
			}
		}
	}
	add(superKernels, 2, superTypes...)
	add(oneSplat, 1, superTypes...)
	add(noSplat, 0, superTypes...)
	add(thresholds, 4, ir.Uint8)
	out = append(out, parseAll(superTypes, slices.Concat(longKernels, sharedKernels, maskKernels)...)...)
	out = append(out, parseAll(superTypes[:1], slices.Concat(singleKernels, integerKernels, pixelKernels)...)...)
	out = append(out, parseAll(superTypes[:1], pictures...)...)
	out = append(out, parseAll([]ir.DType{ir.Float16, ir.BFloat16}, halfBodies...)...)
	out = append(out, parseAll(sampleTypes, sampleBodies...)...)
	return append(append(append(out, interleavedBuiltins()...), dotChains()...), taps()...)
}

// dotChains returns the kernels of products of small matrices that have several ops: the first chains of floats, the step of one
// pair of integers, and chains for a few rows of floats.
func dotChains() (out []kernel.Code) {
	add := func(k *kernel.Kernel, _ []int) { out = append(out, k) }
	for _, d := range superTypes {
		for pairs := 2; pairs <= kernel.DotChainPairs; pairs++ {
			add(kernel.DotChain(ir.OpMul, d, pairs, true))
		}
		for _, rows := range []int{1, 2} {
			add(kernel.DotRowsChain(ir.OpMul, d, kernel.DotChainPairs, rows))
		}
		add(kernel.DotRowsChain(ir.OpMul, d, 1, 1))
	}
	add(kernel.DotChain(ir.OpMul, ir.Int32, 1, false))
	add(kernel.DotChain(ir.OpMul, ir.Int64, 1, false))
	add(kernel.DotChain(ir.OpMulHalves, ir.Int32, 1, false))
	return out
}

// superKernel returns the kernel of a body. Bit i of splats makes operand i a splat.
func superKernel(body string, d ir.DType, splats int) *kernel.Kernel {
	name := func(i int) string { return "us"[splats>>i&1:][:1] + strconv.Itoa(i) }
	in := make([]string, strings.Count(body, "$"))
	for i := range in {
		in[i] = name(i) + ":" + d.Text()
	}
	body = os.Expand(body, func(operand string) string {
		i, _ := strconv.Atoi(operand)
		return name(i)
	})
	last := strings.Count(body, ";")
	k, err := kernel.ParseKernel(fmt.Sprintf("kernel (%s) { %s; store t%d }", strings.Join(in, ", "), body, last))
	if err != nil {
		panic(fmt.Sprintf("BUG: codegen: %s: %v", body, err))
	}
	k, _ = k.Canonical()
	return k
}

// splatOnly reports whether all operands of some operation are splats: tilings compute such operations separately, once per row.
func splatOnly(k *kernel.Kernel) bool {
	for _, in := range k.Body {
		unit := func(r kernel.Ref) bool { return k.Inst(r) != nil || !k.In[r].Splat }
		if !slices.ContainsFunc(in.Args[:in.Arity()], unit) {
			return true
		}
	}
	return false
}
