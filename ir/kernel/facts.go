package kernel

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Facts about kernels that the verifier of schedules and the runtime use, in addition to the arguments. Those of a micro-kernel
// are columns of the table; all elementwise kernels have the same.

// CacheLine is the size of a cache line in bytes.
const CacheLine = 64

// Unit is the unit that the time of a call is counted in.
type Unit uint8

// The units, each for one element of a block.
const (
	noUnit   Unit = iota
	Computed      // its operands are read or written, and the body is computed
	Moved         // it is copied to or from strided elements
	Paired        // a pair is multiplied and added
	Selected      // it is combined with elements of rows that indices select
)

// Time describes the time of a call: proportional to the elements of its block (or, if PerRow, to its columns), Times over, in a
// unit. If Indexed is set, each row takes additional time, because an index tells where it is.
// If Stops is set, a call may take long, so the kernel asks abi.Frame.Stopped at times.
type Time struct {
	Unit    Unit
	Times   Extent // One or a field
	PerRow  bool
	Indexed bool
	Stops   bool
}

// TimeOf returns the time of a call of a kernel.
func TimeOf(c Code) Time {
	m, ok := c.(*Micro)
	if !ok {
		return Time{Unit: Computed}
	}
	t := micros[m.Kind].time
	if t.Unit == noUnit {
		panic(fmt.Sprintf("BUG: kernel: nothing is said of the time of %s", m.Kind))
	}
	return t
}

// InPlace reports whether an output of a kernel may be the memory of an input that
// covers the same elements.
func InPlace(c Code) bool {
	m, ok := c.(*Micro)
	return !ok || micros[m.Kind].inPlace
}

// WholeRows reports whether an element of the output depends on other columns than its own. A call of such a kernel cannot be
// divided between columns.
func WholeRows(c Code) bool {
	m, ok := c.(*Micro)
	return ok && micros[m.Kind].wholeRows
}

// The bodies with a loop that stores past the caches. For longer bodies memory is only a part of the time. Long composed ops have cold
// blocks, which leave the loop. With 64-byte vectors, functions with 4-byte results take less time than memory does, too. Emerald
// Rapids, 16M elements: exp, log, sin and sigmoid take 0.5 to 0.7 of the time of ordinary stores, gelutanh, cbrt and tan 0.6, tanh, erf
// and atan 0.75; log1p and more expensive functions 0.85 to 1, and so do log, sin, tanh and sigmoid of float64.
const (
	nonTemporalCost     = 16  // greatest cost of the body
	nonTemporalComposed = 8   // greatest cost of a composed op
	nonTemporalWide     = 109 // greatest cost of either with 64-byte vectors and 4-byte elements
	wideVector          = 64
)

// NonTemporal reports whether a kernel whose vectors have vector bytes has a loop that stores past the caches. Assembly whose
// iterations end inside cache lines lacks such a loop, and so do Go loops: these always store through the caches.
func NonTemporal(c Code, vector int) bool {
	k, ok := c.(*Kernel)
	if !ok || len(k.Out) != 1 || k.OutType(0).Size() < 4 || k.Interleaved() {
		return false
	}
	cost, composed := 0.0, 0.0
	for i := range k.Body {
		info := k.Body[i].Op.Info()
		if cost += info.Cost; info.Kind == ir.Composed {
			composed = max(composed, info.Cost)
		}
	}
	if cost <= nonTemporalCost && composed <= nonTemporalComposed {
		return true
	}
	return vector >= wideVector && cost <= nonTemporalWide && k.OutType(0).Size() == 4
}

// Fences reports whether other processors are only certain to see a kernel's stores after a call of it for no rows.
func Fences(c Code) bool {
	m, ok := c.(*Micro)
	return ok && micros[m.Kind].fences
}

// ReadsOutput reports whether a call reads elements of its output, or leaves some of them unchanged. field reports which fields
// are not 0.
func ReadsOutput(c Code, field func(i int) bool) bool {
	m, ok := c.(*Micro)
	if !ok {
		return false
	}
	info := &micros[m.Kind]
	return info.updates || info.adds != One && field(int(info.adds-Field0))
}
