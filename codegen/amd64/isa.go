// Package amd64 compiles kernels to instructions of amd64. It has two targets: AVX2 with FMA for every kernel, and AVX-512
// for those that gain from it. The result is a Program, a list of instructions over physical registers. Package avo prints
// programs as assembly, for go generate; Target.Assemble encodes them as machine code, in memory.
//
// The body of an elementwise kernel or of a row reduction is compiled by codegen/vector
// with the instruction table of a target (isa.go, forms.go, insts*.go, style*.go, lower.go,
// memory.go), and put into a nest of loops (nest*.go, emit*.go; rows_together.go for windows). A body of narrow
// integers alone has lanes as narrow (lanes*.go, bytes.go, words.go). The table in assemblers.go says which kernels are compiled so, and which
// reductions are written by hand. Other micro-kernels are written instruction by
// instruction (dot*.go, scan*.go, transpose*.go, interleave*.go, reduce_columns*.go, pack*.go,
// byte_sum.go, byte_product.go, arg_extreme*.go, row_extreme*.go, store_nt.go, prefetch.go).
//
// Machine code is encoded (assemble.go, encode_*.go) by tables of instructions and operand forms (encodings*.go). The bytes
// are those of Go's assembler. An instruction or a form that the tables lack is an error.
package amd64

import (
	"errors"
	"strings"
	"sync"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Target is an instruction set as tables. It implements vector.Target.
type Target struct {
	name, engine string
	suffix       string
	m            *vector.Machine
	forms                              // of instructions, by the names that rows call them
	table                              // rows: the instructions of operations
	style                              // masks and narrow elements
	special      map[string]instWriter // opcodes besides those of special (emit.go)
	broadcasts   bool                  // instructions read a constant of 8 bytes in every lane
	extensions   map[string]bool       // of the instruction set, by avo's names
	some         bool                  // the target has some kernels only, those that gain from it: AVX2 has all
}

// lazy is a target that is made when it is first asked for, so that a program which assembles nothing does not link its tables.
type lazy struct {
	once   sync.Once
	target *Target
}

func (l *lazy) get(new func() *Target) *Target {
	l.once.Do(func() { l.target = new() })
	return l.target
}

// instWriter writes the lines of an instruction.
type instWriter func(n *nest, i *vector.Inst)

var _ vector.Target = (*Target)(nil)

func extensions(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// Name returns the name of the target, "avx2" or "avx512".
func (t *Target) Name() string { return t.name }

// Engine returns the name of the constant of package abi.
func (t *Target) Engine() string { return t.engine }

// Emits reports whether the target has a kernel.
func (t *Target) Emits(c kernel.Code) bool {
	if !t.some {
		return true
	}
	if body, combine, ok := bodyOf(c); ok {
		return t.assemblerOf(body, combine).wide
	}
	m := c.(*kernel.Micro)
	return m.Kind == kernel.ReduceColumns || t.dot().arith(m).rows > 0
}

// EmitsBody reports whether the target compiles the body of a kernel, which is elementwise or reduces rows. Programs
// link the other kernels, which are finitely many, as built-in ones.
func (t *Target) EmitsBody(c kernel.Code) bool {
	body, combine, ok := bodyOf(c)
	return ok && (!t.some || t.compilerOf(body, combine).wide)
}

// Assembler names what writes the assembly of a kernel: a row of assemblers, or the kind of a micro-kernel.
func (t *Target) Assembler(c kernel.Code) string {
	if body, combine, ok := bodyOf(c); ok {
		return t.assemblerOf(body, combine).name
	}
	return c.(*kernel.Micro).Kind.String()
}

// Arch returns the processors of the target.
func (t *Target) Arch() string { return "amd64" }

// Suffix returns what the names of the target's functions and files have behind them.
func (t *Target) Suffix() string { return t.suffix }

// Has reports whether the target has an extension of the instruction set, by its name in the library avo.
func (t *Target) Has(extension string) bool { return t.extensions[extension] }

// Program returns the instructions of a valid canonical kernel.
func (t *Target) Program(c kernel.Code) (*Program, error) {
	if body, combine, ok := bodyOf(c); ok {
		return t.assemblerOf(body, combine).emit(t, body, combine)
	}
	m := c.(*kernel.Micro)
	if int(m.Kind) >= len(micros) || micros[m.Kind] == nil {
		return nil, errors.New("the kernel is written by hand, in package runtime/lines: its assembly is not generated")
	}
	return micros[m.Kind](t, m)
}
