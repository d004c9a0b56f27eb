//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import (
	"errors"
	"os"
	"sync"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The kernels of the process. The first question about them reserves addresses and makes one page executable, as a trial.

// shared is the library of the process, or why there is none. It is no sync.OnceValues, which would have every program link the assembler.
var shared struct {
	once sync.Once
	*library
	err error
}

func process() (*library, error) {
	shared.once.Do(func() {
		if os.Getenv(Env) == "off" {
			shared.err = errors.New(Env + "=off")
			return
		}
		shared.library = newLibrary(&arena{sys: pages{}}, assembled)
		shared.err = shared.arena.begin(Limit)
	})
	return shared.library, shared.err
}

// EngineOf returns the best engine for which a kernel can be assembled, no better than best. A kernel for which that is
// true may still be refused by Assemble.
func EngineOf(best abi.Engine, c kernel.Code) (on abi.Engine, ok bool) {
	for on := best; on >= least; on-- {
		if target(on).EmitsBody(c) {
			return on, true
		}
	}
	return abi.Portable, false
}

// Assemble returns a kernel for an engine that EngineOf has returned.
func Assemble(on abi.Engine, c kernel.Code) (*Kernel, error) {
	l, err := process()
	if err != nil {
		return nil, err
	}
	return l.kernel(on, c)
}

// Off returns why the process assembles no kernels, or nil.
func Off() error {
	_, err := process()
	return err
}

// InUse returns what the kernels of the process use now.
func InUse() Usage {
	l, err := process()
	if err != nil {
		return Usage{}
	}
	return l.usage()
}
