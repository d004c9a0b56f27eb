package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/internal/progress"
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

// tool is one run of the command: its folder and its options.
type tool struct {
	dir    string // the current directory
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	function string // function in the user's package
	out      string // folder of the generated files
	pkg      string // package of the generated files
	builtin  bool
	portable bool // Go loops of the built-in kernels, no assembly
	avx2     bool
	check    bool
	list     bool
	lines    bool              // read signatures from standard input
	from     []string          // lock files
	weights  map[string]weight // weights of the kernels in lock files, by signature
	patterns []string          // patterns of packages to check
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
	options := codegen.Options{Package: t.pkg, Targets: t.targets(), Command: t.command(), ByCall: t.builtin || t.portable}
	switch {
	case t.builtin:
		options.Loops = codegen.FewLoops
	case !t.portable:
		kernels = withoutBuiltins(kernels)
	}
	files, err := codegen.Generate(options, kernels)
	if err != nil {
		return err
	}
	if !options.ByCall { // generated files of the library's own packages may use all names
		if err := checkNames(t.out, t.pkg, files); err != nil {
			return err
		}
	}
	changes, err := compare(t.out, files)
	if err != nil {
		return err
	}
	if t.check {
		return t.report(changes, kernels)
	}
	if os.Getenv("GOLINE") != "" { // go generate runs the command
		keepBlank(changes, t.pkg)
	}
	if err := commit(t.out, changes); err != nil {
		return err
	}
	if err := t.tidyLocks(); err != nil {
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
