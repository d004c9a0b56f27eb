package plan_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestParseRoundTrip checks that a graph's text gives the same text and the
// same meaning.
func TestParseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Layouts: true, Accesses: true})
		text := f.String()
		g, err := ir.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, text, g.String())
		irtest.RequireInGrammar(t, text)
		require.NoError(t, ir.Verify(g, ir.StageGraph))
		want, err := eval.Eval(f, inputs)
		require.NoError(t, err)
		got, err := eval.Eval(g, inputs)
		require.NoError(t, err)
		require.Empty(t, irtest.Diff(want, got))
	})
}

func TestParseRoundTripSymbolic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs, sizes := irtest.SymbolicFunc(t, irtest.Config{})
		text := f.String()
		g, err := ir.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, text, g.String())
		irtest.RequireInGrammar(t, text)
		bound, err := g.Bind(sizes)
		require.NoError(t, err)
		want, err := f.Bind(sizes)
		require.NoError(t, err)
		require.Equal(t, want.String(), bound.String())
		_, err = eval.Eval(bound, inputs)
		require.NoError(t, err)
	})
}

// TestParseLoose checks that layout and comments are free, and that the text of
// what they say is not.
func TestParseLoose(t *testing.T) {
	f, err := ir.Parse(`
		// a graph
		func(%x:f32[2*n,(n+1)/2]){   // of one param

			%0=neg %x:f32[n*2,(1+n)/2]// not a place
			// neither is this
			%1 = squeeze %0 axes = [ ] : f32[2*n,(n+1)/2] // a/b.go:7
			return %1,%0
		}
	`)
	require.NoError(t, err)
	require.Equal(t, `func (%x: f32[2*n,(n+1)/2]) {
  %0 = neg %x             : f32[2*n,(n+1)/2]
  %1 = squeeze %0 axes=[] : f32[2*n,(n+1)/2] // b.go:7
  return %1, %0
}
`, f.String())
}

// body returns the text of a graph around a line of its body.
func body(line string) string {
	return "func f(%x: f32[2,3], %y: i32[3]) {\n" + line + "\nreturn %x\n}\n"
}

func TestParseErrors(t *testing.T) {
	cases := []struct{ text, want string }{
		{"", `1:1: found the end of the text, want "func"`},
		{"fun f() {}", `1:1: found "fun", want "func"`},
		{"func f(%x f32[]) {", `1:11: found "f32", want ":"`},
		{"func f(%x: f32[2) {", `1:17: found ")", want "," or "]"`},
		{"func f(%x: f32[-2]) {\nreturn\n}", `1:12: shape [-2]: extent -2 of axis 0 is negative`},
		{"func f(%x: f33[2]) {", `1:12: no element type has the name "f33"`},
		{"func f(%x: qi8[2]) {", `1:12: no element type has the name "qi8"`},
		{"func f(%x: f32[], %x: f32[]) {", `1:19: the parameter %x exists already`},
		{fmt.Sprintf("func f(%%x: f32[%d,2]) {", math.MaxInt), fmt.Sprintf("1:12: shape [%d 2]: the product of its extents passes", math.MaxInt)},
		{"func f(%x: f32[99999999999999999999]) {", `1:16: extent "99999999999999999999"`},
		{"func f(%x: f32[2] {2,1}:{1}+0) {", `1:19: a layout of 2 extents and 1 strides`},
		{"func f() { return }", `1:12: found "return", want the end of the line`},
		{"func f() {\nreturn\n}\nfunc", `4:1: found "func", want the end of the text`},
		{body("%0 = nag %x : f32[2,3]"), `2:6: no operation has the name "nag"`},
		{body("%0 = param : f32[2,3]"), `2:6: no operation has the name "param"`},
		{body("%0 = neg %x : f32[2,3]\n%0 = neg %x : f32[2,3]"), `3:1: the value %0 exists already`},
		{body("%0 = neg %0 : f32[2,3]"), `2:10: %0 is not a value that is known here`},
		{body("%0 = neg %z : f32[2,3]"), `2:10: %z is not a value that is known here`},
		{body("%0 = neg %x : f32[2,4]"), `2:15: the type is f32[2,4], want f32[2,3]`},
		{body("%0 = neg %x, %x : f32[2,3]"), `2:6: neg: takes 1 operands, got 2`},
		{body("%0 = neg %x, %x, %x, %x : f32[2,3]"), `2:6: neg: takes 1 operands, got 4`},
		{body("%0 = add %x, %y : f32[2,3]"), `2:6: add: dtypes float32 and int32 differ`},
		{body("%0 = neg %x axis=0 : f32[2,3]"), `2:13: neg has no attribute axis`},
		{body("%0 = flip %x : f32[2,3]"), `2:14: flip wants the attribute axes`},
		{body("%0 = flip %x axes=[0] axes=[0] : f32[2,3]"), `2:23: axes is given twice`},
		{body("%0 = flip %x axes=[0 : f32[2,3]"), `2:22: found ":", want "," or "]"`},
		{body("%0 = flip %x axes=[7] : f32[2,3]"), `2:6: flip: axis 7 is outside rank 2`},
		{body("%0 = flip %x wings=[7] : f32[2,3]"), `2:14: no attribute has the name "wings"`},
		{body("%0 = flip %x axes=[99999999999999999999] : f32[2,3]"), `2:20: the number 99999999999999999999 passes int`},
		{body("%0 = flip %x axes=[" + strings.Repeat("0,", 64) + "0] : f32[2,3]"), `2:148: more than 64 in a list`},
		{body("%0 = const 1.5 : i32[]"), `2:6: 1.5 is not an element of int32`},
		{body("%0 = const 256 : u8[]"), `2:6: 256 is not an element of uint8`},
		{body("%0 = const 1e999 : f64[]"), `2:6: 1e999 is not an element of float64`},
		{body("%0 = const nan:0x1 : f32[]"), `2:6: nan:0x1 is not an element of float32`},
		{body("%0 = const invalid:0x7 : bool[]"), `2:12: found "invalid", want a constant`},
		{body("%0 = const 1 : f32[2]"), `2:6: const: a constant is one element, not of shape [2]`},
		{body("%0 = access %x {4}:{1}+0 : f32[5]"), `2:6: access: layout {4}:{1}+0 has 4 elements and shape [5] has 5`},
		{body("%0 = copy %x note=it : f32[2,3]"), `2:19: found "it", want a string in double quotes`},
		{body("%0 = neg %x"), `2:12: found "\n", want an attribute or a type`},
		{"func f(%x: f32[" + strings.Repeat("(", 2000) + "]) {", `1:16: extent of 2000 characters: at most 1024`},
	}
	for _, c := range cases {
		_, err := ir.Parse(c.text)
		require.Error(t, err, c.text)
		require.Contains(t, err.Error(), c.want, c.text)
		var e *ir.ParseError
		require.ErrorAs(t, err, &e)
		require.Equal(t, strings.Contains(c.want, "found ") && !strings.Contains(c.want, "found value") || strings.Contains(c.want, "wings"), e.Syntax, c.text)
	}
}

// TestParseHostile checks texts that ask for time, memory or depth.
func TestParseHostile(t *testing.T) {
	long := strings.Repeat
	sums := long("(2*a+2*b)/2*(2*c+2*d)/2*", 30) + "n"
	for _, text := range []string{
		"func f(%x: f32[" + long("(", 400) + "n" + long(")/2", 150) + "]) {",
		"func f(%x: f32[" + long("(", 200) + "n" + long(")/2", 200) + "]) {\nreturn\n}",
		"func f(%x: f32[" + sums + "]) {\nreturn\n}",
		"func f(%x: f32[" + long("a+b,", 63) + "a+b]) {\n%0 = reshape %x : f32[" + long("a-b,", 63) + "a+b]\nreturn\n}",
		"func f(%x: f32[" + long("n*", 500) + "n]) {\nreturn\n}",
		"func f(" + long("%x: f32[1],", 10000),
		"func f(%x: f32[" + long("1,", 63) + "1]) {\n%0 = unsqueeze %x axes=[" + long("0,", 63) + "0] : f32[]\nreturn\n}",
		"func f(%x: f32[" + long("1,", 100000) + "1]) {",
		"func " + long(`"`, 100001),
		"func f(%" + long("x", 1<<20),
		"kernel (" + long("u0:f32,", 100000),
		"kernel (u0:f32) {" + long(" t0 = add", 10000),
		"kernel (u0:f32) { store" + long(" u0", 100000) + " }",
		"plan p arena=0 {\n" + long("#", 100000),
		long("\n", 1<<20),
		long("// \n", 1<<18),
	} {
		checkParse(t, text)
	}
}

// checkParse parses a text as each thing that it can be: what parses prints,
// and prints the same when parsed again.
func checkParse(t testing.TB, text string) {
	if f, err := ir.Parse(text); err == nil {
		printed := f.String()
		g, err := ir.Parse(printed)
		require.NoError(t, err, printed)
		require.Equal(t, printed, g.String())
		_ = ir.Verify(f, ir.StageGraph)
		_ = ir.Verify(f, ir.StageViewed)
	}
	if k, err := kernel.ParseKernel(text); err == nil {
		again, err := kernel.ParseKernel(k.String())
		require.NoError(t, err, k.String())
		require.Equal(t, k.String(), again.String())
		k.Canonical()
	}
	if p, err := plan.ParsePlan(text); err == nil {
		printed := p.String()
		q, err := plan.ParsePlan(printed)
		require.NoError(t, err, printed)
		require.Equal(t, printed, q.String())
		_ = p.Verify()
	}
}

// seeds are texts for the fuzzer to change.
var seeds = []string{
	body("%0 = slice %x axis=0 begin=1 step=-1 : f32[2,3] // main.go:12"),
	body("%0 = const -1.5e-07 : f32[]\n%1 = add %x, %0 : f32[2,3]"),
	body("%0 = access %x {3}:{-1}+2 : f32[3]\n%1 = copy %0 note=\"why\" : f32[3]"),
	"func (%\"a b\": f32[2*n,(n+1)/2] {1,1}:{0,0}-0) {\n  return\n}\n",
	"kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = const:f32:3f800000; t2 = cast:i32 t0; store t2 t1 }",
	planText,
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkParse(t, text) })
}

// TestParseCuts parses every beginning of the seeds, and each with a byte
// changed.
func TestParseCuts(t *testing.T) {
	for _, s := range seeds {
		checkParse(t, s)
		for i := range s {
			checkParse(t, s[:i])
			for _, c := range "\x00\n%]\"9" {
				checkParse(t, s[:i]+string(c)+s[i+1:])
			}
		}
	}
}
