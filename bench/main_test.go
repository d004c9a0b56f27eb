package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// output runs the program.
func output(t *testing.T, args ...string) string {
	var out strings.Builder
	require.NoError(t, run(args, &out), args)
	return out.String()
}

// TestList checks that the README's table has every workload and no other; the functions are one row.
func TestList(t *testing.T) {
	listed := map[string]bool{}
	for line := range strings.Lines(output(t, "-list", "-only", ".")) {
		name, _, _ := strings.Cut(line, " ")
		if kind, _, many := strings.Cut(name, "-"); many && (kind == "fn" || kind == "unseen") {
			name = kind + "-NAME"
		}
		listed[name] = true
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(readme), "| workload | sizes | what |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string]bool{}
	for row := range strings.Lines(table) {
		told[strings.TrimSpace(strings.Split(row, "|")[1])] = true
	}
	require.Equal(t, told, listed)
	require.Equal(t, "W2-chain5 1K\nW2-chain5 64K\nW2-chain5 16M\n", output(t, "-list", "-only", "^W2"))
}

// TestLines measures the two smallest workloads. Each line has exactly the fields of the README's example.
func TestLines(t *testing.T) {
	var lines []map[string]any
	for line := range strings.Lines(output(t, "-note", ".", "-only", "^(W17-overhead|compile-chain5) 16$")) {
		fields := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &fields), line)
		lines = append(lines, fields)
	}
	require.GreaterOrEqual(t, len(lines), 4)
	for _, l := range lines {
		require.Equal(t, "stridefuse", l["peer"])
		require.Equal(t, "16", l["size"])
		require.Equal(t, 1.0, l["threads"])
		require.Positive(t, l["ns_per_call"])
		require.GreaterOrEqual(t, l["ns_median"], l["ns_per_call"])
	}
	last := lines[len(lines)-1]
	require.Equal(t, "compile-chain5", last["workload"])
	require.NotContains(t, last, "unit", "it has no rate")

	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for line := range strings.Lines(string(readme)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "{") {
			example := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(line), &example))
			require.Equal(t, keys(example), keys(lines[0]))
			return
		}
	}
	t.Error("the README has no example of a line")
}

// TestFunctions runs each function's workload once in both tiers.
func TestFunctions(t *testing.T) {
	for _, w := range functions() {
		calls, err := w.prepare(1)
		require.NoError(t, err, w.name)
		for _, c := range calls {
			require.NoError(t, c.run(), "%s: %s", w.name, c.note)
		}
	}
}

// TestGridsHaveKernels compiles the programs of fixed sizes. Loops of graphs in package formula have generated kernels,
// as the lines' notes say; others use built-in ones.
func TestGridsHaveKernels(t *testing.T) {
	for _, g := range allGrids() {
		require.NoError(t, g.build().Err(), "%s %s", g.name, g.size)
		if !g.tiling {
			continue
		}
		for _, opts := range [][]graph.Item{{g.build()}, {g.build(), graph.WithFast()}} {
			p, err := graph.Compile(opts...)
			require.NoError(t, err, "%s %s", g.name, g.size)
			require.NotContains(t, p.Explain(), ": elementwise/tiling of", "%s %s: run go generate ./...", g.name, g.size)
		}
	}
}

// TestValues checks the results of all ways of running the small workloads. The
// others are checked whenever they are measured.
func TestValues(t *testing.T) {
	small := regexp.MustCompile("^W.* (16|1K|64K|256x256|64x128|256x64x64)$")
	for _, w := range workloads {
		if !small.MatchString(w.name + " " + w.size) {
			continue
		}
		calls, err := w.prepare(1)
		require.NoError(t, err, w.name)
		for _, c := range calls {
			if c.check != nil {
				require.NoError(t, c.check(), "%s %s, %s", w.name, w.size, c.note)
			}
		}
	}
	require.NoError(t, check(t, image(6, 9)))
	require.NoError(t, check(t, distances(5, 8)))
	require.NoError(t, check(t, mandelbrot(40)))
}

// check runs a grid's program and checks the result.
func check(t *testing.T, g grid) error {
	calls, err := g.calls(2)
	require.NoError(t, err)
	return calls[0].check()
}

// TestWrongValues: a workload with a wrong result is not measured.
func TestWrongValues(t *testing.T) {
	g := distances(5, 8)
	g.build = func() graph.Node { return formula.Distances(5, 8).Mul(1.001) }
	require.ErrorContains(t, check(t, g), "wrong: element 0 is ")
	g = image(6, 9)
	g.build = func() graph.Node { return formula.Image(6, 9).Add(2) }
	require.ErrorContains(t, check(t, g), "wrong: element 0 is ")
}

// TestShort times one call.
func TestShort(t *testing.T) {
	var r Result
	require.NoError(t, json.Unmarshal([]byte(output(t, "-short", "-only", "W17", "-note", "tiling")), &r))
	require.Equal(t, "tiling", r.Note)
	require.Equal(t, r.Best, r.Median)
}

// TestCount reads the number of instructions from a file, which here does not change.
func TestCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counted")
	require.NoError(t, os.WriteFile(path, make([]byte, 8), 0o600))
	var r Result
	require.NoError(t, json.Unmarshal([]byte(output(t, "-count", path, "-only", "W17", "-note", "bound")), &r))
	require.NotNil(t, r.Instructions)
	require.Zero(t, *r.Instructions)
	require.Zero(t, r.Best)
	require.ErrorContains(t, run([]string{"-count", path + "none", "-only", "W17"}, io.Discard), "none")
}

func keys(m map[string]any) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

func TestBadFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"-threads 0: at least 1":                                    {"-threads", "0"},
		"-only: error parsing regexp":                               {"-only", "("},
		"-note: error parsing regexp":                               {"-note", "("},
		`-only "W99" matches no workload: -list -only . shows them`: {"-only", "W99"},
		"flag provided but not defined":                             {"-nonsense"},
		`unexpected argument "W1"`:                                  {"W1"},
		"invalid value":                                             {"-threads", "many"},
	} {
		var out strings.Builder
		require.ErrorContains(t, run(args, &out), want)
		require.Empty(t, out.String())
	}
}

// TestTune checks that each constant has a positive proposal.
func TestTune(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for ten seconds")
	}
	text := output(t, "-tune")
	lines := regexp.MustCompile(`(?m)^([A-Z][.\w]+) +(\S+) +(\S+)  `).FindAllStringSubmatch(text, -1)
	require.GreaterOrEqual(t, len(lines), 11, text)
	for _, l := range lines {
		for _, number := range l[2:] {
			v, err := strconv.ParseFloat(number, 64)
			require.NoError(t, err)
			require.Positive(t, v, text)
		}
	}
	require.Contains(t, text, "NonTemporalFrom is the least size")
}
