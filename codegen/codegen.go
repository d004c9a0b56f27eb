// Package codegen turns kernels into files: assembly by a Target, the Go declarations of its functions, the same kernels as
// portable Go loops, their registration, and a test.
package codegen

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Target emits kernels for one instruction set.
type Target interface {
	// Name is the name of the target's engine: "avx2".
	Name() string
	// Engine is the constant of package abi for which kernels are registered: "AVX2".
	Engine() string
	// Arch is the GOARCH of the processors that run the assembly.
	Arch() string
	// Emits reports whether the target can emit a valid canonical kernel. A program runs other kernels by another
	// target, or by the portable loops.
	Emits(c kernel.Code) bool
	// Assembler names what writes the assembly of a kernel that the target has: "byte-sum".
	Assembler(c kernel.Code) string
	// Suffix is appended to symbols and file names; it is one of suffixes.
	Suffix() string
	// Assemble returns one assembly file with a function for each kernel, named by Symbol
	// and Suffix.
	Assemble(pkg string, kernels []kernel.Code) ([]byte, error)
}

// fileEnds are the suffixes of all targets with their processors, as file names end.
var fileEnds = []struct{ suffix, arch string }{{"", amd64}, {"_avx512", amd64}, {"_avx512_no_vnni", amd64}, {"", "arm64"}}

// amd64 is the architecture whose builds contain few Go loops.
const amd64 = "amd64"

// Only returns target t restricted to the kernels for which list returns true.
func Only(t Target, list func(c kernel.Code) bool) Target { return only{t, list} }

type only struct {
	Target
	list func(c kernel.Code) bool
}

func (t only) Emits(c kernel.Code) bool { return t.list(c) && t.Target.Emits(c) }

// File is a generated file, not written yet.
type File struct {
	Name    string
	Content []byte
}

// Options say which files Generate writes.
type Options struct {
	Package string   // name of the package that the files belong to
	Targets []Target // of the assembly; without targets there are only Go loops
	Prefix  string   // of the file names; DefaultPrefix if empty
	Loops   Loops    // the kernels that are written as Go loops
	// ByCall is for the library's own packages: a function Register, not init functions, registers the kernels. Programs
	// that do not reach it link none of them.
	ByCall bool
	// Command is the command that made the files, such as "genkernels -func Graphs". It appears in their first line.
	Command string
}

// Loops is a choice of the kernels that are written as Go loops, and of their form.
type Loops int

const (
	// EveryLoop writes Go loops for all kernels, for every machine. Long bodies compute several elements side by side.
	EveryLoop Loops = iota
	// FewLoops writes Go loops for single operations and, under the build tag that leaves out their assembly, for other
	// kernels. It omits the fused built-in kernels and those with broadcast operands, which tilings replace. Loops
	// compute one element at a time.
	FewLoops
)

// DefaultPrefix starts the names of generated files.
const DefaultPrefix = "zkernels"

// The ends of generated files' names.
const (
	assemblyFile = ".s"          // the kernels by a target, behind its suffix and architecture
	stubFile     = ".go"         // their declarations and registration
	leftOutFile  = "_left_out"   // what takes their place in builds without them, before the architecture
	genericFile  = "_generic.go" // the kernels as Go loops
	testFile     = "_test.go"    // a test of those against their meaning, on every engine
)

// FileNames returns the names of all files that Generate may return.
func FileNames(prefix string) []string {
	names := []string{prefix + genericFile, prefix + testFile}
	for _, end := range fileEnds {
		arch := "_" + end.arch
		for _, group := range groups(end.arch) {
			of := prefix + end.suffix + group
			names = append(names, of+arch+stubFile, of+leftOutFile+arch+stubFile, of+arch+assemblyFile)
		}
	}
	return names
}

// Generate returns the files of a package that registers the kernels; FileNames lists their names. Without kernels there are no
// files.
//
// Kernels are made canonical, sorted by symbol, and written once each. The same kernels give the same bytes on every machine.
func Generate(o Options, kernels []kernel.Code) ([]File, error) {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if o.Command == "" {
		o.Command = "genkernels"
	}
	all, err := nameAll(kernels, Symbol)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	g := &generator{Options: o, kernels: all}
	for _, t := range o.Targets {
		if err := g.target(t); err != nil {
			return nil, err
		}
	}
	steps := []func() error{g.generic, g.test}
	if o.Loops == FewLoops {
		steps = []func() error{g.basicLoops}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(g.files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return g.files, nil
}

// named is a canonical kernel with its symbol.
type named struct {
	kernel.Code
	symbol string
}

// nameAll returns the kernels in canonical form, each once, sorted by symbol.
func nameAll(kernels []kernel.Code, name func(kernel.Code) string) ([]named, error) {
	bySymbol := map[string]kernel.Code{}
	var out []named
	for _, k := range kernels {
		if err := k.Verify(); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Signature(), err)
		}
		k, _ = kernel.Canonical(k)
		symbol := name(k)
		other, taken := bySymbol[symbol]
		switch {
		case !taken:
			bySymbol[symbol] = k
			out = append(out, named{k, symbol})
		case other.Signature() != k.Signature():
			return nil, fmt.Errorf("two kernels have the symbol %s:\n\t%s\n\t%s", symbol, other.Signature(), k.Signature())
		}
	}
	slices.SortFunc(out, func(a, b named) int { return cmp.Compare(a.symbol, b.symbol) })
	return out, nil
}

// takesSplats reports whether a kernel is one operation with broadcast operands that no scan calls. Without it, a tiling fills
// columns with the element and calls the kernel of unit operands.
func takesSplats(c kernel.Code) bool {
	k, ok := c.(*kernel.Kernel)
	return ok && !kernel.OfScans(k) && len(k.Body) == 1 && k.Body[0].Op != ir.OpCopy && slices.ContainsFunc(k.In, func(in kernel.Operand) bool { return in.Splat })
}

// emits reports whether a target emits a kernel.
func (o *Options) emits(c kernel.Code) bool {
	return slices.ContainsFunc(o.Targets, func(t Target) bool { return t.Emits(c) })
}
