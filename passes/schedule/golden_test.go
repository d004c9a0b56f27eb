package schedule

import (
	"flag"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
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
	long   = flag.Bool("long", false, "check large nests in testdata too, and more random ones")
)

// TestGolden compares the drafts of strategies with the nests in testdata. A file is
// named after the strategy: name.txtar, or name_case.txtar; or after one of its options, name_option.txtar or
// name_option_case.txtar. It holds a plan of one step,
// the signatures of the kernels that the library lacks, if any, and the nest. That of
// rowGroup holds a plan whose steps are one row group. Every strategy and every option has a file. A line vector=64 in front of the
// plan says how many bytes the vectors of the best kernels have: with 16 the machine is NEON's.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	ran, has := 0, map[string]bool{rowGroup: false} // by the full name of a strategy or an option
	for _, by := range everyStrategy() {
		has[by.name] = false
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
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
			nest, by, options := draftText(t, machineOf(t, a), name, string(a.Files[0].Data), missing)
			strategy, _, _ := strings.Cut(by, "/")
			has[strategy], has[by], ran = true, true, ran+1
			for _, option := range options {
				if !has[option] {
					has[option] = false // and reported below, if no file has it
				}
			}
			a.Files = append(a.Files, txtar.File{Name: "nest", Data: []byte(nest)})
			text := txtar.Format(a)
			if *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
				return
			}
			require.Equal(t, string(want), string(text), "after a change that is meant, run: go test ./passes/schedule -update")
		})
	}
	for by, file := range has {
		if ran < len(files) { // only some were asked for
			break
		}
		require.True(t, file, "%s has no file in testdata", by)
	}
}

// TestNames: the name of a strategy is that of its function and of its file, spelled as Go and the file system spell it.
func TestNames(t *testing.T) {
	require.LessOrEqual(t, len(everyStrategy()), 26)
	for _, by := range everyStrategy() {
		f := runtime.FuncForPC(reflect.ValueOf(by.offer).Pointer())
		file, _ := f.FileLine(f.Entry())
		require.Equal(t, strings.ReplaceAll(by.name, "-", "_")+".go", filepath.Base(file))
		words := strings.Split(by.name, "-")
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		require.Equal(t, strings.Join(words, ""), f.Name()[strings.LastIndex(f.Name(), ".")+1:])
	}
}

// rowGroup is what the files of row groups are named after, for which no strategy is chosen.
const rowGroup = "row-group"

// everyStrategy lists the strategies of all roles, each once.
func everyStrategy() (all []strategy) {
	for role := range plan.Line + 1 {
		for _, by := range strategiesOf(role) {
			if !slices.ContainsFunc(all, func(s strategy) bool { return s.name == by.name }) {
				all = append(all, by)
			}
		}
	}
	return all
}

// TestStrategiesArePure: offers are the same whatever other offers were made and drafted before, and change nothing that
// strategies are given.
func TestStrategiesArePure(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		require.NoError(t, err)
		p, err := plan.ParsePlan(string(a.Files[0].Data))
		require.NoError(t, err)
		m := machineOf(t, a)
		for i := range p.Steps {
			to := &target{Machine: m, lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
			drafts := func(order func(offers []offer) iter.Seq2[int, offer]) map[string]string {
				texts := map[string]string{}
				for _, o := range order(offersOf(to, &p.Steps[i])) {
					if d, why := o.drafted(); d == nil {
						texts[o.name] = why
					} else {
						texts[o.name] = programOf(&plan.Plan{Name: p.Name, Buffers: p.Buffers, Arena: p.Arena, Steps: p.Steps[i : i+1]}, []*Draft{d}).String()
					}
				}
				return texts
			}
			machine, before, text := *m, *to, p.String()
			before.lib, before.buffers, before.read = nil, slices.Clone(p.Buffers), slices.Clone(to.read)
			forwards := drafts(slices.All)
			require.Equal(t, forwards, drafts(slices.Backward), file)
			after := *to
			after.lib = nil
			require.Equal(t, before, after, file)
			require.Equal(t, machine, *m, file)
			require.Equal(t, text, p.String(), file)
		}
	}
}

// machineOf returns the machine of a file: that of tuning, with the vectors that the file says.
func machineOf(t *testing.T, a *txtar.Archive) *tuning.Machine {
	m := tuning.Default(2)
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if bytes, ok := strings.CutPrefix(line, "vector="); ok {
			n, err := strconv.Atoi(bytes)
			require.NoError(t, err)
			if m.SetVector(n); n == 16 {
				m = tuning.NEON(2)
			}
		}
	}
	return m
}

// draftText returns the nest that a strategy makes of a plan of one step, which it checks, and the full names of the
// strategy or option that a file is named after, and of all that made an offer.
func draftText(t *testing.T, m *tuning.Machine, file, text, missing string) (nest, by string, all []string) {
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
	name, rest, _ := strings.Cut(file, "_")
	if name == rowGroup {
		program, err := Schedule(p, m, lib, Options{Reasons: true})
		require.NoError(t, err)
		require.Len(t, program.Tasks, 1)
		requireTranslation(t, p, program)
		return program.String(), rowGroup, nil
	}
	to := &target{Machine: m, lib: lib, buffers: p.Buffers, read: buffersRead(p)}
	require.Len(t, p.Steps, 1)
	option, _, _ := strings.Cut(rest, "_")
	by = name
	for _, o := range offersOf(to, &p.Steps[0]) {
		all = append(all, o.name)
		if o.name == name+"/"+option {
			by = o.name
		}
	}
	d, why := draftBy(by, to, &p.Steps[0])
	require.NotNil(t, d, why)
	d.Choice.Strategy = by
	program := programOf(p, []*Draft{d})
	requireTranslation(t, p, program)
	return program.String(), by, all
}

// requireTranslation checks that the nests of a plan compute the expressions of its steps: where
// there are more than a hundred thousand elements when the golden files are written, and with -long, which takes half a minute.
func requireTranslation(t require.TestingT, p *plan.Plan, program *nest.Program) {
	n := 0
	for i := range p.Buffers {
		n += p.Buffers[i].Size()
	}
	for i := range program.Tasks {
		n += program.Tasks[i].Elems
	}
	if n < 100_000 || *update && n < 400_000 || *long {
		require.NoError(t, eval.CheckTranslation(p, program, randomInputs(p)), "%s%s", p, program)
	}
}

// offerBy returns the offer of a strategy, or of one of its options, by its full name. A strategy that refuses a step as a
// whole lists no options.
func offerBy(name string, t *target, s *plan.Step) offer {
	offers, strategy := offersOf(t, s), name
	for range 2 {
		if k := slices.IndexFunc(offers, func(o offer) bool { return o.name == strategy }); k >= 0 {
			return offers[k]
		}
		strategy, _, _ = strings.Cut(name, "/")
	}
	return offer{why: "there is no " + name}
}

// draftBy returns the draft of a strategy, or of one of its options, or why there is none.
func draftBy(name string, t *target, s *plan.Step) (*Draft, string) {
	return offerBy(name, t, s).drafted()
}

// drafted returns the draft of an offer, or why there is none.
func (o offer) drafted() (*Draft, string) {
	if o.why != "" {
		return nil, o.why
	}
	d, why := o.draft()
	if d != nil && d.Choice.Cost < o.least {
		panic("a draft costs less than the offer says: " + o.name)
	}
	return d, why
}
