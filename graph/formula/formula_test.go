package formula_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// inputs are some that mistakes are made with.
func inputs() map[string]graph.Node {
	return map[string]graph.Node{
		"a": graph.Input("a", graph.Float32, 3, 4), "b": graph.Input("b", graph.Float32, 5),
		"n": graph.Input("n", graph.Uint8, 4), "s": graph.Input("s", graph.Float32, graph.Dim("rows"), 4),
		"mask": graph.Input("mask", graph.Bool, 3, 4), "i": graph.Input("i", graph.Int64, 2),
		"beta": graph.Input("beta", graph.Float64),
	}
}

// TestMistakes compares the messages of formulas that are wrong with a golden file.
func TestMistakes(t *testing.T) {
	const golden = "testdata/mistakes.txt"
	file, err := os.ReadFile(golden)
	require.NoError(t, err)
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(file)), "\n\n") {
		text, _, _ := strings.Cut(block, "\n")
		_, err := formula.Parse(text, inputs())
		var e *formula.Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, "formula_test.go", e.Pos.String()[:15])
		e.Pos = graph.Pos{}
		fmt.Fprintf(&out, "%s\n%v\n\n", text, e)
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
	}
	require.Equal(t, strings.TrimSpace(string(file)), strings.TrimSpace(out.String()), "-update writes it")
}

// TestCaret checks the place of the caret below long lines, several lines, tabs and
// characters of several bytes.
func TestCaret(t *testing.T) {
	for text, below := range map[string]string{
		"a +\n\tb * c":                        "\t\tb * c\n\t\t    ^",
		"'é' + a":                             "\t'é' + a\n\t^",
		strings.Repeat("a + ", 50) + "c + a":  "c + a\n\t" + strings.Repeat(" ", 60) + "^",
		"c" + strings.Repeat(" + a", 50) + "": "\n\t^",
		"a\r\n+ c":                            "\t+ c\n\t  ^",
		"é":                                   "\té\n\t^",
		"a + \xff":                            "\ta + ?\n\t    ^",
		"a[000, 'x'":                          "\n\t  ^",
	} {
		_, err := formula.Parse(text, map[string]graph.Node{"a": graph.Input("a", graph.Float32, 5), "b": graph.Input("b", graph.Float32, 5)})
		require.ErrorContains(t, err, below)
	}
	var e *formula.Error
	_, err := formula.Parse("a +\n  c", inputs())
	require.True(t, errors.As(err, &e))
	require.Equal(t, 3, e.Column())
}

// TestDepth checks that nesting is bounded, and that length is not.
func TestDepth(t *testing.T) {
	for _, nested := range []string{"(", "[", "-", "~", "a[", "a**", "sqrt(", "a+(", "where(a,", "not ", "a.sum(", "np.", "numpy."} {
		_, err := formula.Parse(strings.Repeat(nested, 100_000)+"a", inputs())
		require.Error(t, err)
		require.Less(t, len(err.Error()), 500)
	}
	_, err := formula.Parse(strings.Repeat("(", 90)+"a"+strings.Repeat(")", 90), inputs())
	require.NoError(t, err)
	_, err = formula.Parse("a"+strings.Repeat(" + a", 10_000), inputs())
	require.NoError(t, err)
}

// TestNumbers compares arithmetic on numbers alone with what Python gives.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"1.0 // 0.1": 9, "1.0 % 0.1": 0.09999999999999995, "7.0 // 0.7": 10, "7.0 % 0.7": 4.440892098500626e-16,
		"-4.0 % 2.0": 0, "4.0 % -2.0": math.Copysign(0, -1), "-0.0 // 2.0": math.Copysign(0, -1), "5.0 // -inf": -1,
		"-5.0 % inf": math.Inf(1), "inf // 2": math.NaN(), "-7.5 // 2": -4, "-7.5 % 2": 0.5, "1e308 // 1e-10": math.Inf(1),
		"9007199254740993 == 9007199254740992.0": 0, "9007199254740993 > 9007199254740992.0": 1,
		"2 == 2.0": 1, "9223372036854775807 < inf": 1, "nan != 1": 1, "nan == nan": 0, "True == 1.0": 1,
	} {
		y, err := formula.Parse(text, nil)
		require.NoError(t, err, text)
		p, err := graph.Compile(y.Cast(graph.Float64))
		require.NoError(t, err, text)
		out, err := p.Run(t.Context())
		require.NoError(t, err, text)
		got, err := graph.Data[float64](out)
		require.NoError(t, err, text)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got[0]), text)
	}
}

// TestSymbolic parses a formula of an input whose size is known when the program runs.
func TestSymbolic(t *testing.T) {
	y, err := formula.Parse("(s[1:] - s[:-1]).sum(0) / 2", inputs())
	require.NoError(t, err)
	p, err := graph.Compile(y)
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Of([]float32{1, 2, 3, 4, 5, 6, 7, 9}, 2, 4))
	require.NoError(t, err)
	require.True(t, graph.Equal(out, graph.Of([]float32{2, 2, 2, 2.5}, 4)))
}

// TestInputs passes Nodes that are no inputs, or carry a mistake.
func TestInputs(t *testing.T) {
	a := graph.Input("a", graph.Float32, 3)
	y, err := formula.Parse("twice - pi", map[string]graph.Node{"twice": a.Mul(2), "pi": a})
	require.NoError(t, err)
	require.Equal(t, a.Shape(), y.Shape())
	for _, bad := range []graph.Node{{}, a.Index(0, 7)} {
		_, err = formula.Parse("a + bad", map[string]graph.Node{"a": a, "bad": bad})
		require.ErrorContains(t, err, "\ta + bad\n\t    ^")
	}
}

// others calls the functions that NumPy has not, and those of this library's types.
var others = []string{
	"rsqrt(a)", "erf(a)", "erfc(a)", "sigmoid(a)", "logit(a)", "relu(a)", "silu(a)", "softplus(a)", "softsign(a)", "gelu(a)",
	"gelu_tanh(a)", "mish(a)", "selu(a)", "hard_swish(a)", "leaky_relu(a)", "elu(a, 2)", "celu(a, alpha=2)", "fma(a, a, 2)",
	"lerp(a, a, 0.5)", "add_saturate(n, n)", "sub_saturate(n, 1)", "bit_length(n)", "view(a, int32)", "cummin(a, 0)", "cummax(a, 1)",
	"softmax(a, axis=1)", "softmax(a)", "log_softmax(a, 0)", "logsumexp(a, -1)", "norm(a)", "nanmedian(a, 0)", "searchsorted(b, a)",
	"take_along_axis(a, argsort(a, 1), 1)", "materialize(a) + 1", "float_power(n, 2)", "a.matrix_transpose()",
}

// TestEveryOperation checks that each elementwise, reducing and scanning operation of the op
// table is used by some formula of the tests.
func TestEveryOperation(t *testing.T) {
	file, err := os.ReadFile("testdata/numpy.txt")
	require.NoError(t, err)
	used := map[string]bool{}
	note := func(text string, inputs map[string]graph.Node) {
		y, err := formula.Parse(text, inputs)
		require.NoError(t, err, text)
		p, err := graph.Compile(y)
		require.NoError(t, err, text)
		var dump bytes.Buffer
		require.NoError(t, p.Dump(&dump, "graph"))
		for _, word := range strings.Fields(dump.String()) {
			used[word] = true
		}
	}
	for _, text := range others {
		note(text, inputs())
	}
	nodes := map[string]graph.Node{}
	for line := range strings.Lines(string(file)) {
		if fields := strings.Fields(line); fields[0] == "in" {
			nodes[fields[1]] = graph.Input(fields[1], dtypes[fields[2]], parseExpected(t, strings.Join(fields[2:], " ")).shape)
			continue
		}
		text, _, _ := strings.Cut(line, "\t")
		note(text, nodes)
	}
	internal := map[ir.Op]string{
		ir.OpCopy: "x itself", ir.OpUnlikely: "select, by what is likely", ir.OpReduceChunks: "of the compiler",
		ir.OpMulHalves: "of products of bytes", ir.OpDotHalves: "of products of bytes", ir.OpHalves: "of products of bytes", ir.OpDotBytes: "of products of bytes", ir.OpConvHalves: "of products of bytes",
		ir.OpConv:        "not of NumPy",
		ir.OpSignificand: "half of frexp", ir.OpExponent: "half of frexp", ir.OpLdexp: "of a significand",
		ir.OpAllBits: "not of NumPy", ir.OpAnyBits: "not of NumPy", ir.OpXorBits: "not of NumPy",
	}
	for _, op := range ir.Ops() {
		switch op.Info().Kind {
		case ir.Lane, ir.Composed, ir.Reduce, ir.Scan, ir.Contract:
			require.True(t, used[op.String()] || internal[op] != "", "no formula uses %s", op)
		}
	}
}

// FuzzParse parses text of all kinds: it is a Node that compiles, or an error at a place of
// the text.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/numpy.txt", "testdata/mistakes.txt"} {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		for line := range strings.Lines(string(text)) {
			text, _, _ := strings.Cut(line, "\t")
			f.Add(text)
		}
	}
	for _, text := range others {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		y, err := formula.Parse(text, inputs())
		if err == nil {
			require.NoError(t, y.Err())
			_, _ = graph.Compile(y)
			return
		}
		var e *formula.Error
		require.ErrorAs(t, err, &e)
		require.GreaterOrEqual(t, e.Offset, 0)
		require.LessOrEqual(t, e.Offset, len(text))
		require.Positive(t, e.Column())
		_ = e.Error()
	})
}
