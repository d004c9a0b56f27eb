package runtime

import "sync"

// registry holds the compiled kernels by engine and signature. Generated files
// hand over whole slices at init, which costs nothing; they are indexed when a
// plan is first linked.
var registry struct {
	sync.RWMutex
	fresh [numEngines][][]Kernel // not indexed yet, in order of registration
	known [numEngines]map[string]func(*Frame)
}

// Register makes kernels known to every plan linked from then on. Generated
// code calls it from init. The first kernel of a signature stays; later ones
// are the same function of the same text, from another package, and are dropped.
//
// abi is the constant that the kernels were generated for. Kernels of another
// one could not be called, and are ignored; code that names a constant this
// package no longer has does not compile. The slice must not change afterwards.
func Register(abi ABI, e Engine, kernels []Kernel) {
	if abi != ABI1 || e >= numEngines || len(kernels) == 0 {
		return
	}
	registry.Lock()
	defer registry.Unlock()
	registry.fresh[e] = append(registry.fresh[e], kernels)
}

// Lookup returns the engine's kernel of a signature, the text of a canonical
// ir.Kernel.
func Lookup(e Engine, sig string) (func(*Frame), bool) {
	if e >= numEngines {
		return nil, false
	}
	registry.RLock()
	fn, ok := registry.known[e][sig]
	fresh := len(registry.fresh[e]) > 0
	registry.RUnlock()
	if !ok && fresh { // what is known came first, so a hit needs no second look
		indexKernels(e)
		return Lookup(e, sig)
	}
	return fn, ok
}

func indexKernels(e Engine) {
	registry.Lock()
	defer registry.Unlock()
	known := registry.known[e]
	if known == nil {
		known = map[string]func(*Frame){}
		registry.known[e] = known
	}
	for _, kernels := range registry.fresh[e] {
		for _, k := range kernels {
			if _, taken := known[k.Sig]; !taken && k.Fn != nil {
				known[k.Sig] = k.Fn
			}
		}
	}
	registry.fresh[e] = nil
}
