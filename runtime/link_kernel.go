package runtime

import (
	"fmt"
	"sync"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// linkedKernel is the part that all calls of a kernel on an engine share.
type linkedKernel struct {
	code      kernel.Code
	signature string
	args      []kernel.Arg
	fieldsAt  int // index in Frame.Step
	// rowBytes has, for each argument of an elementwise kernel, the bytes of a row per column: 0 for one element per row. It is
	// nil for other kernels.
	rowBytes []int
	time     kernel.Time
	nanos    float64 // nanoseconds of a unit of the time
	row      float64 // additional nanoseconds of a row
	near     float64 // nanoseconds of an element found by its index in a small table, all included
	begin    float64 // additional nanoseconds of a call

	// For long calls: see pieces.go.
	leastCols int           // least number of columns
	wholeRows bool          // columns can't be divided, because each row is combined
	line      kernel.Extent // the field with the number of rows of a line of windows; One for none

	meaning kernel.Reference // of a kernel that is computed by its definition; else nil
}

// foundKernels are the kernels that linked calls of a program use.
type foundKernels map[kernel.Code]foundKernel

type foundKernel struct {
	*linkedKernel
	fn func(*abi.Frame)
}

// linkedKernels caches the *linkedKernel of all programs, by engine and signature. There are at most as many as registered kernels. The
// last map has those with a meaning.
var linkedKernels [abi.NumEngines + 1]sync.Map

// kernel returns a kernel of the library.
func (k *taskLinker) kernel(code kernel.Code) (foundKernel, error) {
	if l, known := k.kernels[code]; known {
		return l, nil
	}
	signature := code.Signature()
	fn, on, ok := k.find.find(signature)
	registered := true
	if k.l.kernels != nil && (!ok || on == abi.Portable) {
		if more, engine, has := k.l.kernels(signature); has {
			fn, on, ok, registered = more, engine, true, false
		}
	}
	if !ok {
		return foundKernel{}, fmt.Errorf("no kernel is registered for %s: run go generate, or call Register of runtime/builtin/portable", signature)
	}
	l := known(on, signature)
	if l == nil {
		if err := kernel.CheckSignature(code); err != nil { // else the registered kernel would be another one
			return foundKernel{}, err
		}
		l = linkKernel(code, signature, on)
		if registered {
			linkedKernels[on].Store(signature, l)
		}
	}
	found := foundKernel{l, fn}
	if k.kernels != nil {
		k.kernels[code] = found
	}
	return found, nil
}

// known returns the linked kernel of a signature from a map of linkedKernels, or nil.
func known(on abi.Engine, signature string) *linkedKernel {
	l, _ := linkedKernels[on].Load(signature)
	k, _ := l.(*linkedKernel)
	return k
}

// linkKernel links a kernel of an engine.
func linkKernel(code kernel.Code, signature string, on abi.Engine) *linkedKernel {
	l := &linkedKernel{code: code, signature: signature, args: code.Args(), time: kernel.TimeOf(code), leastCols: 1, wholeRows: kernel.WholeRows(code)}
	d := callTimes(on)
	l.fieldsAt, l.nanos, l.begin = len(l.args), unitNanos(d, code, l.args, l.time.Unit), d.Begin
	if l.time.Indexed {
		l.row, l.near = d.Row, d.Near
	}
	// An elementwise kernel computes each element from those at the same place, so rows without a gap between them can be treated as
	// one row.
	if _, ok := code.(*kernel.Kernel); ok {
		l.rowBytes = make([]int, len(l.args))
		for i, a := range l.args {
			if a.Inner == kernel.Cols {
				l.rowBytes[i] = a.DType.Size() * a.Each()
			}
		}
	}
	for _, a := range l.args {
		if a.Windows.Of == kernel.Rows {
			l.line = a.Windows.Line
		}
	}
	for _, limit := range kernel.LimitsOf(code) {
		if limit.Extent == kernel.Cols {
			l.leastCols = max(1, limit.Least)
		}
	}
	return l
}
