package codegen

import (
	"flag"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func parse(t *testing.T, sigs ...string) []*ir.Kernel {
	var out []*ir.Kernel
	for _, sig := range sigs {
		k, err := ir.ParseKernel(sig)
		require.NoError(t, err)
		out = append(out, k)
	}
	return out
}

// TestGolden pins what users see: a short body, and one that is interleaved and
// has two outputs.
func TestGolden(t *testing.T) {
	kernels := parse(t,
		"kernel (u0:f32, u1:f32, s2:f32) { t0 = mul u0 u1; t1 = add t0 s2; store t1 }",
		"kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = exp t0; t2 = const:f32:3f800000; t3 = add t1 t2; store t1 t3 }",
	)
	files, err := Generate(Options{Package: "kernels", Target: fakeTarget{}, Command: "genkernels -func Graphs"}, kernels)
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, f := range files {
		path := filepath.Join("testdata", "golden", f.Name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(path, f.Content, 0o666))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(f.Content), "run go test ./codegen -update")
	}
}

// fakeTarget stands for an assembler.
type fakeTarget struct{}

func (fakeTarget) Name() string { return "fake" }

func (fakeTarget) Assemble(_ string, kernels []*ir.Kernel) ([]byte, error) {
	text := "#include \"textflag.h\"\n"
	for _, k := range kernels {
		text += "\nTEXT ·" + Symbol(k) + "(SB), NOSPLIT, $0-8\n\tRET\n"
	}
	return []byte(text), nil
}

func TestDeterminism(t *testing.T) {
	kernels := Builtins()
	o := Options{Package: "p", Target: fakeTarget{}}
	want, err := Generate(o, kernels)
	require.NoError(t, err)
	rand.Shuffle(len(kernels), func(i, j int) { kernels[i], kernels[j] = kernels[j], kernels[i] })
	got, err := Generate(o, append(kernels, kernels[:10]...))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestSymbols(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Builtins() {
		s := Symbol(k)
		require.True(t, token.IsIdentifier(s), s)
		require.False(t, seen[s], s)
		seen[s] = true
	}
	k := parse(t, "kernel (u0:f32, u1:f32, s2:f32) { t0 = mul u0 u1; t1 = add t0 s2; store t1 }")[0]
	require.Regexp(t, `^k_mul_add_f32_uus_[0-9a-f]{10}$`, Symbol(k))
}

func TestSymbolCollision(t *testing.T) {
	kernels := Builtins()[:2]
	_, err := nameAll(kernels, func(*ir.Kernel) string { return "k_same" })
	require.ErrorContains(t, err, "two kernels have the symbol k_same")
	require.ErrorContains(t, err, kernels[0].Signature())
	require.ErrorContains(t, err, kernels[1].Signature())
}

func TestGenerateRefuses(t *testing.T) {
	files, err := Generate(Options{Package: "p"}, nil)
	require.NoError(t, err)
	require.Empty(t, files)
	_, err = Generate(Options{Package: "p"}, []*ir.Kernel{{In: []ir.Operand{{DType: ir.Float32}}}})
	require.ErrorContains(t, err, "without a store")
}

func TestLoop(t *testing.T) {
	for sig, want := range map[string]string{
		"kernel (u0:f32, u1:f32, s2:f32) { t0 = mul u0 u1; t1 = add t0 s2; store t1 }":            "for i: o0[i] = (a0[i] * a1[i]) + a2",
		"kernel (u0:f32) { t0 = neg u0; t1 = exp t0; store t1 t1 }":                               "for i: t1 := exp(-a0[i]); o0[i] = t1; o1[i] = t1",
		"kernel (u0:f32) { t0 = const:f32:3f000000; t1 = mul u0 t0; t2 = cast:i64 t1; store t2 }": "for i: o0[i] = int64(a0[i] * 0.5)",
		"kernel (u0:bool, s1:f64, u2:f64) { t0 = select u0 s1 u2; store t0 }":                     "for i: o0[i] = select(a0[i], a1, a2[i])",
	} {
		require.Equal(t, want, loop(parse(t, sig)[0]))
	}
}
