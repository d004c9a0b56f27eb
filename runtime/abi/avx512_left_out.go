//go:build amd64 && !purego && noavx512

package abi

// linkedAVX512 says that the build tag noavx512 left the kernels of AVX-512 out.
const linkedAVX512 = false
