//go:build amd64 && !purego

package abi

import "golang.org/x/sys/cpu"

// bestOfCPU returns the best engine of the build that the processor and the operating system support. x/sys reports
// AVX2 and AVX-512 only if the operating system saves their registers. Every processor with AVX2 also has F16C.
func bestOfCPU() Engine {
	x := &cpu.X86
	switch {
	case !(x.HasAVX2 && x.HasFMA && x.HasF16C && x.HasOSXSAVE):
		return Portable
	case linkedAVX512 && x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasBMI2:
		return AVX512
	}
	return AVX2
}
