//go:build amd64 && !purego

package abi

import "golang.org/x/sys/cpu"

// hasAVX2 is asked once. x/sys reports AVX2 only where the operating system
// saves the registers too. Every processor with AVX2 has F16C.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C && cpu.X86.HasOSXSAVE

// HasAVX2 reports whether the processor and the operating system run the AVX2
// engine's kernels. It is false on other machines and under the tag purego.
func HasAVX2() bool { return hasAVX2 }
