//go:build (!amd64 && !arm64) || purego

package abi

func bestOfCPU() Engine { return Portable }
