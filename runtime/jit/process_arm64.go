//go:build linux && !purego && !nojit

package jit

import (
	"github.com/stridefuse/stridefuse/codegen/arm64"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// least is the first engine that has a target.
const least = abi.NEON

// filler fills the unused rest of pages. Four of it are the instruction UDF, which is undefined.
const filler = 0

// target returns the target of an engine.
func target(abi.Engine) *arm64.Target { return arm64.NEON() }

// assembled makes the code of a kernel.
func assembled(on abi.Engine, c kernel.Code) (code, error) {
	made, err := target(on).AssembleBody(c)
	if err != nil {
		return code{}, err
	}
	return code{made.Bytes, made.Stack}, nil
}

// synchronize makes what was stored in memory visible to the instruction fetches of all processors. Then enter has the processor
// that it runs on fetch again what it has fetched ahead.
//
//go:noescape
func synchronize(code []byte)
