//go:build !amd64 || purego

package abi

// HasAVX2 reports whether the processor and the operating system run the AVX2
// engine's kernels. It is false on other machines and under the tag purego.
func HasAVX2() bool { return false }
