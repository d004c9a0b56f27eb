// Package avo emits kernels as assembly for amd64 with AVX2 and FMA, which the
// library avo prints.
//
// The body of an elementwise kernel or of a row reduction is compiled by codegen/machine
// with the instruction table of this package (insts*.go, opcode.go, lower.go, memory.go),
// and put into a nest of loops (nest*.go, emit*.go, twostream.go). Other micro-kernels are
// written instruction by instruction (dot*.go, scan*.go, transpose*.go, reduce_columns*.go, pack.go, store_nt.go). Both are programs:
// lists of instructions over physical registers, which do not depend on avo.
package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// AVX2 emits for amd64 with AVX2 and FMA.
var AVX2 codegen.Target = avx2{}

// avx2Machine has the registers of AVX2. The tuning was measured on Zen 3: ByTwo and ByFour
// on exp, log, sin, tan, atan, asin and tanh of float32 and float64; ByList on formulas of
// several functions, whose time was 0.75 to 0.9 of that of two copies, and on one of four
// divisions, where it was 1.1.
var avx2Machine = &machine.Machine{
	Width:     32,
	Registers: 16,
	Working:   4,
	Tuning: machine.Tuning{
		// A body with less work waits for memory. In one with two vectors for each value the
		// CPU finds enough independent instructions without a second copy.
		Unroll: 4, UnrollWide: 40,
		ListOrder: 36, // in longer bodies the CPU does not find the instructions of the next step
		ByTwo:     0.87, ByFour: 0.79, ByList: 0.65,
		LoopEnd: 3,
		Reduce: machine.ReduceTuning{
			Unrolled:  24, // from there on rotating accumulators are as fast, without eleven copies
			HalfLanes: 4,
			// Argmax of float32 rows of 4 KB read 18 GB/s row by row and 22 GB/s in pairs.
			TwoStreams: 8, TwoArgs: 20, StreamAccs: 4,
		},
		ColdInputs: 8,
	},
}

// vectorBytes is the size of n vectors in memory.
func vectorBytes(n int) int { return avx2Machine.Width * n }

type avx2 struct{}

// Name returns "avx2".
func (avx2) Name() string { return "avx2" }

// Engine returns "AVX2".
func (avx2) Engine() string { return "AVX2" }

// Assemble returns an assembly file with a function for each kernel.
func (avx2) Assemble(pkg string, kernels []kernel.Code) ([]byte, error) {
	f := newFile(avx2Machine)
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
var micros = map[kernel.MicroKind]func(m *kernel.Micro) (*program, error){
	kernel.Pack:          func(m *kernel.Micro) (*program, error) { return compilePack(m), nil },
	kernel.Transpose:     func(m *kernel.Micro) (*program, error) { return compileTranspose(m), nil },
	kernel.StoreNT:       func(*kernel.Micro) (*program, error) { return compileStoreNT(), nil },
	kernel.Dot:           func(m *kernel.Micro) (*program, error) { return compileDot(m), nil },
	kernel.ScanRows:      func(m *kernel.Micro) (*program, error) { return compileScan(m), nil },
	kernel.Reduce:        func(m *kernel.Micro) (*program, error) { return compileRows(m.Body, m.Combine) },
	kernel.ReduceColumns: func(m *kernel.Micro) (*program, error) { return compileReduceColumns(m) },
}

// Emits reports whether the table has a micro-kernel.
func Emits(r kernel.MicroKind) bool { return micros[r] != nil }

// function returns the instructions of a kernel.
func function(c kernel.Code) (*program, error) {
	if m, ok := c.(*kernel.Micro); ok {
		return micros[m.Kind](m)
	}
	return compileRows(c.(*kernel.Kernel), nil)
}

// compileRows returns the function of a kernel that computes a body row by row. combine has
// the combiners of its outputs: see machine.Compile.
func compileRows(k *kernel.Kernel, combine []ir.Op) (*program, error) {
	b, err := machine.Compile(instructions{}, elementary.Expand(k), combine)
	if err != nil {
		return nil, err
	}
	return emit(b), nil
}
