package passes

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/form"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected texts in testdata")

// TestPasses runs single passes on the inputs in testdata and compares the results. A file is named after its pass:
// name.txtar or name_case.txtar. It contains the text of the state before and after the pass. For loops it contains
// the state before fuse, because the groups that fuse makes have no text. Every pass must have a file.
func TestPasses(t *testing.T) {
	lacking, ran := map[string]bool{}, 0
	for _, p := range Default {
		lacking[p.Name] = true
	}
	goldens(t, "testdata/*.txtar", func(t *testing.T, file string, a *txtar.Archive) {
		name, _, _ := strings.Cut(file, "_")
		delete(lacking, name)
		ran++
		k := slices.IndexFunc(Default, func(p Pass) bool { return p.Name == name })
		require.GreaterOrEqual(t, k, 0, "there is no pass %s", name)
		require.Equal(t, "before", a.Files[0].Name)
		a.Files = append(a.Files[:1:1], txtar.File{Name: "after", Data: []byte(passText(t, k, string(a.Files[0].Data)))})
	})
	if files, _ := filepath.Glob("testdata/*.txtar"); ran == len(files) { // else only some were asked for
		require.Empty(t, lacking, "passes without a file: write testdata/NAME.txtar with the text before the pass, and run go test ./passes -update")
	}
}

// passText returns the text of the state after pass k, given the text before it.
func passText(t *testing.T, k int, text string) string {
	s := stateOf(t, text)
	if Default[k].Name == "loops" {
		require.NoError(t, form.Fuse(s))
	}
	require.NoError(t, run(s, Default[k], tuning.Default(1)))
	if len(s.Func.Body) > 0 {
		require.NoError(t, verify(s, Default[k]))
	}
	return s.String()
}

// TestStages lowers the graphs in testdata/pipeline and compares every stage. A file contains the graph, and the text
// after each pass that changes it; the last one is the plan with its ledger.
func TestStages(t *testing.T) {
	goldens(t, "testdata/pipeline/*.txtar", func(t *testing.T, _ string, a *txtar.Archive) {
		require.Equal(t, "graph", a.Files[0].Name)
		last := string(a.Files[0].Data)
		f, err := ir.Parse(last)
		require.NoError(t, err)
		a.Files = a.Files[:1:1]
		_, err = Lower(f, Options{Verify: true, Observe: func(stage string, text func() string) {
			if s := text(); s != last && stage != "graph" {
				a.Files = append(a.Files, txtar.File{Name: stage, Data: []byte(s)})
				last = s
			}
		}})
		if err != nil {
			a.Files = append(a.Files, txtar.File{Name: "error", Data: fmt.Appendln(nil, err)})
		}
	})
}

// goldens calls rewrite with each archive that matches a pattern, and compares the result with the file. With -update
// it writes the file.
func goldens(t *testing.T, pattern string, rewrite func(t *testing.T, file string, a *txtar.Archive)) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			a := txtar.Parse(want)
			rewrite(t, name, a)
			text := txtar.Format(a)
			if *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
				return
			}
			require.Equal(t, string(want), string(text), "after a change that is meant, run: go test ./passes -update")
		})
	}
}
