package codegen

// Kernels of several operations on integers, bytes and masks, for tilings: see builtin_fused.go.

// integerKernels are steps of hashes and of fixed-point arithmetic, fields of bits, distances, offsets of
// elements, bounds, choices and ranges.
var integerKernels = []string{
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = shr u0 s1; t1 = xor u0 t0; t2 = mul t1 s2; store t2 }",
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = mul u0 s1; t1 = add t0 s2; store t1 }",
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = add u0 s1; t1 = shr t0 s2; store t1 }",
	"kernel (u0:i32, s1:i32) { t0 = shl u0 s1; t1 = xor t0 u0; store t1 }",
	"kernel (u0:i32, s1:i32) { t0 = shr u0 s1; t1 = xor t0 u0; store t1 }",
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = shl u0 s1; t1 = or t0 u0; t2 = and t1 s2; store t2 }",
	"kernel (u0:i32, s1:i32, u2:i32) { t0 = shl u0 s1; t1 = or t0 u2; store t1 }",
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = shr u0 s1; t1 = and t0 s2; store t1 }",
	"kernel (u0:i32, s1:i32, u2:i32) { t0 = mul u0 s1; t1 = add t0 u2; store t1 }",
	"kernel (u0:i32, u1:i32, u2:i32) { t0 = mul u0 u1; t1 = add t0 u2; store t1 }",
	"kernel (u0:i32, s1:i32, u2:i32, s3:i32) { t0 = mul u0 s1; t1 = mul u2 s3; t2 = add t0 t1; store t2 }",
	"kernel (u0:i32, u1:i32, s2:i32, s3:i32) { t0 = mul u0 u1; t1 = add t0 s2; t2 = shr t1 s3; store t2 }",
	"kernel (u0:i32, u1:i32) { t0 = sub u0 u1; t1 = abs t0; store t1 }",
	"kernel (u0:i32, u1:i32, u2:i32) { t0 = sub u0 u1; t1 = abs t0; t2 = add t1 u2; store t2 }",
	"kernel (u0:i32, u1:i32) { t0 = sub u0 u1; t1 = mul t0 t0; store t1 }",
	"kernel (u0:i32, u1:i32, u2:i32) { t0 = sub u0 u1; t1 = mul t0 t0; t2 = add t1 u2; store t2 }",
	"kernel (u0:i32, u1:i32, u2:i32) { t0 = add u0 u1; t1 = add t0 u2; store t1 }",
	"kernel (u0:i32, u1:i32, s2:i32) { t0 = add u0 u1; t1 = min t0 s2; store t1 }",
	"kernel (u0:i32, u1:i32, s2:i32) { t0 = sub u0 u1; t1 = max t0 s2; store t1 }",
	"kernel (u0:i32, u1:i32, s2:i32, s3:i32) { t0 = add u0 u1; t1 = clip t0 s2 s3; store t1 }",
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = max u0 s1; t1 = min t0 s2; store t1 }",
	"kernel (u0:i32, u1:i32, u2:i32, u3:i32) { t0 = lt u0 u1; t1 = select t0 u2 u3; store t1 }",
	"kernel (u0:i32, u1:i32, u2:i32, s3:i32) { t0 = lt u0 u1; t1 = select t0 u2 s3; store t1 }",
	"kernel (u0:i32, s1:i32, u2:i32, s3:i32) { t0 = lt u0 s1; t1 = select t0 u2 s3; store t1 }",
	"kernel (s0:i32, u1:i32, u2:i32, s3:i32) { t0 = lt s0 u1; t1 = select t0 u2 s3; store t1 }",
	"kernel (u0:i32, s1:i32, u2:i32, u3:i32) { t0 = lt u0 s1; t1 = select t0 u2 u3; store t1 }",
	"kernel (s0:i32, u1:i32, u2:i32, u3:i32) { t0 = lt s0 u1; t1 = select t0 u2 u3; store t1 }",
	"kernel (s0:i32, u1:i32, s2:i32) { t0 = lt s0 u1; t1 = lt u1 s2; t2 = and t0 t1; store t2 }",
	"kernel (u0:i32, s1:i32, u2:bool) { t0 = eq u0 s1; t1 = and t0 u2; store t1 }",
	"kernel (u0:i32, s1:i32, u2:bool) { t0 = eq u0 s1; t1 = or t0 u2; store t1 }",
}

// pixelKernels are sums, differences and products of bytes in 16 bits and in 32.
var pixelKernels = []string{
	"kernel (u0:u8, s1:i32) { t0 = cast:i32 u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:u8, s1:i32, u2:i32) { t0 = cast:i32 u0; t1 = mul t0 s1; t2 = add t1 u2; store t2 }",
	"kernel (u0:i32, s1:i32, s2:i32) { t0 = clip u0 s1 s2; t1 = cast:u8 t0; store t1 }",
	"kernel (u0:u8, u1:u8) { t0 = cast:i16 u0; t1 = cast:i16 u1; t2 = sub t0 t1; store t2 }",
	"kernel (u0:u8, s1:i16, s2:i16) { t0 = cast:i16 u0; t1 = sub t0 s1; t2 = mul t1 s2; store t2 }",
	"kernel (u0:u8, s1:i16) { t0 = cast:i16 u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:i16, s1:i16, s2:i16, u3:u8) { t0 = mul u0 s1; t1 = shr t0 s2; t2 = cast:i16 u3; t3 = add t1 t2; t4 = cast:u8 t3; store t4 }",
	"kernel (u0:i16, s1:i16, s2:i16) { t0 = max u0 s1; t1 = min t0 s2; t2 = cast:u8 t1; store t2 }",
	"kernel (u0:u8, u1:u8) { t0 = cast:u16 u0; t1 = cast:u16 u1; t2 = mul t0 t1; store t2 }",
	"kernel (u0:u8, u1:u8, u2:u16) { t0 = cast:u16 u0; t1 = cast:u16 u1; t2 = mul t0 t1; t3 = add t2 u2; store t3 }",
	"kernel (u0:u8, u1:u16) { t0 = cast:u16 u0; t1 = mul t0 u1; store t1 }",
	"kernel (u0:u8, u1:u16, u2:u16) { t0 = cast:u16 u0; t1 = mul t0 u1; t2 = add t1 u2; store t2 }",
	"kernel (u0:u8, s1:u16, u2:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; t2 = add t1 u2; store t2 }",
	"kernel (u0:u8, u1:u8) { t0 = cast:u16 u0; t1 = cast:u16 u1; t2 = add t0 t1; store t2 }",
	"kernel (u0:u8, u1:u16) { t0 = cast:u16 u0; t1 = add t0 u1; store t1 }",
	"kernel (u0:u8, s1:u16) { t0 = cast:u16 u0; t1 = xor t0 s1; store t1 }",
	"kernel (u0:u8, s1:u16) { t0 = cast:u16 u0; t1 = sub s1 t0; store t1 }",
	"kernel (u0:u16, s1:u16, s2:u16) { t0 = add u0 s1; t1 = shr t0 s2; t2 = cast:u8 t1; store t2 }",
	"kernel (u0:u16, u1:u16, s2:u16) { t0 = mul u0 u1; t1 = shr t0 s2; store t1 }",
	"kernel (u0:u8, u1:u8, s2:u16) { t0 = cast:u16 u0; t1 = cast:u16 u1; t2 = mul t0 t1; t3 = shr t2 s2; store t3 }",
	"kernel (u0:u8, u1:u8, s2:u16) { t0 = cast:u16 u0; t1 = sub s2 t0; t2 = cast:u16 u1; t3 = sub s2 t2; t4 = mul t1 t3; store t4 }",
	"kernel (u0:u16, s1:u16, s2:u16) { t0 = add u0 s1; t1 = shr t0 s2; t2 = add t0 t1; t3 = shr t2 s2; store t3 }",
	"kernel (u0:u16, s1:u16, s2:u16) { t0 = shr u0 s1; t1 = sub s2 t0; store t1 }",
	"kernel (u0:u16, s1:u16) { t0 = sub s1 u0; t1 = cast:u8 t0; store t1 }",
	"kernel (u0:u8, s1:u16, u2:u16, u3:u16) { t0 = cast:u16 u0; t1 = lt t0 s1; t2 = select t1 u2 u3; t3 = cast:u8 t2; store t3 }",
	"kernel (u0:u16, s1:u16, u2:u16, u3:u16) { t0 = lt u0 s1; t1 = select t0 u2 u3; store t1 }",
	"kernel (u0:u8, u1:u8) { t0 = max u0 u1; t1 = min u0 u1; t2 = sub t0 t1; store t2 }",
	"kernel (u0:u8, s1:u8, u2:bool) { t0 = eq u0 s1; t1 = and t0 u2; store t1 }",
	"kernel (u0:u8, s1:u8, u2:bool) { t0 = eq u0 s1; t1 = or t0 u2; store t1 }",
}

// maskKernels are conditions joined with others, and choices by them, for each of superTypes, T.
var maskKernels = []string{
	"kernel (u0:T, s1:T, u2:bool) { t0 = lt u0 s1; t1 = and t0 u2; store t1 }",
	"kernel (s0:T, u1:T, u2:bool) { t0 = lt s0 u1; t1 = and t0 u2; store t1 }",
	"kernel (u0:T, u1:T, u2:bool) { t0 = lt u0 u1; t1 = and t0 u2; store t1 }",
	"kernel (u0:T, s1:T, u2:bool) { t0 = lt u0 s1; t1 = or t0 u2; store t1 }",
	"kernel (s0:T, u1:T, u2:bool) { t0 = lt s0 u1; t1 = or t0 u2; store t1 }",
	"kernel (u0:T, u1:bool) { t0 = ne u0 u0; t1 = or t0 u1; store t1 }",
	"kernel (s0:T, u1:T, s2:T) { t0 = lt s0 u1; t1 = lt u1 s2; t2 = and t0 t1; store t2 }",
	"kernel (u0:T, u1:T, s2:T, s3:T) { t0 = lt u0 u1; t1 = select t0 s2 s3; store t1 }",
}
