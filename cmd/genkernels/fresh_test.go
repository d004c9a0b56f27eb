package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generate is a go:generate line that runs the tool.
type generate struct {
	dir, pkg string // folder and package of the file with the line
	args     []string
}

// TestCommittedFilesAreFresh runs the module's go:generate lines with -check, so that no change of graphs or of the
// generator is committed without its files; with -long also those of the thousands of built-in kernels. All generated files
// must have a go:generate line.
func TestCommittedFilesAreFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("generates all kernels")
	}
	lines, made := scan(t, repo(t))
	covered := map[string]bool{}
	for _, g := range lines {
		name, err := filepath.Rel(repo(t), g.dir)
		require.NoError(t, err)
		t.Setenv("GOPACKAGE", g.pkg)
		var stdout, stderr strings.Builder
		tool := &tool{dir: g.dir, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}
		require.NoError(t, tool.parse(append(slices.Clone(g.args), "-check")), name)
		covered[tool.out] = true
		if (tool.builtin || tool.portable) && !*long {
			continue
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			require.NoError(t, tool.run(), "run go generate ./...\n%s%s", &stdout, &stderr)
		})
	}
	for _, file := range made {
		require.True(t, covered[filepath.Dir(file)], "%s is generated, and no go:generate line makes it", file)
	}
	for _, dir := range []string{"runtime/builtin", "bench/formula", "examples/hillshade/shade", "examples/blackscholes/greeks"} {
		require.True(t, covered[filepath.Join(repo(t), filepath.FromSlash(dir))], "%s has no go:generate line", dir)
	}
}

// scan returns the lines of a tree that run the tool, and the files that the
// tool has made.
func scan(t *testing.T, root string) (lines []generate, made []string) {
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (d.Name() == "testdata" || strings.ContainsAny(d.Name()[:1], "._")):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go" && filepath.Ext(file) != ".s":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(text), generatedBy) {
			made = append(made, file)
			return nil
		}
		for line := range strings.Lines(string(text)) {
			if args, ok := toolArgs(line); ok {
				f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
				if err != nil {
					return err
				}
				lines = append(lines, generate{filepath.Dir(file), f.Name.Name, args})
			}
		}
		return nil
	})
	require.NoError(t, err)
	return lines, made
}
