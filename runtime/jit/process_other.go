//go:build !linux || !(amd64 || arm64) || purego || nojit

package jit

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// filler would fill the unused rest of pages.
const filler = 0

// errNone is why this build assembles no kernels.
var errNone = errors.New("this build assembles no kernels: only those for linux/amd64 and linux/arm64 do, without the tags purego and nojit")

// EngineOf returns false.
func EngineOf(abi.Engine, kernel.Code) (on abi.Engine, ok bool) { return abi.Portable, false }

// Assemble returns an error.
func Assemble(abi.Engine, kernel.Code) (*Kernel, error) { return nil, errNone }

// Off returns why the build assembles no kernels.
func Off() error { return errNone }

// InUse returns zeros.
func InUse() Usage { return Usage{} }
