package stridefuse

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/stridefuse/stridefuse/"

// allowed lists which packages of the module each package may import. Data
// flows one way: passes and runtime never see each other, nothing calls up.
var allowed = map[string][]string{
	"ir":             {},
	"passes":         {"ir"},
	"runtime":        {"ir"},
	"graph":          {"ir", "passes", "runtime"},
	"codegen":        {"ir"},
	"codegen/avo":    {"ir", "codegen"},
	"cmd/genkernels": {"ir", "codegen", "codegen/avo"},
}

func TestImportEdges(t *testing.T) {
	for pkg, may := range allowed {
		for _, dep := range strings.Fields(list(t, "-f", `{{join .Imports "\n"}}`, "./"+pkg)) {
			if rest, ok := strings.CutPrefix(dep, module); ok {
				require.Contains(t, may, rest, "%s imports %s", pkg, rest)
			}
		}
	}
}

// TestUserBinariesStayLean lists what a program that imports graph links.
func TestUserBinariesStayLean(t *testing.T) {
	for _, dep := range strings.Fields(list(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./graph", "./examples/hillshade")) {
		ours := strings.HasPrefix(dep, module) && !strings.HasPrefix(dep, module+"codegen") && !strings.HasPrefix(dep, module+"cmd")
		require.True(t, ours || strings.HasPrefix(dep, "golang.org/x/sys/") || strings.HasPrefix(dep, "golang.org/x/exp/"), dep)
	}
	users := list(t, "-deps", "-f", "{{.ImportPath}}", "./graph")
	require.NotContains(t, users, "avo")
	require.NotContains(t, users, "testify")
}

func TestOnlyTheGeneratorReachesAvo(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(list(t, "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")), "\n") {
		pkg, deps, _ := strings.Cut(line, " ")
		if slices.Contains(strings.Fields(deps), "github.com/mmcloughlin/avo/ir") {
			require.Contains(t, []string{module + "codegen/avo", module + "cmd/genkernels"}, pkg)
		}
	}
}

func list(t *testing.T, args ...string) string {
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err)
	return string(out)
}
