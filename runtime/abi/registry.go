package abi

import "sync"

// Registry holds the compiled kernels by engine and signature. Generated files
// hand over whole slices at init, which costs nothing; they are indexed when a
// plan is first linked.
var Registry struct {
	sync.RWMutex
	fresh [NumEngines][][]Kernel // not indexed yet, in order of registration
	Known [NumEngines]map[string]func(*Frame)
}

// Register makes kernels known to every plan linked from then on. Generated
// code calls it from init. The first kernel of a signature stays; later ones
// are the same function of the same text, from another package, and are dropped.
//
// abi is the constant that the kernels were generated for. Kernels of another
// one could not be called, and are ignored; code that names a constant this
// package no longer has does not compile. The slice must not change afterwards.
func Register(abi ABI, e Engine, kernels []Kernel) {
	if abi != ABI1 || e >= NumEngines || len(kernels) == 0 {
		return
	}
	Registry.Lock()
	defer Registry.Unlock()
	Registry.fresh[e] = append(Registry.fresh[e], kernels)
}

// Lookup returns the engine's kernel of a signature, the text of a canonical
// ir.Kernel.
func Lookup(e Engine, sig string) (func(*Frame), bool) {
	if e >= NumEngines {
		return nil, false
	}
	Registry.RLock()
	fn, ok := Registry.Known[e][sig]
	fresh := len(Registry.fresh[e]) > 0
	Registry.RUnlock()
	if !ok && fresh { // what is known came first, so a hit needs no second look
		indexKernels(e)
		return Lookup(e, sig)
	}
	return fn, ok
}

func indexKernels(e Engine) {
	Registry.Lock()
	defer Registry.Unlock()
	known := Registry.Known[e]
	if known == nil {
		known = map[string]func(*Frame){}
		Registry.Known[e] = known
	}
	for _, kernels := range Registry.fresh[e] {
		for _, k := range kernels {
			if _, taken := known[k.Sig]; !taken && k.Fn != nil {
				known[k.Sig] = k.Fn
			}
		}
	}
	Registry.fresh[e] = nil
}
