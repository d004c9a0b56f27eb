package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrint(t *testing.T) {
	var b strings.Builder
	all := table{peers: []string{"NEON", "C++"}, titles: []string{"W1-add 64K"}, counts: map[string][]float64{"W1-add 64K": {85_560, 114_080}}}
	all.print(&b)
	require.Equal(t, "| workload | NEON | C++ | NEON / C++ |\n|---|---|---|---|\n| W1-add 64K | 85.6 | 114 | 0.75 |\n", b.String())
}

// TestTitles has one size of each workload.
func TestTitles(t *testing.T) {
	counted := regexp.MustCompile(titles)
	for title, want := range map[string]bool{
		"W4-exp 64K": true, "W4-exp 16M": false, "W10-sum 256x256": true, "W10-sum 4096x4096": false, "W13-cumsum 64K": true, "W13-cumsum 1M": false,
		"W14-matmul 512": true, "W14-matmul 1024": false, "W14-matmul+bias+gelu 1024": true, "W17-overhead 16": true, "D3-concat 3x4M": true,
		"D4-sort 1000x1000": true, "D4-sort 10M": false, "D6-histogram 16M": true, "H3-complex 64K": false,
	} {
		require.Equal(t, want, counted.MatchString(title), title)
	}
}

// TestErrors: a program that cannot be built is an error.
func TestErrors(t *testing.T) {
	require.ErrorContains(t, (&table{}).count(0, peer{"none", []string{"go", "build", "-o", "OUT", "./none"}, cxxArguments}, t.TempDir(), "", "."), "exit status")
	require.ErrorContains(t, run([]string{"-nonsense"}, &strings.Builder{}), "not defined")
}
