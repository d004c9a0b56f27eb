package graph_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestPageInBrowser opens pages from disk in a headless Chromium with a value selected, and checks the resulting
// document. It runs with -long, as .ci/run does beside its other tests in a browser.
func TestPageInBrowser(t *testing.T) {
	if !*long {
		t.Skip("starts a browser: -long")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium: apt-get install chromium")
	}
	x := f32("x", 64, 100)
	softmax, err := graph.Compile(x.Softmax(1))
	require.NoError(t, err)
	dom := browse(t, chromium, softmax, "#theme=dark&select=4") // selects exp
	require.True(t, strings.Contains(dom, `data-theme="dark"`))
	for _, column := range []string{"overview", "picture", "graph", "reductions", "fuse", "steps", "schedule", "kernels"} {
		require.Regexp(t, `class="(l|n)?[ a-z]*sel"`, section(t, dom, column), column)
	}
	require.Contains(t, section(t, dom, "graph"), `<span class="o">exp</span> <span class="v" data-v="3">%2</span>`)
	footer := dom[strings.Index(dom, "<footer"):]
	require.Contains(t, footer[:strings.Index(footer, "</footer>")], "%3 = exp %2 : f32[64,100]")

	large, err := graph.Compile(thousand())
	require.NoError(t, err)
	dom = browse(t, chromium, large, "#select=700&picture=flow")
	require.Regexp(t, `class="[^"]*sel"`, section(t, dom, "schedule"))
	require.Regexp(t, `<svg id="flow" class="picture on"`, dom)
}

// browse returns the document of a program's page after its script has run.
func browse(t *testing.T, chromium string, p *graph.Program, hash string) string {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(html(t, p)), 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=5000", "--dump-dom", "file://"+file+hash)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	dom, err := cmd.Output()
	require.NoError(t, err)
	return string(dom)
}

// section returns a column of a document.
func section(t *testing.T, dom, name string) string {
	m := regexp.MustCompile(`(?s)<section class="[^"]*" data-name="` + name + `".*?</section>`).FindString(dom)
	require.NotEmpty(t, m, name)
	return m
}
