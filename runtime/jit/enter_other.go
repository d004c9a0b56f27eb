//go:build !linux || !(amd64 || arm64) || purego || nojit

package jit

import "github.com/stridefuse/stridefuse/runtime/abi"

func enter(uintptr, *abi.Frame) { panic("BUG: jit: a kernel that this build cannot call") }
