package tensor

import (
	"sync/atomic"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// Memory that ends before the tensors over it: a file that is closed, and a result that is released. A tensor and all
// views of it share one Life. Once that has ended they count as failed, so that methods and runs return an error.
// Slices of the elements cannot.

// Life says whether memory of tensors has ended. The zero Life is that of a file, and has not.
type Life struct {
	over  atomic.Bool
	isOut bool   // whether it is of a result
	block []byte // of a result: what to keep for others once it is released, or nil
}

// result is a tensor that a run makes, with its Life in the same object.
type result struct {
	Tensor
	life Life
}

// OverFile is Over for memory of a file: once life has ended, the tensor and all views of it count as failed.
func OverFile(d ir.DType, l layout.Layout, base unsafe.Pointer, life *Life) *Tensor {
	return within(d, l, base, life)
}

// OverResult is OfMemory for a result of a run, which Release may end. The block comes from Block or Take of package
// memory, or has another origin if it is not to be kept.
func OverResult(d ir.DType, l layout.Layout, block []byte, keep bool) *Tensor {
	r := &result{life: Life{isOut: true}}
	if keep {
		r.life.block = block
	}
	r.Tensor = Tensor{dtype: d, layout: l, base: unsafe.Pointer(unsafe.SliceData(block)), life: &r.life}
	return &r.Tensor
}

// within is Over for memory with a Life, or nil.
func within(d ir.DType, l layout.Layout, base unsafe.Pointer, life *Life) *Tensor {
	return &Tensor{dtype: d, layout: l, base: base, life: life}
}

// End ends the life, and reports whether it had not ended before.
func (l *Life) End() bool { return l.over.CompareAndSwap(false, true) }

// reason says why a life has ended.
func (l *Life) reason() string {
	if l.isOut {
		return "the result was released: Clone it first, or release it later"
	}
	return "the file that the tensor is memory of was closed: Clone what is needed longer"
}

// ended reports whether the memory of a non-nil tensor has ended.
func (t *Tensor) ended() bool { return t.life != nil && t.life.over.Load() }

// MayEnd reports whether the memory of a non-nil tensor may end.
func MayEnd(t *Tensor) bool { return t.life != nil }

// Release gives the memory of a result back at once, for results of later runs. Without it the garbage collector finds
// memory that nothing refers to, much later and at a greater cost. Only results can be released: of Run, RunAll and
// RunNamed, of NewResult and functions that use it, or any view of one, which releases the whole.
//
// From then on t, the result and all its views count as failed: their methods, and runs that are given one, return an
// error. A slice of Data, an iterator of All and an address of Pointer must not be used any more: their memory
// belongs to other results, which overwrite it. No goroutine may use the memory during Release. In a program that is
// built with the race detector, Release overwrites the elements with ones (NaN, -1), and such uses are reported.
//
// Release returns an error, and does nothing, for a tensor that is not of a run, and for one that has been released:
// of several calls one succeeds.
func (t *Tensor) Release() error {
	if err := t.check("release"); err != nil {
		return err
	}
	if t.life == nil || !t.life.isOut {
		return Failf("release: %s is not the result of a run: its memory is given back when nothing refers to it", t.typeText()).err
	}
	if !t.life.End() {
		return t.check("release")
	}
	memory.Keep(t.life.block)
	t.life.block = nil
	return nil
}
