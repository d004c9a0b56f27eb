package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// parse reads the options from the arguments.
func (t *tool) parse(args []string) error {
	fs := flag.NewFlagSet("genkernels", flag.ContinueOnError)
	fs.SetOutput(t.stderr)
	fs.StringVar(&t.function, "func", defaultFunction, "function of the package that returns `name`d programs")
	fs.StringVar(&t.out, "out", ".", "`directory` of the files")
	fs.StringVar(&t.pkg, "pkg", os.Getenv("GOPACKAGE"), "`name` of the files' package, when signatures come from standard input")
	fs.BoolVar(&t.builtin, "builtin", false, "make the kernels of the library's own package runtime/builtin")
	fs.BoolVar(&t.portable, "portable", false, "make the Go loops of those kernels in the library's own package runtime/builtin/portable")
	fs.BoolVar(&t.avx2, "avx2", false, "make assembly for AVX2 alone, not for AVX-512 and arm64 too")
	fs.BoolVar(&t.check, "check", false, "write nothing; print what would change, and exit with 1 if anything would")
	fs.BoolVar(&t.list, "list", false, "write nothing; print the signatures of the kernels")
	fs.Func("from", "lock `file` of the kernels, as STRIDEFUSE_RECORD writes it; may be given several times", func(name string) error {
		t.from = append(t.from, name)
		return nil
	})
	if i := slices.Index(args, "-"); i >= 0 { // a flag set stops at -
		t.lines = true
		args = slices.Delete(slices.Clone(args), i, i+1)
	}
	if err := fs.Parse(args); err != nil {
		return err
	}
	named := false
	fs.Visit(func(f *flag.Flag) { named = named || f.Name == "pkg" })
	if t.from != nil && !named {
		t.pkg = "" // GOPACKAGE is the package of the go:generate line, but files may go elsewhere
	}
	switch {
	case fs.NArg() > 0 && t.check && !t.builtin && !t.portable && !t.lines:
		t.patterns = fs.Args()
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: see genkernels -help", fs.Arg(0))
	case t.builtin && t.portable || (t.builtin || t.portable) && t.lines:
		return errors.New("-builtin, -portable and - exclude each other")
	case t.from != nil && (t.builtin || t.portable || t.lines || t.function != defaultFunction):
		return errors.New("-from excludes -, -builtin, -portable and -func")
	case t.check && t.list:
		return errors.New("-check and -list exclude each other")
	}
	if !filepath.IsAbs(t.out) {
		t.out = filepath.Join(t.dir, t.out)
	}
	return nil
}

// command returns the command for the first line of the generated files, with only the arguments that influence them.
func (t *tool) command() string {
	text := "genkernels"
	switch {
	case t.builtin:
		text += " -builtin"
	case t.portable:
		text += " -portable"
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
