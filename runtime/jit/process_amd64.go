//go:build linux && !purego && !nojit

package jit

import (
	"github.com/stridefuse/stridefuse/codegen/amd64"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// least is the first engine that has a target.
const least = abi.AVX2

// filler is the first byte of the instruction INT3, which fills the unused rest of pages.
const filler = 0xcc

// target returns the target of an engine, from least on.
func target(on abi.Engine) *amd64.Target {
	if on == abi.AVX512 {
		return amd64.AVX512()
	}
	return amd64.AVX2()
}

// assembled makes the code of a kernel.
func assembled(on abi.Engine, c kernel.Code) (code, error) {
	made, err := target(on).AssembleBody(c, amd64.InCaller)
	if err != nil {
		return code{}, err
	}
	return code{made.Bytes, made.Stack}, nil
}

// synchronize does nothing: processors see what is stored in memory that they execute.
func synchronize([]byte) {}
