package graph_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Random programs whose kernels exist, in all modes. Other tests of random programs run tilings, so they never reach
// the calls that strategies write for kernels of several operations. Registered kernels stay for the life of a process,
// so each engine has its own process.

// generatedEnv tells such a process where its kernels come from.
const generatedEnv = "STRIDEFUSE_TEST_KERNELS"

// generatedSeeds is the number of programs. Their kernels evaluate their definition; with -long they are generated and
// compiled.
func generatedSeeds() int {
	if *long {
		return 400
	}
	return 20
}

// TestGenerated runs the programs on each engine. All have the same bits.
func TestGenerated(t *testing.T) {
	if os.Getenv(generatedEnv) != "" {
		t.Skip("it is a process of this test")
	}
	binary, err := os.Executable()
	require.NoError(t, err)
	from := "defined"
	if *long {
		binary, from = withGenerated(t), "generated"
	}
	var first string
	for engine := range abi.Best() + 1 {
		cmd := exec.Command(binary, "-test.run=^TestGeneratedPrograms$", "-test.v", fmt.Sprintf("-long=%t", *long))
		cmd.Env = append(os.Environ(), generatedEnv+"="+from, abi.CPUEnv+"="+engine.String())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", engine, out)
		_, digest, ok := strings.Cut(string(out), "digest ")
		require.True(t, ok, "%s", out)
		digest, _, _ = strings.Cut(digest, "\n")
		t.Log(engine, digest)
		if engine == 0 {
			first = digest
		}
		require.Equal(t, first, digest, engine)
	}
}

// TestGeneratedPrograms runs in the processes of TestGenerated.
func TestGeneratedPrograms(t *testing.T) {
	from := os.Getenv(generatedEnv)
	if from == "" {
		t.Skip("TestGenerated runs it")
	}
	digest := fnv.New64a()
	for seed := range generatedSeeds() {
		outs, ins := randomProgram(seed)
		want := bitsIn(t, seed, outs, ins, graph.WithDebug(graph.Portable), graph.WithDebug(graph.NoFusion))
		fmt.Fprint(digest, want)
		if from == "defined" {
			for sig := range listed(t, seed, outs) {
				if _, _, ok := abi.Find(abi.Best(), sig); !ok {
					abi.Register(abi.ABI2, abi.Best(), []abi.Kernel{{Sig: sig, Fn: runtime.Defined(sig)}})
				}
			}
		}
		for i, way := range ways() {
			require.Equal(t, want, bitsIn(t, seed, outs, ins, way...), "seed %d, way %d", seed, i)
		}
	}
	fmt.Printf("digest %x\n", digest.Sum64())
}

// bitsIn returns the bits of a program's outputs, with the same bits for all NaNs.
func bitsIn(t *testing.T, seed int, outs graph.Nodes, ins map[string]*graph.Tensor, options ...graph.Item) (bits [][]uint64) {
	p, err := graph.Compile(append(options, outs)...)
	require.NoError(t, err, "seed %d", seed)
	var given []*graph.Tensor
	for _, in := range p.Inputs() {
		given = append(given, ins[in.Name])
	}
	results, err := p.RunAll(t.Context(), given...)
	require.NoError(t, err, "seed %d", seed)
	for _, out := range results {
		of := elements(t, out)
		for i, b := range of {
			if ir.IsNaN(out.DType(), b) {
				of[i] = math.MaxUint64
			}
		}
		bits = append(bits, of)
	}
	return bits
}

// listed returns the kernels, by signature, that programs of some outputs list in each way. All are valid.
func listed(t *testing.T, seed int, outs graph.Nodes) map[string]kernel.Code {
	all := map[string]kernel.Code{}
	for _, way := range ways() {
		p, err := graph.Compile(append(way, outs)...)
		require.NoError(t, err, "seed %d", seed)
		for _, sig := range p.Kernels() {
			if all[sig] == nil {
				all[sig], err = kernel.ParseCode(sig)
				require.NoError(t, err, "seed %d: %s", seed, sig)
			}
		}
	}
	return all
}

// withGenerated builds this test with the kernels of the programs, and returns the binary.
func withGenerated(t *testing.T) string {
	builtin, seen := map[string]bool{}, map[string]bool{}
	for _, k := range codegen.Builtins() {
		builtin[k.Signature()] = true
	}
	var all []kernel.Code
	for seed := range generatedSeeds() {
		outs, _ := randomProgram(seed)
		for sig, c := range listed(t, seed, outs) {
			if m, ok := c.(*kernel.Micro); !builtin[sig] && !seen[sig] && !(ok && m.Kind.Written()) {
				seen[sig], all = true, append(all, c)
			}
		}
	}
	t.Log(len(all), "kernels")
	dir, replace := t.TempDir(), map[string]string{}
	here, err := os.Getwd()
	require.NoError(t, err)
	packages, err := os.MkdirTemp(".", "generated") // the assembler runs in these folders; their files are in the overlay
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(packages) })
	add := func(path string, content []byte) {
		file := filepath.Join(dir, fmt.Sprint(len(replace), filepath.Ext(path)))
		require.NoError(t, os.WriteFile(file, content, 0o666))
		replace[filepath.Join(here, path)] = file
	}
	imports := "package graph_test\n"
	for part := range slices.Chunk(all, 50) { // compiling a package takes memory
		pkg, err := os.MkdirTemp(packages, "part")
		require.NoError(t, err)
		files, err := codegen.Generate(codegen.Options{Package: "part", Targets: []codegen.Target{avo.AVX2, avo.AVX512}}, part)
		require.NoError(t, err)
		for _, f := range files {
			if !strings.HasSuffix(f.Name, "_test.go") {
				add(filepath.Join(pkg, f.Name), f.Content)
			}
		}
		imports += fmt.Sprintf("\nimport _ \"github.com/stridefuse/stridefuse/graph/%s\"\n", filepath.ToSlash(filepath.Clean(pkg)))
	}
	add("import_generated_test.go", []byte(imports))
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	list, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "generated.test")
	require.NoError(t, os.WriteFile(list, overlay, 0o666))
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}
