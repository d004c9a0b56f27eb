package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/passes"
)

// textStages are the kinds of text that a FILE may be: a column of the table in docs/tool.md each.
var textStages = []struct{ name, stage string }{{"graph", "graph"}, {"graph between passes", "views"}, {"plan", "plan"}, {"schedule", "schedule"}}

// stageTable lists which command takes which stage. A command that does not take a stage says why, in one sentence.
func stageTable(t *testing.T) string {
	const text = "func f(%x: f32[n,300], %y: f32[300]) {\n  %0 = mul %x, %y : f32[n,300]\n  %1 = sum %0 axes=[1] : f32[n]\n  return %1\n}\n"
	dump, _ := sections(runCommand(t, text, "passes", "-", "-size", "n=8"))
	dump["graph"] = text
	dir := t.TempDir()
	files := []string{"-in", "x=" + save(t, dir, "x", graph.Ones(graph.Float32, 8, 300)), "-in", "y=" + save(t, dir, "y", graph.Ones(graph.Float32, 300))}
	job := append(slices.Clone(files), "-state", dir, "-out", dir+"/out.npy")
	more := map[string][]string{
		"run": files, "bench": {"-runs", "1", "-size", "n=8"}, "bisect": {"-size", "n=8"}, "html": {"-out", dir + "/page.html"},
		"shard": append([]string{"-range", "0/1"}, job...), "merge": append([]string{"-ranges", "1"}, job...),
	}
	head, rule, rows, notes := "| command |", "|---|", "", ""
	for _, s := range textStages {
		head, rule = head+" "+s.name+" |", rule+"---|"
	}
	for _, c := range commands {
		if c.arg != "FILE" {
			continue
		}
		rows += fmt.Sprintf("| `%s` |", c.name)
		for _, s := range textStages {
			args := append([]string{c.name, "-"}, more[c.name]...)
			if i := slices.Index(args, "-size"); i >= 0 && s.stage != "graph" { // the others have the size already
				args = slices.Delete(args, i, i+2)
			}
			o := tryCommand(t.Context(), dump[s.stage], passes.Default, args...)
			if o.code == 0 {
				rows += " yes |"
				continue
			}
			rows += " |"
			parts := regexp.MustCompile(`(?s)stridefuse: - is a .*: (.*): give the text of the stage graph\n$`).FindStringSubmatch(o.err)
			require.Len(t, parts, 2, "%s of %s: %s", c.name, s.name, o.err)
			if note := fmt.Sprintf("- `%s`: %s.\n", c.name, parts[1]); !strings.Contains(notes, note) {
				notes += note
			}
		}
		rows += "\n"
	}
	return head + "\n" + rule + "\n" + rows + "\nWhy not:\n\n" + notes
}
