//go:build !purego

package abi

// bestOfCPU returns NEON, which every arm64 processor that Go supports has.
func bestOfCPU() Engine { return NEON }
