package passes

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "rewrite the expected stages in testdata")

// TestStages compares each stage of the graphs in testdata with what is
// expected. A file holds the graph, then the text after each pass that changed
// it, the plan and its ledger.
func TestStages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			a := txtar.Parse(want)
			require.Equal(t, "graph", a.Files[0].Name)
			got := &txtar.Archive{Comment: a.Comment, Files: a.Files[:1:1]}
			f, err := ir.Parse(string(a.Files[0].Data))
			require.NoError(t, err)
			last := string(a.Files[0].Data)
			_, err = Lower(f, Options{Verify: true, Observe: func(stage string, text func() string) {
				if s := text(); s != last && stage != "graph" {
					got.Files = append(got.Files, txtar.File{Name: stage, Data: []byte(s)})
					last = s
				}
			}})
			if err != nil {
				got.Files = append(got.Files, txtar.File{Name: "error", Data: fmt.Appendln(nil, err)})
			}
			text := txtar.Format(got)
			if *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
				return
			}
			require.Equal(t, string(want), string(text), "after a change that is meant, run: go test ./passes -update")
		})
	}
}
