package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// builtins is the library of the built-in kernels, all of them in assembly.
type builtins map[string]bool

func (b builtins) Engine(signature string) (string, bool) { return "avx2", b[signature] }
func (b builtins) Vector(string) int                      { return 32 }

var scanLibrary = func() builtins {
	b := builtins{}
	for _, k := range codegen.Builtins() {
		b[k.Signature()] = true
	}
	for _, d := range []ir.DType{ir.Uint8, ir.Uint16, ir.Uint32, ir.Int64} {
		b[(&kernel.Micro{Kind: kernel.Pack, Type: d}).Signature()] = true
	}
	for _, m := range kernel.LineKernels() {
		b[m.Signature()] = true
	}
	return b
}()

// scanCase is a scan of an array along its last axis or the one before.
type scanCase struct {
	by          ir.Op
	dtype       ir.DType
	shape       []int
	axis        int
	exclusive   bool
	at          layout.Layout // of the operand
	workers     int
	nonTemporal bool // wherever it is possible
	extreme     bool // elements whose sums overflow
	chunks      bool // of one row are scanned side by side: set by schedule
	machine     func(m *tuning.Machine)
}

func (c *scanCase) String() string {
	return fmt.Sprintf("%s %s %v axis %d exclusive %v strides %v workers %d nonTemporal %v",
		c.by, c.dtype, c.shape, c.axis, c.exclusive, c.at.Strides, c.workers, c.nonTemporal)
}

// step returns the step and its buffers.
func (c *scanCase) step() (*plan.Step, []plan.Buffer) {
	k, err := kernel.ParseKernel(fmt.Sprintf("kernel (u0:%s) { store u0 }", c.dtype.Text()))
	if err != nil {
		panic(err)
	}
	s := &plan.Step{Body: k}
	for axis, n := range c.shape {
		a := plan.Axis{Extent: n}
		if axis == c.axis {
			a.Role = plan.Scan
			if c.exclusive {
				a.Role = plan.ScanExclusive
			}
		}
		s.Axes = append(s.Axes, a)
	}
	s.In = []plan.Access{{Buffer: 0, Offset: c.at.Offset, Strides: c.at.Strides}}
	s.Out = []plan.Output{{Access: plan.Access{Buffer: 1, Strides: layout.RowMajor(c.shape...).Strides}, Combine: c.by}}
	return s, []plan.Buffer{
		{Kind: plan.ParamBuffer, DType: c.dtype, Shape: c.shape, At: &c.at, Name: "x"},
		{Kind: plan.ResultBuffer, DType: c.dtype, Shape: c.shape, Name: "y"},
	}
}

// schedule returns the program of a case, of the first strategy that takes it.
func (c *scanCase) schedule(t require.TestingT) *nest.Program {
	s, buffers := c.step()
	m := tuning.Default(c.workers)
	m.NonTemporalFrom = math.MaxInt
	if c.nonTemporal {
		m.NonTemporalFrom = 1
	}
	if c.machine != nil {
		c.machine(m)
	}
	target := &target{Machine: m, lib: scanLibrary, buffers: buffers, read: make([]bool, len(buffers))}
	var reasons []string
	for _, by := range offersOf(target, s) {
		d, why := by.drafted()
		if d == nil {
			reasons = append(reasons, why)
			continue
		}
		d.Choice.Strategy = by.name
		if by.name == "row-scan" {
			scan, _ := newPrefixScan(target, s, true)
			c.chunks = scan.fewLines()
		}
		p := &plan.Plan{Name: "scan", Buffers: buffers, Steps: []plan.Step{*s}}
		return programOf(p, []*Draft{d})
	}
	require.Fail(t, "no strategy", "%s: %q", c, reasons)
	return nil
}

// check checks the schedule of a case, and returns the strategy.
func (c *scanCase) check(t require.TestingT) nest.Choice {
	program := c.schedule(t)
	s, buffers := c.step()
	p := &plan.Plan{Name: "scan", Buffers: buffers, Steps: []plan.Step{*s}}
	x, rng := eval.Array{DType: c.dtype, Shape: c.shape, Data: make([]uint64, buffers[0].Size())}, rand.New(rand.NewPCG(1, 2))
	for i := range x.Data {
		x.Data[i] = c.element(rng)
	}
	require.NoError(t, eval.CheckTranslation(p, program, []eval.Array{x}), "%s\n%s", c, program)
	return program.Tasks[0].Choices[0]
}

// element returns an element: of floats mostly near 1, so that a long product stays
// in range.
func (c *scanCase) element(rng *rand.Rand) uint64 {
	if !ir.Floats.Has(c.dtype) {
		return ir.Wrap(c.dtype, int64(rng.Uint64()))
	}
	exponent := rng.Float64() - 0.5
	if c.extreme && rng.IntN(400) == 0 {
		exponent += map[ir.DType]float64{ir.Float32: 127, ir.Float64: 1023}[c.dtype]
	}
	return ir.FromFloat(c.dtype, math.Copysign(math.Exp2(exponent), rng.Float64()-0.4))
}

var (
	scanOps   = []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax}
	scanTypes = (ir.Numeric & ir.Native).List()
	scanSizes = []int{1, 2, 3, 5, 7, 8, 9, 16, 1023, 1024, 1025, 2048, 2049, 5000, 9000}
)

// TestScans compares what all strategies compute with the definition.
func TestScans(t *testing.T) {
	seen := reached{}
	seen.checkAll(t, []string{"row-scan", "row-scan/parallel", "row-scan/transposed", "column-scan", "chunks of a row"}, func(t *rapid.T) {
		c := scanCase{
			by: rapid.SampledFrom(scanOps).Draw(t, "by"), dtype: rapid.SampledFrom(scanTypes).Draw(t, "dtype"),
			exclusive: rapid.Bool().Draw(t, "exclusive"), workers: rapid.IntRange(1, 4).Draw(t, "workers"),
			nonTemporal: rapid.Bool().Draw(t, "non-temporal"), extreme: rapid.Bool().Draw(t, "extreme"),
		}
		n, rows := rapid.SampledFrom(scanSizes).Draw(t, "n"), rapid.SampledFrom([]int{1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16, 17, 20, 33, 70}).Draw(t, "rows")
		if n*rows > 20_000 {
			rows = rapid.IntRange(1, 20_000/n).Draw(t, "fewer rows")
		}
		c.shape, c.axis = []int{rows, n}, 1
		if rapid.Bool().Draw(t, "down") {
			c.shape, c.axis = []int{n, rows}, 0
		}
		if n*rows < 5000 && rapid.Bool().Draw(t, "outer") {
			c.shape, c.axis = append([]int{2}, c.shape...), c.axis+1
			if c.axis == 1 && rapid.Bool().Draw(t, "between") { // the scanned axis and the columns
				c.shape[0], c.shape[1], c.axis = c.shape[1], c.shape[0], 0
			}
		}
		c.at = drawLayout(t, c.shape)
		switch rapid.IntRange(0, 3).Draw(t, "machine") {
		case 1:
			c.machine = func(m *tuning.Machine) { *m = *irtest.Machine(500); m.Workers = c.workers }
		case 2:
			c.machine = func(m *tuning.Machine) {
				m.ScanBytes, m.ScanBytesLeast, m.PackBytes, m.ScanTileBytes = 64, 32, 256, 256
				m.WakeWork, m.ScanParallelBytes = 1, 4096
			}
		}
		seen[c.check(t).Strategy]++
		if c.chunks {
			seen["chunks of a row"]++
		}
	})
}

// drawLayout returns a layout of elements that are anyhow.
func drawLayout(t *rapid.T, shape []int) layout.Layout {
	axes := make([]int, len(shape))
	for i := range axes {
		axes[i] = i
	}
	l := layout.Layout{Shape: shape, Strides: make([]int, len(shape))}
	step := rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "step")
	order := rapid.Permutation(axes).Draw(t, "order")
	if rapid.Bool().Draw(t, "row-major") {
		return layout.RowMajor(shape...)
	}
	for i, k := range order {
		l.Strides[k] = step
		ways := []string{"zero", "forward", "forward", "backward"}
		if i == 0 {
			ways = ways[1:] // a line is not one element
		}
		switch rapid.SampledFrom(ways).Draw(t, "stride") {
		case "zero":
			l.Strides[k] = 0
			continue
		case "backward":
			l.Strides[k] = -step
			l.Offset += step * (shape[k] - 1)
		}
		step *= shape[k]
	}
	return l
}
