package kernel

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Facts of kernels that the verifier of schedules and the runtime use, besides its arguments.
// Those of a micro-kernel are columns of the table; all elementwise kernels have the same.

// CacheLine is the bytes of a line of the caches.
const CacheLine = 64

// Unit says what the time of a call is counted in.
type Unit uint8

// The units, each for one element of a block.
const (
	noUnit   Unit = iota
	Computed      // its operands are read or written, and the body is computed
	Moved         // it is copied to or from elements that are apart
	Paired        // a pair is multiplied and added
	Selected      // it is combined with others of rows that indices select
)

// Time says what the time of a call is proportional to: the elements of its block, each
// Times over, in a unit. If it is PerRow, Times is instead of the columns. If it is Indexed, each
// row takes time besides, as an index says where it is.
type Time struct {
	Unit    Unit
	Times   Extent // One or a field
	PerRow  bool
	Indexed bool
}

// TimeOf returns what the time of a call of a kernel is proportional to.
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

// WholeRows reports whether an element of the output depends on other columns than its
// own, so that a call cannot be divided between columns.
func WholeRows(c Code) bool {
	m, ok := c.(*Micro)
	return ok && micros[m.Kind].wholeRows
}

// The bodies that have a loop which stores past the caches: of a longer one memory is only a
// part of the time. Long composed ops have blocks for rare cases, which leave the loop. With vectors
// of 64 bytes functions with results of four bytes take less time than memory does, too. Xeon (Emerald Rapids), 16M
// elements: exp, log, sin and sigmoid take 0.5 to 0.7 of the time of ordinary stores, gelutanh, cbrt and tan 0.6, tanh, erf
// and atan 0.75; log1p and what costs more 0.85 to 1, and so do log, sin, tanh and sigmoid of float64.
const (
	nonTemporalCost     = 16  // of the body at most
	nonTemporalComposed = 8   // of a composed op at most
	nonTemporalWide     = 109 // of either with wide vectors, if elements have four bytes
	wideVector          = 64
)

// NonTemporal reports whether a kernel has a loop that stores past the caches. Its vectors have vector bytes. Assembly whose
// iterations end inside cache lines lacks the loop, and so do Go loops: these store as always.
func NonTemporal(c Code, vector int) bool {
	k, ok := c.(*Kernel)
	if !ok || len(k.Out) != 1 || k.OutType(0).Size() < 4 || k.HasChannels() {
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

// Fences reports whether other processors are sure to see what a kernel has stored only
// after a call of it for no rows.
func Fences(c Code) bool {
	m, ok := c.(*Micro)
	return ok && micros[m.Kind].fences
}

// ReadsOutput reports whether a call reads elements of its output, or leaves some of them as
// they are. field says which fields are not 0.
func ReadsOutput(c Code, field func(i int) bool) bool {
	m, ok := c.(*Micro)
	if !ok {
		return false
	}
	info := &micros[m.Kind]
	return info.updates || info.adds != One && field(int(info.adds-Field0))
}
