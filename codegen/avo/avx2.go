// Package avo emits kernels as AVX2 assembly. A kernel goes through three
// stages: lowering and scheduling give a list of instructions over values;
// allocation gives them sixteen registers and the stack; printing goes through
// the library avo. The first two know nothing of avo.
package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// AVX2 emits for amd64 with AVX2 and FMA. A step is 8 elements, whatever their
// size.
var AVX2 codegen.Target = avx2{}

type avx2 struct{}

// Name returns "avx2".
func (avx2) Name() string { return "avx2" }

// Assemble returns an assembly file with a function for each kernel.
func (avx2) Assemble(pkg string, kernels []kernel.Code) ([]byte, error) {
	f := newFile()
	for _, k := range kernels {
		p, err := function(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Signature(), err)
		}
		if err := f.function(codegen.Symbol(k), k.Signature(), p); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Signature(), err)
		}
	}
	return f.text(pkg)
}

// micros emits each micro-kernel.
var micros = map[kernel.Row]func(m *kernel.Micro) (*program, error){
	kernel.Pack:          func(m *kernel.Micro) (*program, error) { return compilePack(m), nil },
	kernel.Transpose:     func(m *kernel.Micro) (*program, error) { return compileTranspose(m), nil },
	kernel.StoreNT:       func(*kernel.Micro) (*program, error) { return compileStoreNT(), nil },
	kernel.Dot:           func(m *kernel.Micro) (*program, error) { return compileDot(m), nil },
	kernel.ScanRows:      func(m *kernel.Micro) (*program, error) { return compileScan(m), nil },
	kernel.Reduce:        func(m *kernel.Micro) (*program, error) { return compileRows(m.Flat()) },
	kernel.ReduceColumns: func(m *kernel.Micro) (*program, error) { return compileDown(m.Flat()) },
}

// Emits reports whether the table has a micro-kernel.
func Emits(r kernel.Row) bool { return micros[r] != nil }

// function returns the instructions of a kernel.
func function(c kernel.Code) (*program, error) {
	if m, ok := c.(*kernel.Micro); ok {
		return micros[m.Row](m)
	}
	return compileRows(c.(*kernel.Kernel))
}

// compileRows returns the function of a kernel that computes a body row by row.
func compileRows(k *kernel.Kernel) (*program, error) {
	b, err := compile(elementary.Expand(k))
	if err != nil {
		return nil, err
	}
	return b.emit(), nil
}
