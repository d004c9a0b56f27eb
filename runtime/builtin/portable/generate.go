// Package portable holds every built-in kernel as a Go loop. Register makes them known.
//
// Programs link it on machines that have no assembly, and with the build tag purego. On amd64
// they link the few loops of package builtin in its place, and use those where the processor
// has no AVX2. A program that often runs there is faster if it calls Register first.
//
// Results have the same bits with it and without.
package portable

//go:generate go run ../../../cmd/genkernels -portable
