package schedule

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

var (
	update = flag.Bool("update", false, "rewrite the expected nests in testdata")
	long   = flag.Bool("long", false, "check large nests in testdata too")
)

// TestGolden compares the drafts of strategies with the nests in testdata. A file is
// named after the strategy: name.txtar, or name_case.txtar. It holds a plan of one step,
// the signatures of the kernels that the library lacks, if any, and the nest. That of
// rowGroup holds a plan whose steps are one row group. Every strategy has a file. A line vector=64 in front of the
// plan says how many bytes the vectors of the best kernels have.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	lacking := map[string]bool{rowGroup: true}
	for _, by := range everyStrategy() {
		lacking[by.name] = true
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		by, _, _ := strings.Cut(name, "_")
		delete(lacking, by)
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			a := txtar.Parse(want)
			missing := ""
			if len(a.Files) > 1 && a.Files[1].Name == "missing" {
				missing = string(a.Files[1].Data)
				a.Files = a.Files[:2:2]
			} else {
				a.Files = a.Files[:1:1]
			}
			a.Files = append(a.Files, txtar.File{Name: "nest", Data: []byte(draftText(t, machineOf(t, a), by, string(a.Files[0].Data), missing))})
			text := txtar.Format(a)
			if *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
				return
			}
			require.Equal(t, string(want), string(text), "after a change that is meant, run: go test ./passes/schedule -update")
		})
	}
	require.Empty(t, lacking, "strategies without a file in testdata")
}

// rowGroup is what the files of row groups are named after, for which no strategy is chosen.
const rowGroup = "row-group"

// everyStrategy lists the strategies of all roles.
func everyStrategy() []strategy {
	strategiesOf(plan.Parallel) // fills the table
	return slices.Concat(strategies.byRole[:]...)
}

// machineOf returns the machine of a file: that of tuning, with the vectors that the file says.
func machineOf(t *testing.T, a *txtar.Archive) *tuning.Machine {
	m := tuning.Default(2)
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if bytes, ok := strings.CutPrefix(line, "vector="); ok {
			n, err := strconv.Atoi(bytes)
			require.NoError(t, err)
			m.SetVector(n)
		}
	}
	return m
}

// draftText returns the nest that a strategy makes of a plan of one step, and checks it.
func draftText(t *testing.T, m *tuning.Machine, name, text, missing string) string {
	p, err := plan.ParsePlan(text)
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	lacks := strings.Split(strings.TrimSpace(missing), "\n")
	lib := library(func(signature string) string {
		if slices.Contains(lacks, signature) {
			return ""
		}
		return "avx2"
	})
	if name == rowGroup {
		program, err := Schedule(p, m, lib, Options{})
		require.NoError(t, err)
		require.Len(t, program.Tasks, 1)
		requireTranslation(t, p, program)
		return program.String()
	}
	all := everyStrategy()
	k := slices.IndexFunc(all, func(by strategy) bool { return by.name == name })
	require.GreaterOrEqual(t, k, 0, "there is no strategy %s", name)
	to := &target{Machine: m, lib: lib, buffers: p.Buffers, read: buffersRead(p)}
	require.Len(t, p.Steps, 1)
	d, why := all[k].drafted(to, &p.Steps[0])
	require.NotNil(t, d, why)
	d.Choice.Strategy = name
	program := programOf(p, []*Draft{d})
	requireTranslation(t, p, program)
	return program.String()
}

// requireTranslation checks that the nests of a plan compute the expressions of its steps: where
// there are more than some hundred thousand elements with -long only, which takes half a minute.
func requireTranslation(t require.TestingT, p *plan.Plan, program *nest.Program) {
	n := 0
	for i := range p.Buffers {
		n += p.Buffers[i].Size()
	}
	for i := range program.Tasks {
		n += program.Tasks[i].Elems
	}
	if n < 400_000 || *long {
		require.NoError(t, eval.CheckTranslation(p, program, randomInputs(p)), "%s%s", p, program)
	}
}

// drafted returns the draft of a strategy, or why there is none.
func (by strategy) drafted(t *target, s *plan.Step) (*Draft, string) {
	o, why := by.offer(t, s)
	if why != "" {
		return nil, why
	}
	d, why := o.draft()
	if d != nil && d.Choice.Cost < o.least {
		panic("a draft costs less than the offer says: " + by.name)
	}
	return d, why
}
