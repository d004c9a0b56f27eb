package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// oneKernel is the signature of a kernel that is not built in.
const oneKernel = "kernel (u0:f32) { t0 = exp u0; t1 = tanh t0; t2 = sqrt t1; store t2 }"

// TestTakenNames expects an error, and no files, for a package that redefines a name used by generated files.
func TestTakenNames(t *testing.T) {
	for _, c := range []struct{ source, name string }{
		{"type float32 string", "float32"},
		{"var math = 1", "math"},
		{"const unsafe = 2", "unsafe"},
		{"func abi() {}", "abi"},
		{"import \"math\"\n\nvar runtime = math.Pi", ""},
		{"func (t float) math() {}\n\ntype float int", ""},
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"p.go": "package p\n\n" + c.source + "\n", "other_test.go": "package p_test\n\nvar float32 = 1\n"})
		code, _, stderr := genkernels(t, dir, oneKernel, "-pkg", "p", "-")
		if c.name == "" {
			require.Zero(t, code, stderr)
			require.NotEmpty(t, generated(t, dir))
			continue
		}
		require.Equal(t, 1, code, c.source)
		require.Contains(t, stderr, "p.go:3:")
		require.Contains(t, stderr, "the package declares "+c.name+", which generated files need")
		require.Empty(t, generated(t, dir))
	}
}

// TestCgo: the go command rejects Go assembly beside cgo, so genkernels reports it first.
func TestCgo(t *testing.T) {
	dir := userModule(t, map[string]string{"model/model.go": graphs("model", "x.Exp()"), "model/c.go": "package model\n\nimport \"C\"\n"})
	code, _, stderr := genkernels(t, filepath.Join(dir, "model"), "")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "example.com/user/model uses cgo (c.go): ")
}

// TestInterrupted: after an interrupted run a marker says, until the next run, that the files may be mixed.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (int, string) {
		code, _, stderr := genkernels(t, dir, oneKernel, append(args, "-pkg", "p", "-")...)
		return code, stderr
	}
	code, stderr := run()
	require.Zero(t, code, stderr)
	files := generated(t, dir)
	write(t, dir, map[string]string{unfinished: ""})
	code, stderr = run("-check")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, unfinished+" exists, as an earlier run was interrupted")
	code, stderr = run()
	require.Zero(t, code, stderr)
	require.Equal(t, files, generated(t, dir), "neither the marker nor temporary files stay")
}

// TestFolderThatCannotBeWritten: a single error names the folder.
func TestFolderThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"file": ""})
	code, _, stderr := genkernels(t, dir, oneKernel, "-pkg", "p", "-out", "file/p", "-")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, filepath.Join(dir, "file"))
	if os.Getuid() == 0 {
		return // may write to any folder
	}
	require.NoError(t, os.Chmod(dir, 0o500))
	code, _, stderr = genkernels(t, dir, oneKernel, "-pkg", "p", "-")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "the generated files can't be written to "+dir)
	require.Empty(t, generated(t, dir))
}
