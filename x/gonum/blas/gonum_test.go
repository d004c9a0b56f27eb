package blas

// gonum's own tests of mat and lapack with this BLAS: a copy of gonum's module, in which a file of each package imports this one. A second
// run has no limits, so that every call comes to this package, however small. (An example then prints another last digit of 16.)

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

var allOfGonum = flag.Bool("gonum", false, "run all of gonum's tests of mat and lapack, which takes minutes")

// gonumTests are the tests that run without the flag: factorizations, solves and products.
var gonumTests = map[string]string{
	"mat":          "Mul|Product|LU|QR|LQ|Chol|SVD|Eigen|Solve|Inverse|Det|Outer|Rank|Norm",
	"lapack/gonum": "Dgetrf|Dgetrs|Dpotrf|Dpotri|Dgeqrf|Dormqr|Dorgqr|Dtrtri|Dgebrd|Dsytrd|Dlarfb|Dlauum",
}

func TestGonumsTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds gonum's tests")
	}
	if abi.Best() == abi.Portable {
		t.Skip("the machine has no kernels, so the BLAS is gonum's")
	}
	dir := copyOfGonum(t)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, abs(t, "zz_eager.go"), filepath.Join(dir, "eager.go")), 0o666))
	for pkg, tests := range gonumTests {
		args := []string{"test", "-short", "-run", tests, "./" + pkg}
		if *allOfGonum {
			args = []string{"test", "-timeout", "1h", "./" + pkg}
		}
		t.Run(pkg+"/measured", func(t *testing.T) { run(t, dir, args...) })
		t.Run(pkg+"/eager", func(t *testing.T) { run(t, dir, slices.Insert(args, 1, "-overlay", overlay, "-skip", "Example")...) })
	}
}

// eagerFile makes all limits of this package those of the tests.
const eagerFile = `package blas

func init() {
	float64Limits = limits{part: 1000, packRows: 9, farBytes: 64, setBytes: 256, leftBytes: 4 << 10, rightBytes: 16 << 10}
	float32Limits = float64Limits
}
`

// usesOurs is a test file of a package of gonum. It fails if this BLAS is not what the package uses.
const usesOurs = `package %s

import (
	"fmt"
	"strings"
	"testing"

	_ "github.com/stridefuse/stridefuse/x/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// The name has those of all tests, so that it runs with any.
func Test_Mul_Dgetrf(t *testing.T) {
	if name := fmt.Sprintf("%%T", blas64.Implementation()); !strings.HasPrefix(name, "*blas.") {
		t.Fatal("the BLAS is", name)
	}
}
`

// copyOfGonum returns the folder of a copy of gonum's module, whose tests of mat and lapack use this BLAS.
func copyOfGonum(t *testing.T) string {
	from := run(t, ".", "list", "-m", "-f", "{{.Dir}}", "gonum.org/v1/gonum")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	run(t, dir, "mod", "edit", "-require", "github.com/stridefuse/stridefuse/x/gonum@v0.0.0", "-replace", "github.com/stridefuse/stridefuse/x/gonum="+abs(t, ".."),
		"-replace", "github.com/stridefuse/stridefuse="+abs(t, "../../.."))
	sums, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	old, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), append(old, sums...), 0o666))
	for path, text := range map[string]string{"mat/zz_ours_test.go": fmt.Sprintf(usesOurs, "mat"), "lapack/gonum/zz_ours_test.go": fmt.Sprintf(usesOurs, "gonum"), "eager.go": eagerFile} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o666))
	}
	return dir
}

func abs(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

// run runs the go command in a folder and returns its output.
func run(t *testing.T, dir string, args ...string) string {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %v:\n%s", args, out)
	return strings.TrimSpace(string(out))
}
