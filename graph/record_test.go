package graph_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// odd is a formula without a generated kernel.
func odd(x graph.Node) graph.Node { return x.Mul(3).Sin().Sub(x.Tanh()).Mul(x).Add(0.25) }

// TestRecord counts the lines: they are written after 1, 2, 4 and 8 runs, for all sizes.
func TestRecord(t *testing.T) {
	var lock bytes.Buffer
	to := graph.Record(&lock)
	x := graph.Input("x", graph.Float32, graph.Dim("n"))
	p, err := graph.Compile(odd(x), to)
	require.NoError(t, err)
	for range 9 {
		_, err := p.Run(t.Context(), graph.Ones(graph.Float32, 100))
		require.NoError(t, err)
	}
	lines := strings.Split(strings.TrimSpace(lock.String()), "\n")
	require.Len(t, lines, 4)
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		runs := []int{1, 1, 2, 4}[i]
		require.Equal(t, p.Missing()[0], fields[0])
		require.Equal(t, fmt.Sprintf("bytes=%d", runs*(2*400+2*4)), fields[1])
		require.Regexp(t, `^ns=[1-9]\d*$`, fields[2])
		require.Equal(t, fmt.Sprintf("runs=%d", runs), fields[3])
	}
	lock.Reset()
	for n := range 7 {
		require.Empty(t, lock.String())
		_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 50+n))
		require.NoError(t, err)
	}
	require.Contains(t, lock.String(), fmt.Sprintf("\tbytes=%d\t", 808+7*(8*53+8)))
	require.Contains(t, lock.String(), "\truns=8\n")

	lock.Reset()
	generated, err := graph.Compile(x.Exp(), to, graph.WithProfile())
	require.NoError(t, err)
	_, err = generated.Run(t.Context(), graph.Ones(graph.Float32, 50))
	require.NoError(t, err)
	require.Empty(t, lock.String())
	require.Equal(t, 1, generated.Profile().Runs)

	both, err := graph.Compile(odd(x).Softmax(0), to, graph.WithProfile())
	require.NoError(t, err)
	_, err = both.Run(t.Context(), graph.Ones(graph.Float32, 50))
	require.NoError(t, err)
	require.NotEmpty(t, lock.String())
	require.Equal(t, 1, both.Profile().Runs)
}

type full struct{ tried int }

func (f *full) Write([]byte) (int, error) { f.tried++; return 0, errors.New("the disk is full") }

// TestRecordFails records to a failing writer, and to nil: runs succeed.
func TestRecordFails(t *testing.T) {
	x := graph.Input("x", graph.Float32, 8)
	f := &full{}
	p, err := graph.Compile(odd(x), graph.Record(f), graph.Record(nil))
	require.NoError(t, err)
	for range 4 {
		_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 8))
		require.NoError(t, err)
	}
	require.Equal(t, 1, f.tried)
}

// TestRecordEnv runs this test binary with the environment variable set: it appends to the file, and a file that can't
// be written is no error.
func TestRecordEnv(t *testing.T) {
	if os.Getenv(graph.RecordEnv) != "" {
		TestRecord(t)
		return
	}
	file := filepath.Join(t.TempDir(), "kernels.lock")
	for i, name := range []string{file, file, t.TempDir()} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestRecordEnv$")
		cmd.Env = append(os.Environ(), graph.RecordEnv+"="+name)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, i == 2, strings.Contains(string(out), graph.RecordEnv+": open "))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Greater(t, len(lines), 10)
	require.Equal(t, lines[0][:strings.Index(lines[0], "\tns=")], lines[len(lines)/2][:strings.Index(lines[len(lines)/2], "\tns=")])
}
