package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// output runs the program.
func output(t *testing.T, args ...string) string {
	var out strings.Builder
	require.NoError(t, run(args, &out), args)
	return out.String()
}

// TestList finds every workload in the README's table, and the other way round;
// the functions are one row.
func TestList(t *testing.T) {
	listed := map[string]bool{}
	for line := range strings.Lines(output(t, "-list")) {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(name, "fn-") {
			name = "fn-NAME"
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

// TestLines measures the two smallest workloads. Each line has the fields that
// the README's example has, and no others.
func TestLines(t *testing.T) {
	var lines []map[string]any
	for line := range strings.Lines(output(t, "-only", "^(W17-overhead|compile-chain5) 16$")) {
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

// TestGrids builds the graphs of the reductions.
func TestGrids(t *testing.T) {
	for _, g := range grids() {
		require.NoError(t, g.node().Err(), "%s %s", g.name, g.size)
	}
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
		"-threads 0: at least 1":                            {"-threads", "0"},
		"-only: error parsing regexp":                       {"-only", "("},
		`-only "W99" matches no workload: -list shows them`: {"-only", "W99"},
		"flag provided but not defined":                     {"-nonsense"},
		`unexpected argument "W1"`:                          {"W1"},
		"invalid value":                                     {"-threads", "many"},
	} {
		var out strings.Builder
		require.ErrorContains(t, run(args, &out), want)
		require.Empty(t, out.String())
	}
}
