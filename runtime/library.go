package runtime

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin"
	"github.com/stridefuse/stridefuse/runtime/lines"
)

var builtins sync.Once

// registerBuiltins registers the library's own kernels. Every lookup of kernels calls it first, so that programs that compile no graph link
// none of them.
func registerBuiltins() {
	builtins.Do(func() {
		builtin.Register()
		lines.Register()
	})
}

// call is where Go's runtime can stop a goroutine that does nothing but call
// kernels: assembly can't be interrupted, and neither a loop around it nor the
// wrapper of a func value has a point to stop at. This function's prologue has,
// if it is neither inlined nor a leaf. Without it a garbage collection waits for
// seconds.
//
//go:noinline
func call(fn func(*abi.Frame), f *abi.Frame) { fn(f) }

// Engine returns the best engine that has a kernel of a signature: "avx512", "avx2" or "portable", among those that the executor uses.
func (e *Executor) Engine(signature string) (string, bool) {
	_, on, ok := e.finder().find(signature)
	return on.String(), ok
}

// Best returns the best engine that the executor uses.
func (e *Executor) Best() abi.Engine { return e.finder().best }

// Vector returns the size in bytes of the vectors of an engine's kernels.
func (e *Executor) Vector(engine string) int {
	for on := range abi.NumEngines {
		if on.String() == engine {
			return on.Vector()
		}
	}
	panic("BUG: runtime: there is no engine " + engine)
}

// Parallelism returns the greatest number of goroutines that compute one run.
func (e *Executor) Parallelism() int { return e.workers().size + 1 }

// Assembly reports whether calls use assembly if it exists.
func (e *Executor) Assembly() bool { return e.finder().best != abi.Portable }

// BestVector returns the size in bytes of the vectors of the best engine's kernels.
func (e *Executor) BestVector() int { return e.finder().best.Vector() }

// Machine returns the machine for which plans of the executor are made: Tuning, or that of tuning for its engine, with the executor's number
// of workers and vectors.
func (e *Executor) Machine() *tuning.Machine {
	m := *e.tuned()
	if e.Tuning == nil && e.Best() == abi.NEON {
		m = *tuning.NEON(1)
	}
	m.Workers, m.ShortSums = e.Parallelism(), e.Assembly()
	m.SetVector(e.BestVector())
	return &m
}

// Version returns a number that increases when kernels are registered.
func (e *Executor) Version() int {
	registerBuiltins()
	return abi.Version()
}

// finder looks kernels up, trying the best engine first.
type finder struct {
	lookup func(abi.Engine, string) (func(*abi.Frame), bool) // tests; nil is abi.Find
	best   abi.Engine
}

func (e *Executor) finder() finder {
	registerBuiltins()
	f := finder{lookup: e.lookup, best: abi.Best()}
	switch {
	case e.Portable:
		f.best = abi.Portable
	case e.AVX2:
		f.best = min(f.best, abi.AVX2)
	}
	return f
}

// find returns the kernel of a signature and its engine. A kernel that exists only in assembly is computed by its definition if the processor
// cannot run the assembly.
func (f finder) find(sig string) (fn func(*abi.Frame), on abi.Engine, ok bool) {
	if f.lookup == nil {
		fn, on, ok = abi.Find(f.best, sig)
		if !ok && f.best == abi.Portable && Compiled(sig) {
			d := defined(sig)
			return d.compute, abi.Portable, d.takesPlace()
		}
		return fn, on, ok
	}
	for i := range f.best + 1 {
		on := f.best - i
		if fn, ok := f.lookup(on, sig); ok {
			return fn, on, true
		}
	}
	return nil, 0, false
}

// Compiled reports whether any engine has a kernel of a signature.
func Compiled(signature string) bool {
	registerBuiltins()
	_, _, ok := abi.Find(abi.NumEngines-1, signature)
	return ok
}
