//go:build !amd64 || purego

package abi

func bestOfCPU() Engine { return Portable }
