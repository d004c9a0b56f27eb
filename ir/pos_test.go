package ir

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCallerPos(t *testing.T) {
	ask := func() Pos { return CallerPos() }
	_, file, line, _ := runtime.Caller(0)
	require.Equal(t, Pos{File: file, Line: line + 1}, ask())
	done := make(chan Pos)
	go func() { done <- CallerPos() }() // nobody called
	require.NotEqual(t, file, (<-done).File)
}

func TestCallOf(t *testing.T) {
	const graph = "github.com/stridefuse/stridefuse/graph."
	for function, want := range map[string]string{
		graph + "Node.Softmax":       "softmax",
		graph + "Node.Softmax.func1": "softmax",
		graph + "Concat":             "concat",
		graph + "Of[...]":            "of",
		graph + "Node.conv":          "",
		graph + "apply":              "",
		graph + "(*Program).Run":     "",
		"other/graph.Concat":         "",
		"":                           "",
	} {
		require.Equal(t, want, callOf(function).String(), function)
	}
	require.Equal(t, callOf(graph+"Concat"), callOf(graph+"Concat.func2"))
	require.Empty(t, Call(1<<31).String())
}

func TestIsUser(t *testing.T) {
	const module = "github.com/stridefuse/stridefuse/"
	for function, want := range map[string]bool{
		"main.main":                          true,
		module + "examples/shade.Graph":      true,
		module + "cmd/genkernels.main":       true,
		module + "examples/a.b.F":            true,
		"github.com/stridefuse/other/ir.F":   true,
		"github.com/else/stridefuse/graph.F": true,
		module + "scratch.F[go.shape.int]":   true,
		module + "stream.F[go.shape.int]":    false,
		module + "runtime/kerneltest.Run":    false,
		module + "runtime.Of[...]":           false,
		module + "runtime.(*Tensor).Reshape": false,
		module + "graph.Node.Add":            false,
		module + "graph.Node.view.func1":     false,
		module + "ir.CallerPos":              false,
		"":                                   false,
	} {
		require.Equal(t, want, isUser(function, "a.go"), function)
	}
	require.True(t, isUser(module+"runtime.TestX", "/src/runtime/tensor_test.go"))
	require.True(t, isUser(module+"graph_test.ExampleDim", "/src/graph/example_test.go"))
	require.False(t, isUser("", "x_test.go"))
	require.False(t, isUser("main.main.Node.Softmax.func1", root+"/graph/normalize.go"), "a closure inlined into main")
	require.True(t, isUser("main.main", root+"/examples/quickstart/main.go"))
	require.True(t, isUser("main.main", root+"/scratch/main.go"))
}

// TestFolders finds a folder of packages that is neither the library's nor a user's.
func TestFolders(t *testing.T) {
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	users := []string{"bench", "cmd", "docs", "examples"}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(users, name) {
			require.Contains(t, folders, name)
		}
	}
}
