package builtin

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	irkernel "github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

var (
	fullElementary   = flag.Bool("elementary.full", false, "TestElementary computes functions of 2^26 numbers, not of 2^18")
	onlyElementary   = flag.String("elementary.only", "", "the functions of TestElementary, separated by commas; all without it")
	updateElementary = flag.Bool("update", false, "rewrite testdata/elementary.txt")
)

// inputBits are the logarithms of the numbers of inputs for which testdata/elementary.txt has hashes.
var inputBits = [2]int{18, 26}

// TestElementary compares the functions of one float32 on the best engine (STRIDEFUSE_CPU chooses another one) with
// testdata/elementary.txt, which has a line for each: its name, and hashes of its results for 2^18 and 2^26 inputs. Every processor
// must compute these bits.
func TestElementary(t *testing.T) {
	Register()
	path := filepath.Join("testdata", "elementary.txt")
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	known := map[string][]string{}
	for line := range strings.Lines(string(file)) {
		fields := strings.Fields(line)
		known[fields[0]] = fields[1:]
	}
	form := 0
	if *fullElementary {
		form = 1
	}
	var text strings.Builder
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Kind != ir.Composed || info.Arity != 1 || !info.Domain.Has(ir.Float32) {
			continue
		}
		name := op.String()
		if *onlyElementary != "" && !strings.Contains(","+*onlyElementary+",", ","+name+",") {
			if line := known[name]; line != nil {
				fmt.Fprintf(&text, "%s %s\n", name, strings.Join(line, " "))
			}
			continue
		}
		k, err := irkernel.SingleOp(op, ir.Float32, irkernel.Operand{DType: ir.Float32})
		require.NoError(t, err)
		fn, on, ok := abi.Find(abi.Best(), k.Signature())
		if !ok || k.OutType(0) != ir.Float32 {
			continue // it has no built-in kernel, or tells of a number: isinf
		}
		got := hashOf(fn, inputBits[form])
		t.Logf("%s on %s: %s", name, on, got)
		if *updateElementary {
			fmt.Fprintf(&text, "%s %s %s\n", name, hashOf(fn, inputBits[0]), hashOf(fn, inputBits[1]))
			continue
		}
		require.Len(t, known[name], 2, "%s is not in %s: run go test ./runtime/builtin -run Elementary -update", name, path)
		require.Equal(t, known[name][form], got, "%s on %s", name, on)
	}
	if *updateElementary {
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
	}
}

// hashOf returns a hash of a function's results for 2^bits inputs, one of each 2^(32-bits) consecutive patterns of bits. All NaNs count as
// one.
func hashOf(fn func(*abi.Frame), bits int) string {
	in, out := make([]float32, 1<<12), make([]float32, 1<<12)
	f := &abi.Frame{Rows: 1, Cols: len(in)}
	f.Ptr[0], f.Ptr[1] = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])
	apart := 32 - bits
	hash := uint64(14695981039346656037) // FNV-1a, on words
	for first := uint32(0); first < 1<<bits; first += uint32(len(in)) {
		for i := range in {
			n := first + uint32(i)
			in[i] = math.Float32frombits(n<<apart | n*0x9e3779b9>>(32-apart))
		}
		fn(f)
		for _, y := range out {
			word := math.Float32bits(y)
			if y != y {
				word = 0x7fc00000
			}
			hash = (hash ^ uint64(word)) * 1099511628211
		}
	}
	return fmt.Sprintf("%016x", hash)
}
