package graph

// Item is what Compile takes: a Node to compute, Nodes, or an Option.
type Item interface{ addTo(*settings) }

// Nodes are several outputs, for those kept in a slice.
type Nodes []Node

// Option changes how a program is compiled or run. None but Fast changes the
// numbers that it gives.
type Option func(*settings)

// settings are what the items of one Compile come to.
type settings struct {
	name        string
	outputs     []Node
	noBroadcast bool
	noFuse      bool
	fast        bool
	verify      bool
	portable    bool
	tilingOnly  bool
	workers     int
	workersSet  bool
	chunkElems  int // of the executor: tests
}

func (x Node) addTo(s *settings) { s.outputs = append(s.outputs, x) }

func (xs Nodes) addTo(s *settings) { s.outputs = append(s.outputs, xs...) }

func (o Option) addTo(s *settings) { o(s) }

// Name is what dumps call the program; "program" without it.
func Name(name string) Option { return func(s *settings) { s.name = name } }

// NoBroadcast makes implicit broadcasting an error: the tensors of an op must have
// one shape. Go numbers and Scalars still combine with any tensor, axes
// that a reduction kept (KeepDims) repeat, as in Softmax, and BroadcastTo says what
// it does. Axes of products are not checked.
func NoBroadcast() Option { return func(s *settings) { s.noBroadcast = true } }

// Workers sets on how many threads a run may compute, 1 or more; without it, on
// as many as GOMAXPROCS.
func Workers(n int) Option { return func(s *settings) { s.workers, s.workersSet = n, true } }

// Portable runs the Go loops in place of assembly. They give the same bits.
func Portable() Option { return func(s *settings) { s.portable = true } }

// TilingOnly computes every elementwise loop as a tiling of built-in kernels, as if no
// kernel had been generated for it: to measure what generating gains.
func TilingOnly() Option { return func(s *settings) { s.tilingOnly = true } }

// NoFusion gives every op a loop of its own: for comparing and debugging.
func NoFusion() Option { return func(s *settings) { s.noFuse = true } }

// Fast takes elementary functions of up to 4 ULP where that saves time: the table
// in the package's documentation says which those are. They too have the same
// bits on every engine. Dumps mark such a program as fast.
func Fast() Option { return func(s *settings) { s.fast = true } }

// Verify checks the compiler's own work after each of its passes. Tests use it;
// an error it finds is a bug of this library.
func Verify() Option { return func(s *settings) { s.verify = true } }
