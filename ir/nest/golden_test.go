package nest_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/nest"
)

var update = flag.Bool("update", false, "rewrite the programs in testdata as String prints them")

// programs returns the archives in testdata by name: a graph, and a program that
// computes it.
func programs(t testing.TB) map[string]*txtar.Archive {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		require.NoError(t, err)
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = a
	}
	return all
}

func parse(t testing.TB, text string) *nest.Program {
	p, err := nest.Parse(text)
	require.NoError(t, err, text)
	return p
}

// TestPrograms checks that each program in testdata is as it prints, verifies, is of the
// grammar, and computes in any order what its graph says.
func TestPrograms(t *testing.T) {
	for name, a := range programs(t) {
		t.Run(name, func(t *testing.T) {
			text := string(a.Files[1].Data)
			p := parse(t, text)
			if *update {
				a.Files[1].Data = []byte(p.String())
				require.NoError(t, os.WriteFile("testdata/"+name+".txtar", txtar.Format(a), 0o644))
				return
			}
			require.Equal(t, text, p.String(), "after a change that is meant, run: go test ./ir/nest -update")
			irtest.RequireInGrammar(t, text)
			require.NoError(t, p.Verify())
			f, err := ir.Parse(string(a.Files[0].Data))
			require.NoError(t, err)
			arrays := randomInputs(t, f)
			want, err := eval.Eval(f, arrays)
			require.NoError(t, err)
			for _, options := range [][]nest.Option{nil, {nest.Shuffled(1)}, {nest.Shuffled(2)}} {
				got, err := eval.Nests(p, arrays, options...)
				require.NoError(t, err)
				require.Len(t, got, len(want))
				for i := range want {
					require.Equal(t, want[i].Data, got[i].Data)
				}
			}
		})
	}
}

// randomInputs returns inputs of a graph.
func randomInputs(t testing.TB, f *ir.Func) (arrays []eval.Array) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, param := range f.Params {
		shape, known := param.Type.Shape.Ints()
		require.True(t, known)
		x := eval.Array{DType: param.Type.DType, Shape: shape}
		n := 1
		for _, e := range shape {
			n *= e
		}
		for range n {
			x.Data = append(x.Data, ir.FromFloat(x.DType, math.Abs(random.NormFloat64())))
		}
		arrays = append(arrays, x)
	}
	return arrays
}
