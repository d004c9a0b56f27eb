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

var (
	cacheRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `(\\w+)` \\|")
	// declared finds the name of a variable, type or field that is made of pools or concurrent maps.
	declared = regexp.MustCompile(`(?m)^\s*(?:var\s+|type\s+)?(\w+)\s[^/\n]*sync\.(?:Pool|Map)\b`)
	mentions = regexp.MustCompile(`(?m)^[^/\n]*sync\.(?:Pool|Map)\b`)
)

// TestCaches compares the table of caches and pools in docs/architecture.md with the source: each sync.Pool and sync.Map
// has a row, and each row is of something that exists. There are at most nine.
func TestCaches(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "## Caches and pools")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	listed := map[string]bool{}
	for _, row := range cacheRow.FindAllStringSubmatch(table, -1) {
		listed[row[1]+"."+row[2]] = true
	}
	require.LessOrEqual(t, len(listed), 9, "what holds the new memory, of those that are listed?")
	source := map[string]string{} // by folder
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || path == ".":
			return err
		case d.IsDir() && (path == "x" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")): // x has modules of its own
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if !strings.HasPrefix(string(text), "// Code generated") {
			source[filepath.ToSlash(filepath.Dir(path))] += string(text)
		}
		return err
	}))
	for folder, text := range source {
		names := declared.FindAllStringSubmatch(text, -1)
		require.Len(t, mentions.FindAllString(text, -1), len(names), "%s: declare each sync.Pool and sync.Map on a line of its own", folder)
		for _, name := range names {
			require.True(t, listed[folder+"."+name[1]], "%s in %s is not in the table of caches in docs/architecture.md", name[1], folder)
		}
	}
	for row := range listed {
		at := strings.LastIndex(row, ".")
		require.Regexp(t, `(?m)^\s*(?:var |type )?`+row[at+1:]+` `, source[row[:at]], "the table of caches in docs/architecture.md lists what is not there: %s", row)
	}
}
