//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import "github.com/stridefuse/stridefuse/runtime/abi"

// enter calls the kernel at an address with a frame.
//
//go:noescape
func enter(entry uintptr, f *abi.Frame)
