//go:build amd64 && !purego && !noavx512

package abi

// linkedAVX512 says that the build has kernels of AVX-512.
const linkedAVX512 = true
