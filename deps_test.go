package stridefuse

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/stridefuse/stridefuse/"

// allowed lists the packages of the module that each package may import. Data flows one way: passes and runtime do not
// import each other, and no package imports one above it. Generated kernels import runtime/abi.
var allowed = map[string][]string{
	"":                              {}, // the module's own folder: documentation
	"ir/layout":                     {},
	"ir/scalar":                     {},
	"ir":                            {"ir/layout", "ir/scalar"},
	"ir/kernel":                     {"ir"},
	"ir/elementary":                 {"ir", "ir/kernel"},
	"ir/plan":                       {"ir", "ir/kernel", "ir/layout"},
	"ir/nest":                       {"ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/plan"},
	"ir/eval":                       {"ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/nest", "ir/plan"},
	"ir/tuning":                     {"ir", "ir/kernel", "ir/plan"},
	"ir/irtest":                     {"ir", "ir/eval", "ir/layout", "ir/tuning"},
	"passes/rewrite":                {"ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/plan"},
	"passes/form":                   {"ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/plan", "passes/rewrite"},
	"passes":                        {"ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/plan", "ir/tuning", "passes/form", "passes/rewrite", "passes/tile"},
	"passes/tile":                   {"ir", "ir/kernel", "ir/layout", "ir/plan", "ir/tuning"},
	"passes/schedule":               {"ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/nest", "ir/plan", "ir/tuning"},
	"runtime":                       {"ir", "ir/kernel", "ir/layout", "ir/nest", "ir/plan", "ir/tuning", "runtime/abi", "runtime/builtin", "runtime/internal/memory", "runtime/lines", "runtime/tensor"},
	"runtime/lines":                 {"ir", "ir/kernel", "ir/scalar", "runtime/abi"},
	"runtime/abi":                   {"ir/scalar"},
	"runtime/builtin":               {"ir/scalar", "runtime/abi", "runtime/builtin/portable"},
	"runtime/builtin/portable":      {"ir/scalar", "runtime/abi"},
	"runtime/internal/memory":       {"ir"},
	"runtime/jit":                   {"ir/kernel", "runtime/abi", "codegen/amd64", "codegen/arm64"},
	"runtime/tensor":                {"ir", "ir/layout", "ir/scalar", "runtime/internal/memory"},
	"runtime/kerneltest":            {"ir", "ir/elementary", "ir/kernel", "runtime/abi"},
	"graph":                         {"internal/page", "internal/program", "ir", "ir/elementary", "ir/kernel", "ir/layout", "ir/nest", "ir/plan", "ir/tuning", "passes", "runtime", "runtime/jit", "runtime/tensor"},
	"internal/program":              {"ir", "ir/kernel", "ir/layout", "ir/nest", "ir/plan", "ir/tuning", "passes", "passes/schedule", "runtime", "runtime/abi", "runtime/jit", "runtime/tensor"},
	"internal/page":                 {},
	"internal/binfile":              {"graph", "ir/layout", "runtime/tensor"},
	"internal/progress":             {},
	"graph/cmplx":                   {"graph", "runtime/tensor"},
	"formats/csv":                   {"graph", "internal/binfile"},
	"graph/formula":                 {"graph", "ir"},
	"formats/imaging":               {"graph", "runtime/abi"},
	"formats/npy":                   {"graph", "internal/binfile", "ir/layout"},
	"formats/onnx":                  {"graph", "internal/binfile", "ir", "ir/layout"},
	"formats/safetensors":           {"graph", "internal/binfile", "ir/layout"},
	"graph/sparse":                  {"graph", "runtime/tensor"},
	"stream":                        {"graph", "internal/binfile", "ir", "ir/layout", "formats/npy", "stream/blocks"},
	"stream/blocks":                 {"ir"},
	"formats/zarr":                  {"graph", "internal/binfile", "ir/layout"},
	"optim":                         {"graph", "ir", "runtime/tensor"},
	"codegen":                       {"ir", "ir/elementary", "ir/kernel", "ir/scalar"},
	"codegen/vector":                {"ir", "ir/kernel"},
	"codegen/amd64":                 {"ir", "ir/elementary", "ir/kernel", "codegen/vector"},
	"codegen/arm64":                 {"ir", "ir/elementary", "ir/kernel", "codegen/vector"},
	"codegen/avo":                   {"ir/kernel", "codegen", "codegen/amd64"},
	"cmd/genkernels":                {"internal/progress", "ir/kernel", "codegen", "codegen/arm64", "codegen/avo"},
	"cmd/hardening":                 {"graph", "internal/progress", "ir", "ir/eval", "ir/kernel", "ir/layout", "ir/nest", "ir/plan", "ir/tuning", "passes/schedule", "runtime", "runtime/abi", "runtime/builtin/portable", "runtime/tensor"},
	"cmd/stridefuse":                {"codegen", "codegen/avo", "graph/formula", "graph", "internal/page", "internal/progress", "ir", "ir/eval", "ir/kernel", "ir/layout", "ir/nest", "ir/plan", "ir/tuning", "formats/npy", "formats/onnx", "passes", "passes/schedule", "runtime", "runtime/builtin/portable", "runtime/tensor", "stream", "formats/zarr"},
	"cmd/ulp":                       {"cmd/ulp/oracle", "graph/cmplx", "codegen/amd64", "graph", "internal/progress", "ir", "ir/elementary", "ir/kernel", "runtime/abi", "runtime/builtin/portable"},
	"cmd/ulp/oracle":                {},
	"docs/recipes":                  {},
	"bench":                         {"bench/formula", "graph", "ir/kernel", "ir/tuning", "runtime", "runtime/abi"},
	"bench/basics":                  {"graph", "formats/npy"},
	"bench/larger":                  {"graph", "stream", "formats/zarr"},
	"bench/instructions":            {},
	"bench/loops":                   {"bench/formula", "graph"},
	"bench/models":                  {"graph", "formats/npy", "formats/onnx"},
	"bench/formula":                 {"graph/cmplx", "graph", "ir/scalar", "optim", "runtime/abi"},
	"examples/quickstart":           {"graph", "ir/scalar", "runtime/abi"},
	"examples/classify":             {"graph", "formats/imaging", "formats/npy", "formats/onnx"},
	"examples/fit":                  {"graph", "examples/internal/least", "examples/internal/table"},
	"examples/calibrate":            {"graph", "examples/blackscholes/greeks", "examples/internal/least", "formats/csv"},
	"examples/heat":                 {"graph", "formats/imaging", "optim"},
	"examples/train":                {"graph", "examples/internal/digits", "optim"},
	"examples/lookinside":           {"graph"},
	"examples/normalize":            {"graph", "examples/internal/table"},
	"examples/hillshade":            {"graph", "examples/internal/table", "examples/hillshade/shade"},
	"examples/hillshade/shade":      {"graph", "ir/scalar", "runtime/abi"},
	"examples/blackscholes":         {"graph", "examples/blackscholes/greeks"},
	"examples/blackscholes/greeks":  {"graph", "ir/scalar", "runtime/abi"},
	"examples/gridstats":            {"examples/gridstats/statistics", "examples/internal/rate", "examples/internal/tile", "formats/npy", "stream"},
	"examples/gridstats/statistics": {"graph"},
	"examples/kmeans":               {"examples/internal/digits", "examples/internal/rate", "examples/internal/tile", "examples/kmeans/lloyd", "graph", "formats/npy", "stream"},
	"examples/kmeans/lloyd":         {"graph"},
	"examples/search":               {"examples/internal/rate", "examples/search/nearest", "graph", "formats/npy", "stream"},
	"examples/search/nearest":       {"graph"},
	"examples/internal/digits":      {"graph", "formats/npy"},
	"examples/internal/least":       {"graph"},
	"examples/internal/tile":        {"graph", "formats/npy"},
	"examples/internal/rate":        {"graph"},
	"examples/internal/table":       {},
}

// TestImportEdges checks that each package imports only what the table allows, and that the table lists exactly the
// packages that exist.
func TestImportEdges(t *testing.T) {
	found := map[string]bool{}
	for line := range strings.Lines(list(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")) {
		fields := strings.Fields(line)
		pkg := name(fields[0])
		may, listed := allowed[pkg]
		require.True(t, listed, "package %q is not in the table of what may import what: add it", pkg)
		found[pkg] = true
		for _, dep := range fields[1:] {
			if isOurs(dep) {
				require.Contains(t, may, name(dep), "%s imports %s", pkg, dep)
			}
		}
	}
	for pkg := range allowed {
		require.True(t, found[pkg], "package %q of the table does not exist", pkg)
	}
}

func isOurs(pkg string) bool { return strings.HasPrefix(pkg+"/", module) }

// name returns a package's path in the module.
func name(pkg string) string {
	return strings.TrimSuffix(strings.TrimPrefix(pkg+"/", module), "/")
}

// linked are the other modules that a program which imports graph links.
var linked = []string{"golang.org/x/sys"}

// TestUserBinariesStayLean lists what such programs link.
func TestUserBinariesStayLean(t *testing.T) {
	others := map[string]bool{}
	args := []string{"-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{.Module.Path}}{{end}}", "./graph", "./graph/cmplx", "./formats/csv", "./graph/formula", "./formats/imaging", "./formats/npy", "./formats/onnx", "./formats/safetensors", "./graph/sparse", "./stream", "./formats/zarr", "./examples/..."}
	for line := range strings.Lines(list(t, args...)) {
		pkg, in, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case pkg == "":
		case isOurs(pkg):
			require.NotContains(t, []string{"codegen", "codegen/avo", "cmd/genkernels", "ir/irtest", "runtime/kerneltest"}, name(pkg))
		default:
			others[in] = true
		}
	}
	require.Subset(t, linked, slices.Sorted(maps.Keys(others)))
}

func TestOnlyToolsReachAvo(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(list(t, "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")), "\n") {
		pkg, deps, _ := strings.Cut(line, " ")
		if slices.Contains(strings.Fields(deps), "github.com/mmcloughlin/avo/ir") {
			require.Contains(t, []string{module + "codegen/avo", module + "cmd/genkernels", module + "cmd/stridefuse"}, pkg)
		}
	}
}

func list(t *testing.T, args ...string) string {
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err)
	return string(out)
}
