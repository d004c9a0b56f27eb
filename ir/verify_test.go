package ir_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// verifyText checks a text of each kind.
var verifyText = map[string]func(t *testing.T, text string) error{
	"graph":  func(t *testing.T, text string) error { return ir.Verify(parseFunc(t, text), ir.StageGraph) },
	"viewed": func(t *testing.T, text string) error { return ir.Verify(parseFunc(t, text), ir.StageViewed) },
	"plan": func(t *testing.T, text string) error {
		p, err := plan.ParsePlan(text)
		require.NoError(t, err)
		return p.Verify()
	},
}

func parseFunc(t *testing.T, text string) *ir.Func {
	f, err := ir.Parse(text)
	require.NoError(t, err)
	return f
}

var wantError = regexp.MustCompile(`// ERROR "(.*)"`)

// TestVerifyText runs testdata/verify: cases "== name: stage" and a text, whose
// lines say by // ERROR "part of the message" what is wrong with them. There
// must be such an error for each, and no other.
func TestVerifyText(t *testing.T) {
	files, err := filepath.Glob("testdata/verify/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, c := range strings.Split("\n"+string(data), "\n== ")[1:] {
			head, text, _ := strings.Cut(c, "\n")
			name, stage, _ := strings.Cut(head, ": ")
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				require.Contains(t, verifyText, stage)
				checkErrors(t, text, verifyText[stage](t, text))
			})
		}
	}
}

func checkErrors(t *testing.T, text string, err error) {
	var got []string
	if err != nil {
		got = strings.Split(err.Error(), "\n")
	}
	wants := wantError.FindAllStringSubmatch(text, -1)
	for _, w := range wants {
		found := -1
		for i, msg := range got {
			if strings.Contains(msg, w[1]) {
				found = i
			}
		}
		require.GreaterOrEqual(t, found, 0, "no error says %q:\n%s", w[1], strings.Join(got, "\n"))
		got = append(got[:found], got[found+1:]...)
	}
	require.Empty(t, got, "errors that the text does not announce")
}

// TestVerifyLines checks that a message begins with the line that it is about.
func TestVerifyLines(t *testing.T) {
	f := parseFunc(t, "func f(%x: f32[2]) {\n%0 = flip %x axes=[0] : f32[2] // main.go:3\nreturn %0\n}")
	err := ir.Verify(f, ir.StageViewed)
	require.ErrorContains(t, err, "%0 = flip %x axes=[0] : f32[2]: the views pass leaves no flip")
}

// TestVerifyBroken checks graphs that no text can say.
func TestVerifyBroken(t *testing.T) {
	type graph struct {
		*ir.Func
		x, neg, add *ir.Value
	}
	other := (&ir.Func{}).Param("o", ir.Type{DType: F32, Shape: ir.ShapeOf(2)}, nil)
	cases := []struct {
		want  string
		spoil func(g graph)
	}{
		{"operand 0 is not computed before it", func(g graph) { g.Body[0], g.Body[1] = g.Body[1], g.Body[0] }},
		{"operand 0 is not computed before it", func(g graph) { g.neg.Args[0] = g.add }},
		{"operand 1 is not computed before it", func(g graph) { g.add.Args[1] = other }},
		{"operand 1 is not computed before it", func(g graph) { g.add.Args[1] = nil }},
		{"takes 2 operands, got 1", func(g graph) { g.add.Args = g.add.Args[:1] }},
		{"the operands give f32[2]", func(g graph) { g.add.Type.Shape = ir.ShapeOf(3) }},
		{"the operands give f32[2]", func(g graph) { g.add.Type.DType = ir.Int32 }},
		{"the value stands twice", func(g graph) { g.Body = append(g.Body, g.neg) }},
		{"a nil value: stands in the body", func(g graph) { g.Body[1] = nil }},
		{"no value of a body has the op invalid", func(g graph) { g.neg.Op = 200 }},
		{"no value of a body has the op param", func(g graph) { g.neg.Op, g.neg.Args = ir.OpParam, nil }},
		{"result 0 is not a value of the graph", func(g graph) { g.Results[0] = other }},
		{"result 0 is not a value of the graph", func(g graph) { g.Results[0] = nil }},
		{"another parameter has this name", func(g graph) { g.Param("x", g.x.Type, nil) }},
		{"the parameter stands twice", func(g graph) { g.Params = append(g.Params, g.x) }},
		{"the parameter is nil", func(g graph) { g.Params[0] = nil }},
		{"dtype 200 does not exist", func(g graph) { g.Param("h", ir.Type{DType: 200}, nil) }},
		{"extent -1 of axis 0 is negative", func(g graph) { g.Param("h", ir.Type{DType: F32, Shape: ir.ShapeOf(-1)}, nil) }},
		{"the attributes say f32[2]", func(g graph) { g.x.Type.Shape = ir.ShapeOf(3) }},
		{"a layout of 2 extents and 1 strides", func(g graph) { g.x.Attr.At = &layout.Layout{Shape: []int{2, 1}, Strides: []int{1}} }},
		{"0x7 is not an element of bool", func(g graph) { _, _ = g.Add(ir.OpConst, ir.Attr{DType: ir.Bool, Bits: 7}, ir.Pos{}) }},
		{"axis 0: \"1+n\" is no name of a size", func(g graph) { g.Param("h", ir.Type{DType: F32, Shape: ir.Shape{ir.Sym("1+n")}}, nil) }},
	}
	for _, c := range cases {
		f := &ir.Func{Name: "f"}
		x := f.Param("x", ir.Type{DType: F32, Shape: ir.ShapeOf(2)}, nil)
		add := mustAdd(t, f)
		neg := add(ir.OpNeg, ir.Attr{}, x)
		sum := add(ir.OpAdd, ir.Attr{}, neg, x)
		f.Results = []*ir.Value{sum}
		require.NoError(t, ir.Verify(f, ir.StageGraph))
		c.spoil(graph{f, x, neg, sum})
		require.ErrorContains(t, ir.Verify(f, ir.StageGraph), c.want)
	}
	require.Error(t, ir.Verify(nil, ir.StageGraph))
}
