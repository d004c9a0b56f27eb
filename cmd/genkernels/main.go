// Command genkernels generates fused kernels for a package's graphs. Put it
// beside a function that returns the programs, in a package that is not main:
//
//	//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels
//
//	func Graphs() ([]*graph.Program, error) { ... }
//
// and run go generate. It writes zkernels_amd64.s with the kernels, the Go
// declarations and registration beside it, zkernels_generic.go with the same
// kernels for other machines, and zkernels_test.go, which checks them all.
// Commit the files. A program whose kernels have not been generated runs too,
// from the library's own kernels, which makes more passes over memory.
//
// Usage:
//
//	genkernels [-func name] [-out dir] [-avx2] [-check] [-list]
//	genkernels -from file [-from file] [-pkg name] [-out dir] [-avx2] [-check] [-list]
//	genkernels -pkg name [-out dir] [-avx2] [-check] [-list] -
//	genkernels -builtin [-out dir] [-check] [-list]
//	genkernels -check packages
//
// The first form uses the package in the current directory. The second makes exactly the
// kernels of lock files: those that programs lacked which ran with graph.Record or
// STRIDEFUSE_RECORD=file. The third reads
// kernel signatures from standard input, one a line, as -list prints them. The
// fourth makes the kernels of this library's own package runtime/builtin. The fifth
// checks each package of go list's patterns, such as ./..., that has a go:generate line
// of this tool.
//
// With -avx2 there is no assembly for AVX-512, which a processor that has it prefers: half
// the bytes, for kernels that wait for memory.
//
// -func is the function to call, Graphs without it; -out is where the files go,
// the current directory without it. -check writes nothing, and prints what
// would change, first how many kernels are missing and how many unused; it exits with 1
// if anything would. -list prints the signatures
// of the kernels and writes nothing.
//
// The tool's own dependencies have to be in the module's go.sum:
//
//	go get -tool github.com/stridefuse/stridefuse/cmd/genkernels
//
// does that, after which the line can also be //go:generate go tool genkernels.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/internal/progress"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "genkernels:", err)
		os.Exit(1)
	}
	t := &tool{dir: dir, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(t.main(os.Args[1:]))
}

// tool is one run: its folder and its options.
type tool struct {
	dir    string // the current directory
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	function string // of the user's package
	out      string // directory of the files
	pkg      string // name of their package
	builtin  bool
	avx2     bool
	check    bool
	list     bool
	lines    bool     // read signatures from stdin
	from     []string // lock files
	weights  map[string]weight
	patterns []string // of packages to check
	progress *progress.Phases
}

// defaultFunction is the function that returns the programs.
const defaultFunction = "Graphs"

var errStale = errors.New("generated files are stale: run go generate")

// main returns the exit code.
func (t *tool) main(args []string) int {
	if err := t.parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		fmt.Fprintf(t.stderr, "genkernels: %v\n", err)
		return 2
	}
	t.progress = progress.Begin(t.stderr, "genkernels: starting")
	defer t.progress.Stop()
	t.stderr = t.progress
	if err := t.run(); err != nil {
		fmt.Fprintf(t.stderr, "genkernels: %v\n", err)
		return 1
	}
	return 0
}

func (t *tool) parse(args []string) error {
	fs := flag.NewFlagSet("genkernels", flag.ContinueOnError)
	fs.SetOutput(t.stderr)
	fs.StringVar(&t.function, "func", defaultFunction, "function of the package that returns `name`d programs")
	fs.StringVar(&t.out, "out", ".", "`directory` of the files")
	fs.StringVar(&t.pkg, "pkg", os.Getenv("GOPACKAGE"), "`name` of the files' package, when signatures come from standard input")
	fs.BoolVar(&t.builtin, "builtin", false, "make the kernels of the library's own package runtime/builtin")
	fs.BoolVar(&t.avx2, "avx2", false, "make assembly for AVX2 alone, not for AVX-512 too")
	fs.BoolVar(&t.check, "check", false, "write nothing; print what would change, and exit with 1 if anything would")
	fs.BoolVar(&t.list, "list", false, "write nothing; print the signatures of the kernels")
	fs.Func("from", "lock `file` of the kernels, as STRIDEFUSE_RECORD writes it; may be given several times", func(name string) error {
		t.from = append(t.from, name)
		return nil
	})
	if i := slices.Index(args, "-"); i >= 0 { // a flag set stops there
		t.lines = true
		args = slices.Delete(slices.Clone(args), i, i+1)
	}
	if err := fs.Parse(args); err != nil {
		return err
	}
	named := false
	fs.Visit(func(f *flag.Flag) { named = named || f.Name == "pkg" })
	if t.from != nil && !named {
		t.pkg = "" // GOPACKAGE is that of the go:generate line, and files may go elsewhere
	}
	switch {
	case fs.NArg() > 0 && t.check && !t.builtin && !t.lines:
		t.patterns = fs.Args()
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: see genkernels -help", fs.Arg(0))
	case t.builtin && t.lines:
		return errors.New("-builtin and - exclude each other")
	case t.from != nil && (t.builtin || t.lines || t.function != defaultFunction):
		return errors.New("-from excludes -, -builtin and -func")
	case t.check && t.list:
		return errors.New("-check and -list exclude each other")
	}
	if !filepath.IsAbs(t.out) {
		t.out = filepath.Join(t.dir, t.out)
	}
	return nil
}

func (t *tool) run() error {
	if t.patterns != nil {
		return t.checkAll()
	}
	t.progress.Phase("genkernels: finding the kernels")
	kernels, err := t.kernels()
	if err != nil {
		return err
	}
	t.progress.Phase("genkernels: package %s: Go loops of %s", t.pkg, counted(len(kernels), "kernel"))
	if t.list {
		for _, k := range kernels {
			fmt.Fprintln(t.stdout, k.Signature())
		}
		return nil
	}
	all := len(kernels)
	if !t.builtin {
		kernels = withoutBuiltins(kernels)
	}
	files, err := codegen.Generate(codegen.Options{Package: t.pkg, Targets: t.targets(), Command: t.command()}, kernels)
	if err != nil {
		return err
	}
	if err := checkNames(t.out, t.pkg, files); err != nil {
		return err
	}
	changes, err := compare(t.out, files)
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(t.out, unfinished))
	interrupted := err == nil
	if t.check {
		t.summary(changes, kernels)
		for _, c := range changes {
			c.diff(t.stdout)
		}
		if interrupted {
			return fmt.Errorf("%s exists, as an earlier run was interrupted: %w", unfinished, errStale)
		}
		if len(changes) > 0 {
			return errStale
		}
		return nil
	}
	if os.Getenv("GOLINE") != "" { // go generate runs this
		keepBlank(changes, t.pkg)
	}
	if err := commit(t.out, changes); err != nil {
		return err
	}
	size := 0
	for _, f := range files {
		size += len(f.Content)
	}
	fmt.Fprintf(t.stderr, "genkernels: package %s: kernels %d, built in %d more; files %d, bytes %d, changed %d\n",
		t.pkg, len(kernels), all-len(kernels), len(files), size, len(changes))
	return nil
}

// command is what the first line of the files says made them: only what has an
// influence on them.
func (t *tool) command() string {
	text := "genkernels"
	switch {
	case t.builtin:
		text += " -builtin"
	case t.lines:
		text += " -"
	case t.from != nil:
		text += " -from " + strings.Join(t.from, " -from ")
	case t.function != defaultFunction:
		text += " -func " + t.function
	}
	if t.avx2 {
		text += " -avx2"
	}
	return text
}

// kernels returns the distinct kernels requested, in order of their signatures,
// and settles the package.
func (t *tool) kernels() ([]kernel.Code, error) {
	switch {
	case t.builtin:
		if filepath.Base(t.out) != "builtin" {
			return nil, fmt.Errorf("-builtin is for this library's own package runtime/builtin/builtin, not %s", t.out)
		}
		t.pkg = "builtin"
		return codegen.Builtins(), nil
	case t.lines:
		if t.pkg == "" {
			return nil, errors.New("signatures from standard input need a package: add -pkg name")
		}
		text, err := io.ReadAll(t.stdin)
		if err != nil {
			return nil, err
		}
		return parseLines(string(text))
	}
	if t.from != nil {
		kernels, weights, err := t.readLocks()
		if err == nil && t.pkg == "" {
			err = t.findPackage()
		}
		t.weights = weights
		return kernels, err
	}
	text, err := t.discover()
	if err != nil {
		return nil, err
	}
	return parseLines(text)
}

// parseLines reads signatures, one a line. Empty lines, # comments and what is behind a tab
// count for nothing.
func parseLines(text string) ([]kernel.Code, error) {
	var out []kernel.Code
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line, _, _ = strings.Cut(line, "\t")
		k, err := kernel.ParseCode(line)
		if err != nil {
			return nil, fmt.Errorf("signature %d: %w\n\t%s", n, err, line)
		}
		k, _ = kernel.Canonical(k)
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b kernel.Code) int { return strings.Compare(a.Signature(), b.Signature()) })
	return slices.CompactFunc(out, func(a, b kernel.Code) bool { return a.Signature() == b.Signature() }), nil
}

// withoutBuiltins drops the kernels that the library has anyway.
func withoutBuiltins(kernels []kernel.Code) []kernel.Code {
	builtin := map[string]bool{}
	for _, k := range codegen.Builtins() {
		builtin[k.Signature()] = true
	}
	return slices.DeleteFunc(slices.Clone(kernels), func(k kernel.Code) bool { return builtin[k.Signature()] })
}
