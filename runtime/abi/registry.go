package abi

import "sync"

// byEngine has the functions of one signature, nil for an engine that has none.
type byEngine [NumEngines]func(*Frame)

// registry holds the compiled kernels by signature. Generated files hand over whole
// slices, which costs nothing; they are indexed at the first lookup after that.
var registry struct {
	sync.RWMutex
	fresh []registered // not indexed yet, in order of registration
	calls int          // of Register and RegisterBuiltin
	known map[string]byEngine
}

// registered is one call of Register.
type registered struct {
	on      Engine
	kernels []Kernel
	builtin bool // see RegisterBuiltin
}

// Register makes kernels known to every plan linked from then on. Generated
// code calls it from init. Of several kernels of a signature, from several packages, the library's
// stays, or else the first; of the portable engine's the last, as the library's may compute one
// element at a time.
//
// abi is the constant that the kernels were generated for. Kernels of another
// one could not be called, and are ignored; code that names a constant this
// package no longer has does not compile. The slice must not change afterwards.
func Register(abi ABI, e Engine, kernels []Kernel) {
	if abi != ABI2 || e >= NumEngines || len(kernels) == 0 {
		return
	}
	add(registered{on: e, kernels: kernels})
}

// RegisterBuiltin is Register for the library's own kernels. Package runtime has them registered
// when the first plan is linked, after the init functions of programs.
func RegisterBuiltin(e Engine, kernels []Kernel) {
	add(registered{on: e, kernels: kernels, builtin: true})
}

func add(r registered) {
	registry.Lock()
	defer registry.Unlock()
	registry.fresh = append(registry.fresh, r)
	registry.calls++
}

// Version counts up when kernels are registered.
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

// Find returns the kernel of a signature on the best engine that has one, up to a given
// engine, and which engine that is.
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

// index indexes what has been registered since the last time.
func index() {
	registry.Lock()
	defer registry.Unlock()
	if registry.known == nil {
		n := 0
		for _, r := range registry.fresh {
			n = max(n, len(r.kernels)) // engines have the same signatures, nearly
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
