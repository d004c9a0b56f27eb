package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// How mergeSort stores a block of the last merged run: the elements that its words have, or its
// places, or the elements at these.

// inWords reports whether the words of a run have the elements themselves.
func (l *runSorter) inWords() bool { return l.run[0] == kernel.Word && !l.by.Info().Places }

// far returns what is added to places of the second run of a pair.
func (l *runSorter) far(p pair) int {
	if l.inWords() {
		return 0
	}
	return p.span
}

// lowerType returns the type of l.lower.
func (l *runSorter) lowerType() ir.DType {
	switch {
	case l.run[0] != kernel.Word:
		return ir.Int64
	case l.inWords():
		return kernel.BitsType(l.dtype)
	}
	return kernel.Place
}

// store returns the calls that store the result of a block, which has places or words: the places,
// the elements of the words, or those at the places.
func (l *runSorter) store(w *walk, last view) []nest.Item {
	lower := l.lower.inside(w)
	places := l.by.Info().Places
	if l.run[0] != kernel.Word && places {
		return []nest.Item{l.convert(w, last, kernel.Place, l.y, ir.Int64)}
	}
	items := []nest.Item{l.convert(w, last, l.run[len(l.run)-1], lower, l.lowerType())}
	switch {
	case places:
		return append(items, l.convert(w, lower, kernel.Place, l.y, ir.Int64))
	case l.inWords():
		return append(items, l.side(w, packKernel(l.dtype), lower, l.y, nest.Fixed(l.dtype.Size())))
	}
	gather := lineKernel(kernel.Gather, ir.OpInvalid, kernel.BitsType(l.dtype))
	l.need(gather)
	elements := l.call(w, gather, w.size[l.elem], nest.Fixed(1), []view{l.along(l.x, 0, 0), lower, l.y}, nest.Fixed(l.n))
	elements.Call.Args[0].Step = l.x.strides[l.elem] // of all elements of the line
	return append(items, elements)
}

// convert returns the call that converts elements of a block: of words it keeps the lower bits.
func (l *runSorter) convert(w *walk, from view, of ir.DType, to view, into ir.DType) nest.Item {
	cast, err := kernel.SingleOp(ir.OpCast, into, kernel.Operand{DType: of})
	if err != nil {
		panic("BUG: schedule: " + err.Error())
	}
	return l.side(w, cast, from, to)
}

// side returns the call of a kernel that computes elements of a block side by side.
func (l *runSorter) side(w *walk, k kernel.Code, from, to view, fields ...nest.Size) nest.Item {
	l.need(k)
	if to.strides[l.elem] == 1 {
		return l.call(w, k, nest.Fixed(1), w.size[l.elem], []view{from, to}, fields...)
	}
	return l.call(w, k, w.size[l.elem], nest.Fixed(1), []view{from, to}, fields...) // elements that are apart are rows
}
