package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestFewLoops writes Go loops for builds with assembly: the basic ones for all, and for those that leave assembly out the
// others of its group, but the fused ones and those of broadcast operands, each of which has one of unit operands in
// its place. It never inlines math.FMA.
func TestFewLoops(t *testing.T) {
	files, err := Generate(Options{Package: "p", Loops: FewLoops, Targets: []Target{fakeTarget{}}, ByCall: true}, Builtins())
	require.NoError(t, err)
	loops := ""
	for _, f := range files {
		text := string(f.Content)
		few := f.Name == "zkernels_generic.go" || strings.HasSuffix(f.Name, "_left_out_amd64.go")
		require.NotContains(t, text, "math.FMA(")
		require.Equal(t, few, strings.Contains(text, "_go(f *abi.Frame)"), f.Name)
		if few {
			loops += text
		}
	}
	fused := signatures(fusedBuiltins())
	require.NotEmpty(t, fused)
	has := func(k kernel.Code) bool {
		times := strings.Count(loops, `{Sig: "`+k.Signature()+`"`)
		require.LessOrEqual(t, times, 1, k.Signature())
		return times > 0
	}
	broadcast := 0
	for _, k := range Builtins() {
		if groupOf(k) == "" {
			require.Equal(t, !fused[k.Signature()] && !takesSplats(k) && isBasic(k), has(k), k.Signature())
			continue
		}
		require.Equal(t, !fused[k.Signature()] && !takesSplats(k), has(k), k.Signature())
		if own, ok := k.(*kernel.Kernel); ok && kernel.OfScans(own) {
			require.True(t, has(k), k.Signature())
		}
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
	files, err := Generate(Options{Package: "p", Loops: FewLoops, Targets: []Target{fakeTarget{}}}, Builtins())
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
			require.Equal(t, group != "", strings.Contains(text, assemblyTag(amd64)+" && !no"+strings.TrimPrefix(group, "_")+"\n"), group)
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
	files, err := Generate(Options{Package: "p", Loops: FewLoops, Targets: []Target{fakeTarget{}}, ByCall: true}, Builtins())
	require.NoError(t, err)
	in := map[string]string{}
	for _, f := range files {
		in[f.Name] = string(f.Content)
		require.NotContains(t, in[f.Name], "func init()", f.Name)
	}
	for _, group := range leftOut {
		text := in["zkernels"+group+"_amd64.go"]
		require.Contains(t, text, "func entries_fake"+group+"() *uintptr\n")
		assembly := in["zkernels"+group+"_amd64.s"]
		require.Equal(t, strings.Count(text, "\t\"")-strings.Count(text, "\t\"github.com/"), strings.Count(assembly, "DATA entries_fake"+group+"<>+"))
		require.Equal(t, group != "", strings.Contains(in["zkernels"+group+"_left_out_amd64.go"], "no"+strings.TrimPrefix(group, "_")+"\n"))
	}
}
