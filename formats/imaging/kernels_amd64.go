//go:build amd64 && !purego

package imaging

import "github.com/stridefuse/stridefuse/runtime/abi"

// assembly says whether the functions below may be called.
var assembly = abi.Best() >= abi.AVX2

// downBlocks computes blocks of 32 bytes: each is the sum of the bytes below one another, stride apart, times k.
//
//go:noescape
func downBlocks(dst, src *uint8, stride, blocks int, k *int32, taps int)

// acrossFour computes n pixels of four bytes, each of 2*pairs pixels from first on.
//
//go:noescape
func acrossFour(dst, src *uint8, n int, first, k *int32, pairs int)

// acrossOne computes n bytes, each of 8*eights bytes from first on.
//
//go:noescape
func acrossOne(dst, src *uint8, n int, first, k *int32, eights int)

// doubleSixteens stores each of 16*sixteens bytes twice.
//
//go:noescape
func doubleSixteens(dst, src *uint8, sixteens int)

// rgbaEights computes 8*eights pixels as color.YCbCrToRGB does, with full alpha.
//
//go:noescape
func rgbaEights(dst, y, cb, cr *uint8, eights int)
