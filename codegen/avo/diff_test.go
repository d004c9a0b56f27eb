//go:build !purego

package avo_test

// The programs that these tests build are the same with the tag purego.

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/amd64"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

var long = flag.Bool("long", false, "run the differential tests over many more random kernels, and over all classes of operands")

var targets = []codegen.Target{avo.AVX2, avo.AVX512}

// some returns every fourth of many kernels, other ones in each run, and all of them with -long.
func some(t *testing.T, ks []kernel.Code) (out []kernel.Code) {
	if *long {
		return ks
	}
	first := rand.IntN(4)
	t.Logf("every fourth kernel from %d on", first)
	for i := first; i < len(ks); i += 4 {
		out = append(out, ks[i])
	}
	return out
}

// TestDifferentialSingleOps runs the ops' kernels against ir's Eval. Without -long it leaves out those that are built in:
// runtime/builtin/portable tests them.
func TestDifferentialSingleOps(t *testing.T) {
	t.Parallel()
	ks := singleOps(*long)
	if !*long {
		builtin := map[string]bool{}
		for _, k := range codegen.Builtins() {
			builtin[k.Signature()] = true
		}
		ks = slices.DeleteFunc(ks, func(k kernel.Code) bool { return builtin[k.Signature()] })
	}
	require.Greater(t, len(ks), 500)
	differ(t, some(t, ks))
}

// TestDifferentialReductions runs reductions by every op on every type, and those that the
// library brings, on both engines.
func TestDifferentialReductions(t *testing.T) {
	t.Parallel()
	ks := singleReductions()
	for _, k := range codegen.Builtins() {
		if m, ok := k.(*kernel.Micro); ok && m.Kind == kernel.Reduce {
			ks = append(ks, k)
		}
	}
	slices.SortFunc(ks, func(a, b kernel.Code) int { return cmp.Compare(a.Signature(), b.Signature()) })
	ks = some(t, slices.CompactFunc(ks, func(a, b kernel.Code) bool { return a.Signature() == b.Signature() }))
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// TestDifferentialMicros runs the micro-kernels without a body on both engines.
func TestDifferentialMicros(t *testing.T) {
	t.Parallel()
	var ks []kernel.Code
	for _, k := range codegen.Builtins() {
		if m, ok := k.(*kernel.Micro); ok && m.Body == nil {
			ks = append(ks, k)
		}
	}
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// TestDifferentialColumns runs random kernels that reduce columns on both engines.
func TestDifferentialColumns(t *testing.T) {
	t.Parallel()
	n := 12
	if *long {
		n = 400
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	var ks []kernel.Code
	seen := map[string]bool{}
	for len(ks) < n {
		k := randomColumnReduction(rnd.IntN)
		if k.Verify() == nil && !seen[codegen.Symbol(k)] {
			seen[codegen.Symbol(k)] = true
			ks = append(ks, k)
		}
	}
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// TestDifferentialFused runs random bodies against ir's Eval.
func TestDifferentialFused(t *testing.T) {
	t.Parallel()
	n := 6
	if *long {
		n = 1500
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	ks := manyPointers(*long)
	seen := map[string]bool{}
	for range n {
		for _, s := range shapes {
			k := randomKernel(s, rnd.IntN)
			if k.Verify() == nil && !seen[codegen.Symbol(k)] {
				seen[codegen.Symbol(k)] = true
				ks = append(ks, k)
			}
		}
	}
	differ(t, ks)
}

// TestDifferentialCold runs random bodies with unlikely selects, on both engines.
func TestDifferentialCold(t *testing.T) {
	t.Parallel()
	n := 4
	if *long {
		n = 400
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var ks []kernel.Code
	seen := map[string]bool{}
	for range n {
		for _, s := range shapes {
			s.unlikely, s.ops = 3, 4+rnd.IntN(s.ops)
			k := randomKernel(s, rnd.IntN)
			if e := elementary.Expand(bodyOf(k)); k.Verify() == nil && !seen[codegen.Symbol(k)] && len(kernel.Split(e).Cold) > 0 {
				seen[codegen.Symbol(k)] = true
				ks = append(ks, k)
			}
		}
	}
	require.Greater(t, len(ks), 3*n)
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// bodyOf returns the body of a kernel or of a reduction.
func bodyOf(c kernel.Code) *kernel.Kernel {
	if m, ok := c.(*kernel.Micro); ok {
		return m.Body
	}
	return c.(*kernel.Kernel)
}

// differ assembles kernels for both targets into a program of their own and runs it, with
// the portable kernels if there are any. The program runs the kernels for AVX-512 on a
// processor that has it, and products of halves only if it has VNNI too. Each kernel is also assembled to bytes, without running these.
func differ(t *testing.T, ks []kernel.Code, portable ...codegen.File) {
	for _, k := range ks {
		for _, target := range []*amd64.Target{amd64.AVX2(), amd64.AVX512()} {
			if target.Emits(k) {
				_, err := target.Assemble(k, amd64.InOwnFrame)
				require.NoError(t, err)
			}
		}
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	write := func(name string, content []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	copyFile := func(from, to string) {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		write(to, content)
	}
	copyFile("testdata/difftest/main.go", "main.go")
	copyFile(filepath.Join(root, "go.sum"), "go.sum")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	text := strings.Replace(string(mod), "module github.com/stridefuse/stridefuse", "module differ", 1)
	text += "\nrequire github.com/stridefuse/stridefuse v0.0.0\n\nreplace github.com/stridefuse/stridefuse => " + root + "\n"
	write("go.mod", []byte(text))

	var stubs, table strings.Builder
	stubs.WriteString("package main\n\nimport \"github.com/stridefuse/stridefuse/runtime/abi\"\n\n")
	table.WriteString("var kernels = [][]compiled{\n")
	for _, k := range ks {
		table.WriteString("\t{")
		for _, target := range targets {
			if target.Emits(k) {
				symbol := codegen.Symbol(k) + target.Suffix()
				fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(f *Frame)\n\n", symbol)
				if codegen.MultipliesHalves(k) && target == avo.AVX512 && !cpu.X86.HasAVX512VNNI {
					continue
				}
				fmt.Fprintf(&table, "{abi.%s, %s}, ", target.Engine(), symbol)
			}
		}
		if portable != nil {
			fmt.Fprintf(&table, "{abi.Portable, %s_go}", codegen.Symbol(k))
		}
		table.WriteString("},\n")
	}
	write("stubs.go", []byte(stubs.String()+table.String()+"}\n"))
	for _, f := range portable {
		write(f.Name, f.Content)
	}
	const perFile = 200
	for _, target := range targets {
		own := slices.DeleteFunc(slices.Clone(ks), func(k kernel.Code) bool { return !target.Emits(k) })
		for i := 0; i < len(own); i += perFile {
			asm, err := target.Assemble("main", own[i:min(i+perFile, len(own))])
			require.NoError(t, err)
			write(fmt.Sprintf("k%s%d_amd64.s", target.Suffix(), i), asm)
		}
	}
	var sigs []string
	for _, k := range ks {
		sigs = append(sigs, k.Signature())
	}
	data, err := json.Marshal(sigs)
	require.NoError(t, err)
	write("kernels.json", data)

	run(t, dir, "go", "build", "-mod=mod", "-o", "differ", ".")
	run(t, dir, "go", "vet", "-mod=mod", "-asmdecl", ".")
	t.Log(run(t, dir, "./differ"))
}

func run(t *testing.T, dir, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if len(out) > 6000 {
		out = append(out[:6000], "..."...)
	}
	require.NoError(t, err, "%s", out)
	return string(out)
}
