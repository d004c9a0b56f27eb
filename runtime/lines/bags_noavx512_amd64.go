//go:build amd64 && !purego && noavx512

package lines

func sumAVX512(*bags, int) { panic("BUG: lines: no AVX-512") }
