package schedule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestOtherExpressions changes nests of testdata such that they still verify, but compute by
// other expressions: CheckTranslation finds each.
func TestOtherExpressions(t *testing.T) {
	for _, c := range []struct {
		name, file string
		changes    []string // old and new text in turns
	}{
		{"chunks of a product in another order", "matmul_chunked", []string{
			"for [256/16, 128/16]", "for [88/16, 128/16]", "$1{128,16384,16}+0/1024", "$1{128,16384,16}+524288/1024", "pairs=256", "pairs=88", "$0{0,0}+0/600", "$0{0,0}+512/600",
			"[344/256]", "[512/256]", "$1{128,262144,16384,16}+262144/1024", "$1{128,262144,16384,16}+0/1024", "$0{0,256,0}+256/600", "$0{0,256,0}+0/600"}},
		{"rows of a lane in another order", "column-reduction_tiling", []string{"$0{48,6400}+6400/200", "$0{48,-6400}+12800/200"}},
		{"lanes that are combined with others", "column-reduction_tiling", []string{
			"rows=16 cols=of(0)\n        $2{0}+0/48 $2{0}+768/48 -> $2{0}+0/48", "rows=16 cols=of(0)\n        $2{0}+0/48 $2{0}+1488/-48 -> $2{0}+0/48"}},
		{"a lane that is added twice", "column-reduction_packed", []string{"rows=1 cols=100\n        $4{0}+0/100 $4{0}+100/100", "rows=1 cols=100\n        $4{0}+0/100 $4{0}+0/100"}},
		{"the carry of the next chunk", "row-scan_chunks", []string{"$5{0,0}+0/1 $8{0,0}+0/1040", "$5{0,0}+1/1 $8{0,0}+0/1040"}},
		{"chunks that are never scanned again", "row-scan_chunks", []string{"chunks=of(1)", "chunks=0"}},
		{"the carry of another chunk", "row-scan_parallel", []string{"$2{8256}+0/1032 $1{8}+0/1 ->", "$2{8256}+0/1032 $1{8}+1/1 ->"}},
		{"a block that begins without a carry", "row-scan_parallel_blocks", []string{"$1{}+152/1 -> $1{}+153/1", "$1{}+0/1 -> $1{}+153/1"}},
		{"a line of which elements are left out", "row-reduction_chunks", []string{"rows=4 cols=1024\n        $0{4100}+0/1024", "rows=4 cols=1024\n        $0{4100}+0/0"}},
		{"a line that is counted twice", "row-reduction_count", []string{"$0{32768,1024}+0/1024", "$0{32768,0}+0/1024"}},
		{"another element", "elementwise_whole", []string{"$1{1,0}+0/1", "$1{0,0}+0/1"}},
		{"another op", "row-reduction_tiling", []string{"t2 = exp t1; store t2 }\n          rows", "t2 = exp2 t1; store t2 }\n          rows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", c.file+".txtar"))
			require.NoError(t, err)
			a := txtar.Parse(text)
			p, err := plan.ParsePlan(string(a.Files[0].Data))
			require.NoError(t, err)
			changed := string(a.Files[len(a.Files)-1].Data)
			for i := 0; i < len(c.changes); i += 2 {
				require.Equal(t, 1, strings.Count(changed, c.changes[i]), c.changes[i])
				changed = strings.Replace(changed, c.changes[i], c.changes[i+1], 1)
			}
			n, err := nest.Parse(changed)
			require.NoError(t, err)
			require.NoError(t, n.Verify())
			require.ErrorContains(t, eval.CheckTranslation(p, n, randomInputs(p)), "is not computed by the expression")
		})
	}
}
