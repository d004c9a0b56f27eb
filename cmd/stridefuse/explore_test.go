//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/passes"
)

// TestExplore asks the explorer's server. The page itself is tested in a browser, by .ci/browser.
func TestExplore(t *testing.T) {
	tool := &tool{stdout: io.Discard, stderr: io.Discard, pipeline: passes.Default}
	server := httptest.NewServer(tool.explorer())
	defer server.Close()
	model, err := os.ReadFile("../../examples/classify/digits.onnx")
	require.NoError(t, err)
	graph := "func scaled(%x: f32[n,3]) {\n  %0 = mul %x, 2 : f32[n,3]\n  return %0\n}\n"
	for _, c := range []struct {
		q              question
		output, failed string
	}{
		{question{Formula: "x.sum() * 0 + n", Inputs: "x: float32[n,2]\n n: f32"}, "float32[] ", ""},
		{question{Formula: "x*0 + 3", Inputs: "x: float64[2]"}, "float64[2]\n[3. 3.]\n", ""},
		{question{Formula: "x*0", Inputs: "x: int32[n]", Sizes: map[string]int{"n": 2}, Tiling: true}, "int32[2]\n[0 0]\n", ""},
		{question{Graph: strings.ReplaceAll(graph, ", 2", ", %x"), Sizes: map[string]int{"n": 1}}, "float32[1,3]", ""},
		{question{Model: model}, "float32[", ""},
		{question{}, "", "an operand is missing"},
		{question{Formula: "sotmax(x)", Inputs: "x: float32[n]"}, "", "there is no function sotmax: did you mean softmax?\n\tsotmax(x)\n\t^"},
		{question{Formula: "x", Inputs: "x float32[n]"}, "", "write a name, a type and a shape"},
		{question{Formula: "x", Inputs: "x: f32[n"}, "", "write a name, a type and a shape"},
		{question{Formula: "x", Inputs: "x: f32\nx: f32"}, "", "the input x is given twice"},
		{question{Formula: "x[3]", Inputs: "x: f32[n]", Sizes: map[string]int{"n": 2}}, "", "index 3 is outside axis 0"},
		{question{Formula: "x", Inputs: "x: f32[n]", Sizes: map[string]int{"n": -2}}, "", "the size n is -2"},
		{question{Formula: "x*2", Inputs: "x: f64[n,n,n]", Sizes: map[string]int{"n": 1 << 20}}, "", "bytes"},
		{question{Graph: "nonsense"}, "", "a program's text begins with"},
		{question{Graph: "func f(%x: f32[2]) {\n  %0 = mul %y, %x : f32[2]\n  return %0\n}\n"}, "", "%y"},
		{question{Model: []byte("no model")}, "", "onnx"},
	} {
		text, err := json.Marshal(c.q)
		require.NoError(t, err)
		got, err := http.Post(server.URL+"/answer", "application/json", bytes.NewReader(text))
		require.NoError(t, err)
		var r reply
		require.NoError(t, json.NewDecoder(got.Body).Decode(&r))
		got.Body.Close()
		require.Contains(t, r.Error, c.failed, "%s", text)
		require.Contains(t, r.Output, c.output, "%s: %s", text, r.Error)
		require.Equal(t, c.failed == "", r.Error == "", "%s: %s", text, r.Error)
		require.Equal(t, r.Error == "", strings.Contains(r.Page, "<!doctype html>"), "%s", text)
	}
	for path, status := range map[string]int{"/": 200, "/explorer.js": 200, "/engine.js": 200, "/main.go": 404} {
		got, err := http.Get(server.URL + path)
		require.NoError(t, err)
		got.Body.Close()
		require.Equal(t, status, got.StatusCode, path)
	}
	foreign, err := http.NewRequest("POST", server.URL+"/answer", strings.NewReader("{}"))
	require.NoError(t, err)
	foreign.Header.Set("Origin", "http://elsewhere.example")
	got, err := http.DefaultClient.Do(foreign)
	require.NoError(t, err)
	got.Body.Close()
	require.Equal(t, http.StatusForbidden, got.StatusCode)
}

// TestExploreSaysThatItBuilds: the folder takes minutes, so the command says so beforehand.
func TestExploreSaysThatItBuilds(t *testing.T) {
	var stderr bytes.Buffer
	tool := &tool{stdout: io.Discard, stderr: &stderr, pipeline: passes.Default}
	t.Setenv("PATH", t.TempDir()) // without Go
	require.Error(t, tool.writeExplorer(t.Context(), t.TempDir()))
	require.Equal(t, "go build makes WebAssembly of this command: the first time in up to 4 minutes, then in seconds\n", stderr.String())
}
