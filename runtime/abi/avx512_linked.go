//go:build amd64 && !purego && !noavx512

package abi

// linkedAVX512 reports that the build contains kernels of AVX-512.
const linkedAVX512 = true
