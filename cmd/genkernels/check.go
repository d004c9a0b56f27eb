package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The flag -check: what go generate would change, in one package or in all packages that match patterns.

// report prints what go generate would change, and returns an error if anything would.
func (t *tool) report(changes []change, kernels []kernel.Code) error {
	t.summary(changes, kernels)
	for _, c := range changes {
		c.diff(t.stdout)
	}
	if _, err := os.Stat(filepath.Join(t.out, unfinished)); err == nil {
		return fmt.Errorf("%s exists, as an earlier run was interrupted: %w", unfinished, errStale)
	}
	if len(changes) > 0 {
		return errStale
	}
	return nil
}

// summary prints one line about a package: how many kernels are missing from the files, how many are unused, and how
// many files would change. It prints nothing if no file would change.
func (t *tool) summary(changes []change, kernels []kernel.Code) {
	if len(changes) == 0 {
		return
	}
	have, same := map[string]bool{}, true // signatures in the listing file
	for _, c := range changes {
		if filepath.Base(c.path) == t.listing() {
			have, same = signatures(c.old), false
		}
	}
	var lacking []string
	for _, k := range kernels {
		if !have[k.Signature()] {
			lacking = append(lacking, k.Signature())
		}
	}
	missing := len(lacking)
	unused := len(have) - (len(kernels) - missing)
	if same {
		lacking, missing, unused = nil, 0, 0
	}
	fmt.Fprintf(t.stdout, "genkernels: package %s: %s missing, %d unused, %s would change: run go generate in %s\n",
		t.pkg, counted(missing, "kernel"), unused, counted(len(changes), "file"), t.dir)
	if t.weights != nil {
		printMissing(t.stdout, lacking, t.weights)
	}
}

// listing is the name of the file that lists every signature.
func (t *tool) listing() string {
	if t.builtin { // the library has fewer Go loops
		return codegen.DefaultPrefix + "_amd64.go"
	}
	return codegen.DefaultPrefix + "_generic.go"
}

// signatures returns the signatures that a generated file registers.
func signatures(file []byte) map[string]bool {
	out := map[string]bool{}
	for line := range bytes.Lines(file) {
		_, rest, found := bytes.Cut(line, []byte("{Sig: "))
		if !found {
			continue
		}
		if sig, err := strconv.QuotedPrefix(string(rest)); err == nil {
			sig, _ = strconv.Unquote(sig)
			out[sig] = true
		}
	}
	return out
}

// checkAll checks each package matching the patterns that has a go:generate line of this tool, with the flags of that
// line.
func (t *tool) checkAll() error {
	cmd := exec.Command("go", append([]string{"list", "-f", "{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}"}, t.patterns...)...)
	cmd.Dir = t.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	files, err := cmd.Output()
	if err != nil {
		return errors.New(strings.TrimSpace(stderr.String()))
	}
	checked, stale := 0, 0
	for file := range strings.Lines(string(files)) {
		file = strings.TrimSpace(file)
		if file == "" {
			continue
		}
		args, found, err := generateLine(file)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		checked++
		one := &tool{dir: filepath.Dir(file), stdin: t.stdin, stdout: t.stdout, stderr: t.stderr, progress: t.progress}
		if err := one.parse(append(args, "-check")); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		switch err := one.run(); {
		case errors.Is(err, errStale):
			stale++
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	fmt.Fprintf(t.stdout, "genkernels: %s with generated kernels, %d stale\n", counted(checked, "package"), stale)
	if stale > 0 {
		return errStale
	}
	return nil
}

// generateLine returns the arguments in the go:generate line of this tool in a file.
func generateLine(file string) (args []string, found bool, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	for line := range strings.Lines(string(text)) {
		if args, ok := toolArgs(line); ok {
			return args, true, nil
		}
	}
	return nil, false, nil
}

// toolArgs returns the arguments of the tool in a go:generate line, which may run it by go run with its path or by go
// tool with its name.
func toolArgs(line string) (args []string, ok bool) {
	command, ok := strings.CutPrefix(line, "//go:generate ")
	if !ok {
		return nil, false
	}
	words := strings.Fields(command)
	for i, w := range words {
		if path.Base(w) == "genkernels" {
			return words[i+1:], true
		}
	}
	return nil, false
}
