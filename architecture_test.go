package stridefuse

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

var (
	update = flag.Bool("update", false, "rewrite the texts in docs/architecture.md")
	long   = flag.Bool("long", false, "run what compiles the library again, with other code, tags or processors: docs/adding.md")
)

// block is a text of docs/architecture.md that the compiler made: a comment with its
// name, and a fenced block.
var block = regexp.MustCompile("(?s)<!-- ([a-z:, ]+) -->\n```([a-z]*)\n(.*?)```\n")

// TestArchitecture compares the texts of docs/architecture.md with those that the
// compiler makes, and rewrites them with -update.
func TestArchitecture(t *testing.T) {
	const file = "docs/architecture.md"
	want := texts(t)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	seen := map[string]bool{}
	got := block.ReplaceAllStringFunc(string(page), func(s string) string {
		m := block.FindStringSubmatch(s)
		require.Contains(t, want, m[1], "the compiler has no such text")
		seen[m[1]] = true
		return fmt.Sprintf("<!-- %s -->\n```%s\n%s\n```\n", m[1], m[2], strings.TrimRight(want[m[1]], "\n"))
	})
	for name := range want {
		require.True(t, seen[name], "%s has no block named %q", file, name)
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	require.Equal(t, string(page), got, "after a change that is meant, run: go test . -run Architecture -update")
}

// texts returns the texts, by name.
func texts(t *testing.T) map[string]string {
	out := map[string]string{"passes": order(t)}
	x := graph.Input("x", graph.Float32, 256, 1024)
	w := graph.Input("w", graph.Float32, 1024)
	chain := lower(t, x.Mul(w).Add(1).Tanh(), "chain")
	out["chain: graph"] = chain.stages["graph"]
	out["chain: fuse"] = chain.stages["fuse"]
	out["chain: plan"] = chain.plan.String()
	out["chain: schedule"] = chain.schedule(t, builtins{})
	out["chain: schedule, generated"] = tasks(chain.schedule(t, everything{}))
	chain.generate(t, out)

	rows := lower(t, graph.Input("x", graph.Float32, 256, 1000).Softmax(-1), "softmax")
	out["softmax: graph"] = rows.stages["graph"]
	out["softmax: fuse"] = rows.stages["fuse"]
	out["softmax: plan"] = rows.plan.String()
	out["softmax: schedule"] = tasks(rows.schedule(t, builtins{}))
	out["softmax: kernels"] = formulas(t, schedule.Kernels(rows.plan, tuning.Default(2), schedule.Options{}))
	return out
}

// order lists the passes, what each does, and the reasons for their order.
func order(t *testing.T) string {
	var b strings.Builder
	for _, p := range passes.Default {
		fmt.Fprintf(&b, "%s: %s\n", p.Name, synopsis(t, p))
		for _, a := range p.After {
			fmt.Fprintf(&b, "    after %s: %s\n", a.Pass, a.Why)
		}
	}
	return b.String()
}

// synopsis returns the first sentence of a pass's doc comment, without the names of the pass and of files.
func synopsis(t *testing.T, p passes.Pass) string {
	run := reflect.ValueOf(p.Rewrite)
	if p.Form != nil {
		run = reflect.ValueOf(p.Form)
	} else if p.Arrange != nil {
		run = reflect.ValueOf(p.Arrange)
	}
	path := strings.TrimPrefix(runtime.FuncForPC(run.Pointer()).Name(), "github.com/stridefuse/stridefuse/")
	dir, name, _ := strings.Cut(path, ".")
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
				text, found := strings.CutPrefix(new(doc.Package).Synopsis(f.Doc.Text()), name+" ")
				require.True(t, found, "the comment of %s begins with its name", path)
				return regexp.MustCompile(` \([a-z_]+\.go\)`).ReplaceAllString(strings.TrimSuffix(text, "."), "")
			}
		}
	}
	require.Fail(t, "there is no function "+path)
	return ""
}

// lowered is a program with its text at each level.
type lowered struct {
	stages map[string]string // the text after each pass
	plan   *plan.Plan
}

func lower(t *testing.T, out graph.Node, name string) *lowered {
	p, err := graph.Compile(out, graph.WithName(name))
	require.NoError(t, err)
	f, err := ir.Parse(withoutLines(p.String()))
	require.NoError(t, err)
	s := &lowered{stages: map[string]string{}}
	s.plan, err = passes.Lower(f, passes.Options{Verify: true, Observe: func(stage string, text func() string) {
		s.stages[stage] = text()
	}})
	require.NoError(t, err)
	return s
}

// withoutLines removes the comments with source positions.
func withoutLines(text string) string {
	return regexp.MustCompile(` *// [^ ]+\.go:\d+`).ReplaceAllString(text, "")
}

// schedule returns the text of the plan's schedule for two threads.
func (s *lowered) schedule(t *testing.T, lib schedule.Library) string {
	p, err := schedule.Schedule(s.plan, tuning.Default(2), lib, schedule.Options{Reasons: true})
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	return p.String()
}

// builtins is the library of this process, as if it ran assembly.
type builtins struct{}

func (builtins) Engine(signature string) (string, bool) {
	_, ok := abi.Lookup(abi.Portable, signature)
	return "avx2", ok
}

func (builtins) Vector(string) int { return 32 }

// everything is a library that has every kernel.
type everything struct{}

func (everything) Engine(string) (string, bool) { return "avx2", true }
func (everything) Vector(string) int            { return 32 }

// tasks returns the tasks of a schedule, without its buffers and decisions.
func tasks(text string) string {
	return strings.Join(regexp.MustCompile(`(?ms)^  task .*?^  }\n`).FindAllString(text, -1), "")
}

// generate runs genkernels on the kernels of a program, and keeps parts of what it writes.
func (s *lowered) generate(t *testing.T, out map[string]string) {
	dir := t.TempDir()
	gen := exec.Command("go", "run", "./cmd/genkernels", "-pkg", "chain", "-out", dir, "-")
	gen.Stdin = strings.NewReader(strings.Join(schedule.Kernels(s.plan, tuning.Default(2), schedule.Options{}), "\n"))
	said, err := gen.CombinedOutput()
	require.NoError(t, err, "%s", said)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(text)
	}
	declared := read("zkernels_amd64.go")
	out["chain: declaration"] = declared[strings.Index(declared, "// k_"):]
	out["chain: go"] = part(t, read("zkernels_generic.go"), "exact:", 12, "o0[i] =", 2)
	out["chain: assembly"] = part(t, read("zkernels_amd64.s"), "loop:", 5, "VMOVUPS", 0)
}

// part returns n lines of a text, from the first line with the given beginning on. If last is not 0 it appends that
// many lines from the next line with another beginning.
func part(t *testing.T, text, first string, n int, next string, last int) string {
	lines := strings.Split(text, "\n")
	find := func(from int, words string) int {
		for i := from; i < len(lines); i++ {
			if strings.HasPrefix(strings.TrimSpace(lines[i]), words) {
				return i
			}
		}
		t.Fatalf("no line begins with %q", words)
		return 0
	}
	at := find(0, first)
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], "\t"))]
	shown := append(lines[at:at+n:at+n], indent+"\t...")
	if last > 0 {
		end := find(at+n, next)
		shown = append(shown, lines[end:end+last]...)
	}
	for i := range shown {
		shown[i] = strings.TrimPrefix(shown[i], indent)
	}
	return strings.Join(shown, "\n")
}

// formulas returns the loops that built-in kernels compute, from the comments on their Go loops.
func formulas(t *testing.T, signatures []string) string {
	text, err := os.ReadFile("runtime/builtin/portable/zkernels_generic.go")
	require.NoError(t, err)
	var b strings.Builder
	for _, sig := range signatures {
		_, rest, ok := strings.Cut(string(text), "//\t"+sig+"\n//\n")
		if !ok {
			fmt.Fprintf(&b, "%s\n    not built in: a tiling\n", sig)
			continue
		}
		formula, _, _ := strings.Cut(rest, "func ")
		fmt.Fprintf(&b, "%s\n%s", sig, regexp.MustCompile(`(?m)^//\s*`).ReplaceAllString(formula, "    "))
	}
	return b.String()
}
