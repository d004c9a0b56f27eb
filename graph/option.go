package graph

import (
	"context"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Item is an argument of Compile: a Node to compute, Nodes, an Output with a name, or an Option.
type Item interface{ addTo(*settings) }

// Nodes are several outputs, for callers that keep them in a slice.
type Nodes []Node

// Option changes how a program is compiled or run. Only WithFast changes results.
type Option func(*settings)

// settings collects the items of one Compile.
type settings struct {
	name        string
	outputs     []Node
	names       []string // names of the outputs, where given
	inputs      []Node   // the declared inputs
	declared    bool
	noBroadcast bool
	fast        bool
	debug       Debug
	workers     int
	workersSet  bool
	plans       int
	plansSet    bool
	generated   bool
	progress    func(context.Context, Progress)
	profiled    bool
	hidden      bool // hidden from dumps
	recorders   []*recorder
	assemble    program.Assembling
	constants   map[string]*Tensor
	tuning      *tuning.Machine // constants for the executor, set by tests
}

func (x Node) addTo(s *settings) { s.outputs = append(s.outputs, x) }

func (xs Nodes) addTo(s *settings) { s.outputs = append(s.outputs, xs...) }

func (o Option) addTo(s *settings) { o(s) }

// WithName sets the name of the program in dumps and errors; the default is "program".
func WithName(name string) Option { return func(s *settings) { s.name = name } }

// WithoutBroadcast makes implicit broadcasting an error: the tensors of an op must have one shape. Exceptions are Go
// numbers, Scalars, axes that a reduction kept (KeepDims), BroadcastTo, and products, whose axes are not checked.
func WithoutBroadcast() Option { return func(s *settings) { s.noBroadcast = true } }

// WithWorkers sets the number of threads that a run may use, 1 or more. The default is GOMAXPROCS.
func WithWorkers(n int) Option { return func(s *settings) { s.workers, s.workersSet = n, true } }

// WithFast uses elementary functions with an error of about 4 ULP where that saves time; the table in the package
// documentation lists them. Their bits are also the same on every engine. Dumps mark such a program as fast.
func WithFast() Option { return func(s *settings) { s.fast = true } }

// Debug is a way to compile or run a program for comparing, measuring and finding faults. Results stay the same;
// programs are slower.
type Debug uint8

// The ways.
const (
	// Portable runs Go code instead of assembly. On amd64 there are Go loops of basic operations, and other operations
	// are computed element by element unless the program calls Register of package runtime/builtin/portable, which has
	// all loops.
	Portable Debug = 1 << iota
	// AVX2 runs assembly for AVX2 instead of AVX-512. The environment variable STRIDEFUSE_CPU=avx2 does so for all
	// programs of a process.
	AVX2
	// TilingOnly computes every elementwise loop as a tiling of built-in kernels, as if no kernel had been generated
	// for it. It shows what generating gains.
	TilingOnly
	// NoFusion gives every op a loop of its own.
	NoFusion
	// Verify checks the compiler's own work after each of its passes. Tests use it;
	// an error it finds is a bug of this library.
	Verify
	// NonFinite makes a run fail if an op makes a NaN or an infinity from finite numbers. The error, a *NonFiniteError,
	// names the first such op. Every run begins with FindNonFinite, also that of a Call.
	NonFinite
	// DivisionByZero makes a run fail if it divides an integer by zero, which otherwise gives 0. This includes
	// quotients that nothing reads, as in Where(b.Ne(0), a.Div(b), 0). The error, a *DivisionByZeroError, names the
	// first such op. Every run begins with FindDivisionByZero, also that of a Call.
	DivisionByZero
)

// WithDebug compiles or runs the program in the given ways.
func WithDebug(ways ...Debug) Option {
	return func(s *settings) {
		for _, w := range ways {
			s.debug |= w
		}
	}
}

func (d Debug) has(way Debug) bool { return d&way != 0 }
