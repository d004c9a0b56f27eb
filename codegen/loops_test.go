package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestLeftOutLoops writes Go loops for builds that leave assembly out: of its group the kernels
// but the fused ones and those of broadcast operands, each of which has one of unit operands in
// its place. Other builds have none. It never inlines math.FMA.
func TestLeftOutLoops(t *testing.T) {
	files, err := Generate(Options{Package: "p", Loops: LeftOutLoops, Targets: []Target{fakeTarget{}}, ByCall: true}, Builtins())
	require.NoError(t, err)
	loops := ""
	for _, f := range files {
		text := string(f.Content)
		require.NotEqual(t, "zkernels_generic.go", f.Name)
		require.NotContains(t, text, "math.FMA(")
		require.Equal(t, strings.HasSuffix(f.Name, "_left_out_amd64.go"), strings.Contains(text, "_go(f *abi.Frame)"), f.Name)
		if strings.HasSuffix(f.Name, "_left_out_amd64.go") {
			loops += text
		}
	}
	fused := signatures(fusedBuiltins())
	require.NotEmpty(t, fused)
	has := func(k kernel.Code) bool { return strings.Contains(loops, `{Sig: "`+k.Signature()+`"`) }
	broadcast := 0
	for _, k := range Builtins() {
		if groupOf(k) == "" {
			require.False(t, has(k), k.Signature())
			continue
		}
		require.Equal(t, !fused[k.Signature()] && !takesSplats(k), has(k), k.Signature())
		if takesSplats(k) && !fused[k.Signature()] {
			broadcast++
			own := k.(*kernel.Kernel)
			units := kernel.Kernel{Fast: own.Fast, Body: own.Body, Out: own.Out}
			for _, in := range own.In {
				units.In = append(units.In, kernel.Operand{DType: in.DType})
			}
			canon, _ := units.Canonical()
			require.True(t, has(canon), "%s has no %s in its place", k.Signature(), canon.Signature())
		}
	}
	require.NotZero(t, broadcast)
}

// The kernels of a group are in files that its build tag leaves out, each kernel in one file, and
// what moves elements of any type is in none of those.
func TestLeftOut(t *testing.T) {
	files, err := Generate(Options{Package: "p", Loops: LeftOutLoops, Targets: []Target{fakeTarget{}}}, Builtins())
	require.NoError(t, err)
	in := map[string]string{}
	for _, f := range files {
		in[f.Name] = string(f.Content)
	}
	count := map[string]int{}
	for _, k := range Builtins() {
		own := groupOf(k)
		count[own]++
		for _, group := range leftOut {
			text := in["zkernels"+group+"_amd64.go"]
			require.Equal(t, group == own, strings.Contains(text, `{Sig: "`+k.Signature()+`"`), "%s in group %q", k.Signature(), group)
			require.Equal(t, group != "", strings.Contains(text, assemblyTag+" && !no"+strings.TrimPrefix(group, "_")+"\n"), group)
		}
		if m, ok := k.(*kernel.Micro); ok && m.Body == nil && kernel.TimeOf(k).Unit != kernel.Paired {
			require.Empty(t, own, k.Signature())
		}
	}
	require.Len(t, count, len(leftOut))
	for sig, want := range map[string]string{
		"kernel (u0:f32) { t0 = exp u0; store t0 }":              "",
		"kernel (u0:f64) { t0 = cast:f32 u0; store t0 }":         "_float64",
		"kernel (u0:f32) { t0 = cast:f64 u0; store t0 }":         "_float64",
		"reduce [add] kernel (u0:f64) { store u0 }":              "_float64",
		"kernel (u0:i64, u1:i64) { t0 = add u0 u1; store t0 }":   "_integers",
		"kernel (u0:u8, u1:u8) { t0 = lt u0 u1; store t0 }":      "_integers",
		"kernel (u0:i64) { t0 = cast:f32 u0; store t0 }":         "",
		"kernel (u0:i32) { t0 = copy u0; store t0 }":             "",
		"kernel (u0:bool, u1:bool) { t0 = and u0 u1; store t0 }": "",
		"reduce [argmax] kernel (u0:f32) { store u0 }":           "",
		"dot f64": "_float64", "dot i32": "_integers", "dot f32": "",
	} {
		require.Equal(t, want, groupOf(parse(t, sig)[0]), sig)
	}
}

// TestByCall writes the kernels of a package that has a function Register: assembly that no other file sees, with
// a table of as many addresses as there are signatures, and nothing in builds that leave it out.
func TestByCall(t *testing.T) {
	files, err := Generate(Options{Package: "p", Loops: LeftOutLoops, Targets: []Target{fakeTarget{}}, ByCall: true}, Builtins())
	require.NoError(t, err)
	in := map[string]string{}
	for _, f := range files {
		in[f.Name] = string(f.Content)
		require.NotContains(t, in[f.Name], "func init()", f.Name)
	}
	for _, group := range leftOut {
		text := in["zkernels"+group+"_amd64.go"]
		require.Contains(t, text, "func entries_avx2"+group+"() *uintptr\n")
		assembly := in["zkernels"+group+"_amd64.s"]
		require.Equal(t, strings.Count(text, "\t\"")-strings.Count(text, "\t\"github.com/"), strings.Count(assembly, "DATA entries_avx2"+group+"<>+"))
		require.Equal(t, group != "", strings.Contains(in["zkernels"+group+"_left_out_amd64.go"], "no"+strings.TrimPrefix(group, "_")+"\n"))
	}
}
