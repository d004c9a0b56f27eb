package abi

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir/scalar"
)

// byEngine has the functions of one signature, nil for an engine without one.
type byEngine [NumEngines]func(*Frame)

// registry holds the compiled kernels by signature. Generated files register whole slices, which costs nothing; the
// next lookup indexes them.
var registry struct {
	sync.RWMutex
	fresh []registered // not yet indexed, in order of registration
	calls int          // number of calls of Register and RegisterBuiltin
	known map[string]byEngine
}

// registered is one call of Register.
type registered struct {
	on      Engine
	kernels []Kernel
	builtin bool // see RegisterBuiltin
}

// Register makes kernels available to every plan linked from then on. Generated code calls it from init. If several
// packages register a signature, the library's kernel is used, or else the first. For the portable engine it is the
// last one, because the library's may compute one element at a time.
//
// abi is the constant that the kernels were generated for. Kernels of another ABI can't be called and are ignored; code
// that names a missing constant does not compile. Go loops are ignored if scalar.MulAdd32Rounds is false. The slice must not
// change afterwards.
func Register(abi ABI, e Engine, kernels []Kernel) {
	if abi != ABI2 || e >= NumEngines || len(kernels) == 0 || e == Portable && !scalar.MulAdd32Rounds() {
		return
	}
	add(registered{on: e, kernels: kernels})
}

// RegisterBuiltin is Register for the library's own kernels. Package runtime registers them when the first plan is
// linked, after the init functions of programs.
func RegisterBuiltin(e Engine, kernels []Kernel) {
	add(registered{on: e, kernels: kernels, builtin: true})
}

func add(r registered) {
	registry.Lock()
	defer registry.Unlock()
	registry.fresh = append(registry.fresh, r)
	registry.calls++
}

// Version returns a number that increases when kernels are registered.
func Version() int {
	registry.RLock()
	defer registry.RUnlock()
	return registry.calls
}

// Lookup returns the engine's kernel of a signature, which is that of a kernel.Code.
func Lookup(e Engine, sig string) (func(*Frame), bool) {
	if e >= NumEngines {
		return nil, false
	}
	fn := lookup(sig)[e]
	return fn, fn != nil
}

// Find returns the kernel of a signature on the best engine that has one, no better than the given engine, and that
// engine.
func Find(best Engine, sig string) (fn func(*Frame), on Engine, ok bool) {
	all := lookup(sig)
	for i := range best + 1 {
		if fn := all[best-i]; fn != nil {
			return fn, best - i, true
		}
	}
	return nil, 0, false
}

// lookup returns the kernels of a signature.
func lookup(sig string) byEngine {
	registry.RLock()
	for len(registry.fresh) > 0 {
		registry.RUnlock()
		index()
		registry.RLock()
	}
	defer registry.RUnlock()
	return registry.known[sig]
}

// index indexes the kernels registered since the last call.
func index() {
	registry.Lock()
	defer registry.Unlock()
	if registry.known == nil {
		n := 0
		for _, r := range registry.fresh {
			n = max(n, len(r.kernels)) // the engines have nearly the same signatures
		}
		registry.known = make(map[string]byEngine, n)
	}
	for _, r := range registry.fresh {
		for _, k := range r.kernels {
			all := registry.known[k.Sig]
			if all[r.on] == nil || r.builtin != (r.on == Portable) {
				all[r.on] = k.Fn
				registry.known[k.Sig] = all
			}
		}
	}
	registry.fresh = nil
}
