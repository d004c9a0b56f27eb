//go:build amd64 && !purego && !noavx512

package lines

// sumAVX512 is sumAVX2 for AVX-512.
//
//go:noescape
func sumAVX512(b *bags, of int)
