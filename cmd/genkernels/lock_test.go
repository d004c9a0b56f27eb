package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// service is a program of a user's that computes a formula.
func service(formula string) string {
	return `package main

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)
` + "//go:generate go tool genkernels -from kernels.lock\n" + `
func main() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 8)
	p, err := graph.Compile(` + formula + `)
	if err != nil {
		panic(err)
	}
	for range 3 {
		if _, err = p.Run(context.Background(), graph.Ones(graph.Float32, 1000, 8)); err != nil {
			panic(err)
		}
	}
	fmt.Println(len(p.Missing()))
}
`
}

// recorded builds and runs the program in a directory, which appends to kernels.lock there, and
// returns what it prints and the lines of that file.
func recorded(t *testing.T, dir string) (missing string, lines []string) {
	lock := filepath.Join(dir, "kernels.lock")
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "STRIDEFUSE_RECORD="+lock)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(lock)
	require.NoError(t, err)
	return strings.TrimSpace(string(out)), strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestLockFile follows a lock file: a program records the kernels it lacks, the tool generates and checks them, and the
// check fails when files are deleted or the formula changes.
func TestLockFile(t *testing.T) {
	buildsPrograms(t)
	dir := userModule(t, map[string]string{"main.go": service("x.Mul(3).Sin().Sub(x.Tanh()).Mul(x)")})
	missing, lines := recorded(t, dir)
	require.Equal(t, "1", missing)
	require.Len(t, lines, 2) // after the first and the second run

	code, stdout, _ := genkernels(t, dir, "", "-check", "-from", "kernels.lock")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "genkernels: missing, 100% of the recorded time, 1.28e+05 bytes: kernel (")

	code, _, stderr := genkernels(t, dir, "", "-from", "kernels.lock")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "genkernels: package main: kernels 1, built in 0 more; files 8")
	code, stdout, stderr = genkernels(t, dir, "", "-check", "-from", "kernels.lock")
	require.Zero(t, code, stdout+stderr)
	missing, again := recorded(t, dir)
	require.Equal(t, "0", missing)
	signature, _, _ := strings.Cut(lines[0], "\t")
	require.Equal(t, []string{signature}, again, "the tool has tidied the file")

	write(t, dir, map[string]string{"main.go": service("x.Mul(3).Cos().Sub(x.Tanh()).Mul(x)")})
	missing, more := recorded(t, dir)
	require.Equal(t, "1", missing)
	require.Len(t, more, 3)
	code, stdout, stderr = genkernels(t, dir, "", "-check", "./...")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "package main: 1 kernel missing, 0 unused")
	require.Contains(t, stdout, "cos")
	require.Contains(t, stderr, "stale")

	for _, name := range generated(t, dir) {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	code, stdout, _ = genkernels(t, dir, "", "-check", "-from", "kernels.lock")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "package main: 2 kernels missing")
	code, _, stderr = genkernels(t, dir, "", "-from", "kernels.lock")
	require.Zero(t, code, stderr)
	code, stdout, _ = genkernels(t, dir, "", "-check", "-from", "kernels.lock")
	require.Zero(t, code, stdout)
}

// TestEmptiedLock lets go generate run the tool when no kernel is left: files that go generate still reads stay, are
// fresh, and may be deleted.
func TestEmptiedLock(t *testing.T) {
	buildsPrograms(t)
	text := strings.Replace(service("x.Mul(3).Sin().Sub(x)"), "go tool genkernels", "go run github.com/stridefuse/stridefuse/cmd/genkernels -avx2", 1)
	dir := userModule(t, map[string]string{"main.go": text})
	recorded(t, dir)
	goTool(t, dir, "generate")
	require.Len(t, generated(t, dir), 4)
	write(t, dir, map[string]string{"kernels.lock": ""})
	goTool(t, dir, "generate")
	require.Equal(t, []string{"zkernels_amd64.go", "zkernels_generic.go", "zkernels_test.go"}, generated(t, dir))
	goTool(t, dir, "vet")
	code, stdout, stderr := genkernels(t, dir, "", "-avx2", "-check", "-from", "kernels.lock")
	require.Zero(t, code, stdout+stderr)
	for _, name := range generated(t, dir) {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	code, stdout, stderr = genkernels(t, dir, "", "-avx2", "-check", "-from", "kernels.lock")
	require.Zero(t, code, stdout+stderr)
}

// TestLockErrors has invalid lock files, and flags that don't go with them.
func TestLockErrors(t *testing.T) {
	dir := userModule(t, map[string]string{"a.go": "package model\n", "bad.lock": "kernel (u0:f32) { store u0 }\tbytes=1\nkernel nonsense\tbytes=2\n", "empty.lock": "# nothing yet\n"})
	code, _, stderr := genkernels(t, dir, "", "-from", "none.lock")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "a program that runs with STRIDEFUSE_RECORD=")
	code, _, stderr = genkernels(t, dir, "", "-from", "bad.lock")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "signature 2: ")
	code, _, stderr = genkernels(t, dir, "", "-from", "bad.lock", "-func", "Programs")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "-from excludes -, -builtin, -portable and -func")
	code, _, stderr = genkernels(t, dir, "", "-from", "empty.lock", "-pkg", "other")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "package other: kernels 0")
	code, _, stderr = genkernels(t, dir, "", "-from", "empty.lock")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "package model: kernels 0")
	require.Empty(t, generated(t, dir))
}

// TestTidied has lock files and what the tool makes of them.
func TestTidied(t *testing.T) {
	a, b := "kernel (u0:f32) { t0 = exp u0; store t0 }", "kernel (u0:f32) { t0 = abs u0; store t0 }"
	for in, want := range map[string]string{
		"": "", "\n \n": "", a: a + "\n",
		a + "\tbytes=1\tns=2\truns=1\n# note\r\n" + b + "\n" + a + "\n": "# note\n" + b + "\n" + a + "\n",
	} {
		got, err := tidied(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
		again, err := tidied(got)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}
