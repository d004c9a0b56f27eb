package stridefuse

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinks checks that each relative link of a page leads to a file, and to a heading if it names one, and that the
// index of docs has every page.
func TestLinks(t *testing.T) {
	link, code := regexp.MustCompile(`\]\(([^)\s]+)\)`), regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\n    [^\n]*")
	var pages []string
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") && !strings.Contains(path, "testdata") {
			pages = append(pages, path)
		}
		return err
	}))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") { // another site
				continue
			}
			target := page
			if to != "" {
				target = filepath.Join(filepath.Dir(page), to)
			}
			content, err := os.ReadFile(target)
			if err != nil {
				_, err = os.Stat(target) // a folder
			}
			require.NoError(t, err, "%s: %s", page, m[1])
			if heading != "" {
				require.Contains(t, anchors(string(content)), heading, "%s: %s", page, m[1])
			}
		}
	}
	index, err := os.ReadFile("docs/README.md")
	require.NoError(t, err)
	all, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	for _, page := range all {
		if name := filepath.Base(page); name != "README.md" {
			require.Contains(t, string(index), "]("+name+")", "docs/README.md does not list the page")
		}
	}
}

// anchors returns the names by which links reach the headings of a page.
func anchors(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if title, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); is && strings.HasPrefix(line, "#") {
			title = regexp.MustCompile("[^a-z0-9 _-]").ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			out = append(out, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return out
}
