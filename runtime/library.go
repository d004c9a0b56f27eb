package runtime

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin"
	"github.com/stridefuse/stridefuse/runtime/lines"
)

var builtins sync.Once

// registerBuiltins makes the library's own kernels known. Whatever looks a kernel up calls it
// before, so that programs that compile no graph link none of them.
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

// Engine returns the best engine that has a kernel of a signature, "avx512", "avx2" or
// "portable", among those that the executor uses.
func (e *Executor) Engine(signature string) (string, bool) {
	_, on, ok := e.finder().find(signature)
	return on.String(), ok
}

// Vector returns how many bytes a vector has of the kernels of an engine.
func (e *Executor) Vector(engine string) int {
	for on := range abi.NumEngines {
		if on.String() == engine {
			return on.Vector()
		}
	}
	panic("BUG: runtime: there is no engine " + engine)
}

// Parallelism returns how many goroutines compute one run at most.
func (e *Executor) Parallelism() int { return e.workers().size + 1 }

// Assembly reports whether calls take assembly where there is some.
func (e *Executor) Assembly() bool { return e.finder().best != abi.Portable }

// BestVector returns how many bytes a vector of the best engine's kernels has.
func (e *Executor) BestVector() int { return e.finder().best.Vector() }

// Machine returns the machine for which plans are made that the executor runs: Tuning, or tuning.Default, with the number of
// workers and the vectors of the executor.
func (e *Executor) Machine() *tuning.Machine {
	m := *e.tuned()
	m.Workers, m.ShortSums = e.Parallelism(), e.Assembly()
	m.SetVector(e.BestVector())
	return &m
}

// Version counts up when there are more kernels.
func (e *Executor) Version() int {
	registerBuiltins()
	return abi.Version()
}

// finder looks kernels up, on the best engine first.
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

// find returns the kernel of a signature and the engine that has it. What is in assembly alone is
// computed by its definition where that can't run.
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
