package graph

import (
	"context"

	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Item is what Compile takes: a Node to compute, Nodes, an Output with a name, or an
// Option.
type Item interface{ addTo(*settings) }

// Nodes are several outputs, for those kept in a slice.
type Nodes []Node

// Option changes how a program is compiled or run. None but WithFast changes the
// numbers that it gives.
type Option func(*settings)

// settings are what the items of one Compile come to.
type settings struct {
	name        string
	outputs     []Node
	names       []string // of the outputs, as far as they were given
	inputs      []Node   // declared
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
	hidden      bool // from dumps
	recorders   []*recorder
	tuning      *tuning.Machine // of tests, for the executor
}

func (x Node) addTo(s *settings) { s.outputs = append(s.outputs, x) }

func (xs Nodes) addTo(s *settings) { s.outputs = append(s.outputs, xs...) }

func (o Option) addTo(s *settings) { o(s) }

// WithName sets what dumps and errors call the program; "program" without it.
func WithName(name string) Option { return func(s *settings) { s.name = name } }

// WithoutBroadcast makes implicit broadcasting an error: the tensors of an op must
// have one shape. Go numbers and Scalars still combine with any tensor, axes
// that a reduction kept (KeepDims) repeat, as in Softmax, and BroadcastTo says what
// it does. Axes of products are not checked.
func WithoutBroadcast() Option { return func(s *settings) { s.noBroadcast = true } }

// WithWorkers sets on how many threads a run may compute, 1 or more; without it, on
// as many as GOMAXPROCS.
func WithWorkers(n int) Option { return func(s *settings) { s.workers, s.workersSet = n, true } }

// WithFast takes elementary functions of about 4 ULP where that saves time: the table
// in the package's documentation says which those are. They too have the same
// bits on every engine. Dumps mark such a program as fast.
func WithFast() Option { return func(s *settings) { s.fast = true } }

// Debug is a way to compile or run a program for comparing, measuring and finding
// faults. Results are the same with any of them; programs are slower.
type Debug uint8

// The ways.
const (
	// Portable runs Go in place of assembly. On amd64 that is loops of basic operations, and what has none is
	// computed element by element, unless the program calls Register of package runtime/builtin/portable, which has
	// all loops.
	Portable Debug = 1 << iota
	// AVX2 runs assembly for AVX2 in place of AVX-512. The environment variable
	// STRIDEFUSE_CPU=avx2 does that for all programs of a process.
	AVX2
	// TilingOnly computes every elementwise loop as a tiling of built-in kernels, as
	// if no kernel had been generated for it: to measure what generating gains.
	TilingOnly
	// NoFusion gives every op a loop of its own.
	NoFusion
	// Verify checks the compiler's own work after each of its passes. Tests use it;
	// an error it finds is a bug of this library.
	Verify
	// NonFinite makes a run fail whose ops make a NaN or an infinity of numbers: the
	// error, a *NonFiniteError, names the first such op. Every run begins with
	// FindNonFinite, also that of a Call.
	NonFinite
	// DivisionByZero makes a run fail that divides an integer by zero, which gives 0 without it, also where nothing reads the
	// quotient, as in Where(b.Ne(0), a.Div(b), 0): the error, a *DivisionByZeroError, names the first op that does. Every
	// run begins with FindDivisionByZero, also that of a Call.
	DivisionByZero
)

// WithDebug compiles or runs the program in these ways too.
func WithDebug(ways ...Debug) Option {
	return func(s *settings) {
		for _, w := range ways {
			s.debug |= w
		}
	}
}

func (d Debug) has(way Debug) bool { return d&way != 0 }
