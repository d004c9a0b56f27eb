package graph_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

var updateExplain = flag.Bool("update-explain", false, "of TestExplainAnswers: rewrite testdata/explain")

// explainQuestions are what users ask, with the reading that docs/explain.md gives: which rows of Explain answer.
var explainQuestions = []struct {
	ask  string
	read func(rows []explainRow) []string
}{
	{"What would be faster?", byHeading("hint")},
	{"Why was a value stored?", byHeading("materialized", "staged")},
	{"Which step is hot?", hottest},
	{"Which kernels ran in it?", kernelsOfHottest},
	{"What is packed or copied in each run?", func(rows []explainRow) []string {
		return append(containing(rows, "step", "packed ("), byHeading("copied")(rows)...)
	}},
	{"What runs once for all runs?", byHeading("once")},
	{"What was fused, and what does that spare?", byHeading("fused")},
	{"What is computed more than once?", byHeading("recomputed")},
	{"How far is it from the least traffic?", byHeading("moves")},
	{"May an output be computed in place of an input?", byHeading("inplace")},
}

// explainRow is a row of Explain: its heading and its text without the position.
type explainRow struct{ about, text string }

var explainHeading = regexp.MustCompile(`^  (step \d+|\S+|      ) +(.*)$`)

func explainRows(text string) (rows []explainRow) {
	for l := range strings.Lines(text) {
		if m := explainHeading.FindStringSubmatch(strings.TrimRight(l, "\n")); m != nil {
			said, _, _ := strings.Cut(m[2], " // ")
			rows = append(rows, explainRow{strings.TrimSpace(m[1]), strings.TrimSpace(said)})
		}
	}
	return rows
}

func byHeading(headings ...string) func(rows []explainRow) []string {
	return func(rows []explainRow) (said []string) {
		for _, r := range rows {
			if slices.Contains(headings, r.about) {
				said = append(said, r.about+" "+r.text)
			}
		}
		return said
	}
}

func containing(rows []explainRow, heading, what string) (said []string) {
	for _, r := range rows {
		if strings.HasPrefix(r.about, heading) && strings.Contains(r.text, what) {
			said = append(said, r.about+" "+r.text)
		}
	}
	return said
}

// hot returns the index of the row of the step with the greatest share, which stands in the row behind it.
func hot(rows []explainRow) int {
	best, most := -1, -1.0
	for i, r := range rows {
		if i+1 == len(rows) || !strings.HasPrefix(r.about, "step ") {
			continue
		}
		share, err := strconv.ParseFloat(strings.Trim(rows[i+1].about, "<%"), 64)
		if err == nil && share > most {
			best, most = i, share
		}
	}
	return best
}

func hottest(rows []explainRow) []string {
	i := hot(rows)
	return []string{fmt.Sprintf("%s, %s: %s", rows[i].about, rows[i+1].about, rows[i].text)}
}

func kernelsOfHottest(rows []explainRow) (said []string) {
	for _, r := range rows[hot(rows)+1:] {
		if strings.HasPrefix(r.about, "step ") {
			break
		}
		if strings.HasPrefix(r.text, "calls ") || len(said) == 0 {
			said = append(said, r.text)
		}
	}
	return said
}

// explainAnswers has, for each question in order, a word of the right answer for each graph, found from the plan, the
// schedule or the graph by hand; "" if there is nothing to tell.
var explainAnswers = map[string][]string{
	"chain":   {"genkernels: step 0 calls", "", "step 0, 100%", "tanh", "1 operand packed (x)", "", "tanh", "", "inputs and outputs once each", "chain can be computed in place of y"},
	"picture": {"order: apply cast, div after concat", "scan goes along whole lines", "step 9", "exp", "the graph asks for it", "", "cast", "div x8", "temporaries take", ""},
	"average": {"as Go code", "step 1 stores it for step 2 (max)", "step 0", "select", "", "", "sub", "", "temporaries take", ""},
	"layer":   {"depends on w only", "it is a product", "a product [200,", "dot f32", "step 0 packs w for step 1", "of const0", "sub", "", "moves", ""},
	"encoder": {"genkernels", "dot x84", "a product [128,256] x [256,1024]", "dot f32", "(the result of step", "72 steps of constants", "add x", "", "temporaries take 1.5 MiB", "x can be computed in place of x"},
}

// TestExplainAnswers asks ten questions about five graphs, and takes the answers from Explain alone. The golden files have
// Explain's text and the answers; they are those of AVX2 and one worker.
func TestExplainAnswers(t *testing.T) {
	if jit.Off() != nil {
		t.Skipf("the hint about generated kernels names the run-time tier: %v", jit.Off())
	}
	for _, g := range explainedGraphs {
		p, err := graph.Compile(append(g.outputs(), graph.WithName(g.name), graph.WithWorkers(1), graph.WithDebug(graph.AVX2))...)
		require.NoError(t, err)
		text := p.Explain()
		require.LessOrEqual(t, strings.Count(text, "\n"), 90, "%s does not fit a screen", g.name)
		rows := explainRows(text)
		for k, q := range explainQuestions {
			said, want := q.read(rows), explainAnswers[g.name][k]
			text += "\n" + q.ask + "\n"
			if len(said) == 0 {
				require.Empty(t, want, "%s: %s", g.name, q.ask)
				said = []string{"nothing"}
			} else {
				require.Contains(t, strings.Join(said, "\n"), cmp.Or(want, "no answer is expected"), "%s: %s", g.name, q.ask)
			}
			for _, s := range said {
				text += "  " + s + "\n"
			}
		}
		file := filepath.Join("testdata", "explain", g.name+".txt")
		if *updateExplain {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), text, "after a change that is meant, run: go test ./graph -run ExplainAnswers -update-explain")
	}
}

// TestExplainStep: a step in full names the first condition that each other strategy lacks, with its numbers.
func TestExplainStep(t *testing.T) {
	x, w := f32("x", 12, 300), graph.Const(graph.Uniform(graph.Float32, 1, 0, 1, 300, 400))
	p, err := graph.Compile(x.MatMul(w), graph.WithWorkers(1))
	require.NoError(t, err)
	text := p.ExplainStep(0)
	require.Regexp(t, `(?m)^  not     matmul-rows: 12 rows, takes at most 8$`, text)
	require.Regexp(t, `(?m)^  reads   x float32\[12 300\], strides \[`, text)
	require.Regexp(t, `(?m)^  stores  out0 float32\[12 400\]`, text)
	require.Regexp(t, `(?m)^  calls   dot f32$`, text)
	require.NotContains(t, p.Explain(), "  not     ", "only on request")
	require.NotContains(t, text, "row group")
	require.Contains(t, p.ExplainStep(1), "there is no step 1")
	require.Contains(t, (*graph.Program)(nil).ExplainStep(0), "there is no step 0")
}

// TestExplainStepOfGroup: a step of a row group lists its own kernels, not those of the group.
func TestExplainStepOfGroup(t *testing.T) {
	p, err := graph.Compile(f32("x", 512, 1000).Softmax(1), graph.WithWorkers(1))
	require.NoError(t, err)
	text := p.ExplainStep(1)
	require.Equal(t, 1, strings.Count(text, "\n  calls   "))
	require.Regexp(t, `(?m)^  calls   reduce \[_, add\] kernel `, text)
}

// TestStoredFor: what steps store is named after the decisions about them, or after the only one about no step.
func TestStoredFor(t *testing.T) {
	permute := graph.Decision{Kind: plan.Copied, Op: ir.OpPermute, Step: -1}
	concat := graph.Decision{Kind: plan.Materialized, Op: ir.OpConcat, Step: 4}
	other := graph.Decision{Kind: plan.Copied, Op: ir.OpReshape, Step: -1}
	sum := graph.Decision{Kind: plan.Materialized, Op: ir.OpAdd, Step: 4}
	for _, c := range []struct {
		want   string
		ledger []graph.Decision
	}{
		{"concat", []graph.Decision{concat, permute, sum}},
		{"permute", []graph.Decision{sum, permute}},
		{"copy", []graph.Decision{permute, sum, other}},
		{"copy", []graph.Decision{sum}},
	} {
		what, _ := graph.StoredFor(c.ledger, []int{3, 4})
		require.Equal(t, c.want, what)
	}
}
