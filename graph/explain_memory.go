package graph

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What Explain says of memory: which parts of arrays steps store, and how many bytes are moved.

// partsText says of the outputs of a step that are parts of an array which parts they are: " into out0[1:,:1]".
func (p *Program) partsText(pl *plan.Plan, i int) string {
	text, of, last := "", "", -1 // of what the last part is, and its buffer
	for o := range pl.Steps[i].Out {
		b := &pl.Buffers[pl.Steps[i].Out[o].Buffer]
		from, to, ok := pl.Part(i, o)
		if !ok || slices.Equal(to, b.Shape) && !slices.ContainsFunc(from, func(k int) bool { return k != 0 }) {
			continue
		}
		array, in := "", " of a temporary "+ir.ShapeOf(b.Shape...).String()
		switch b.Kind {
		case plan.ResultBuffer:
			array, in = p.outputs[b.Index].Name, ""
		case plan.ScratchBuffer:
			in = " of a block " + ir.ShapeOf(b.Shape...).String()
		}
		switch {
		case text == "":
			text = " into "
		case pl.Steps[i].Out[o].Buffer == last:
			text += " and "
		default:
			text += of + " and "
		}
		text, of, last = text+array+rangesText(from, to, b.Shape), in, pl.Steps[i].Out[o].Buffer
	}
	return text + of
}

// rangesText writes ranges of an array as Slice takes them.
func rangesText(from, to, shape []int) string {
	ranges := make([]string, len(shape))
	for k := range shape {
		if from[k] > 0 {
			ranges[k] = strconv.Itoa(from[k])
		}
		ranges[k] += ":"
		if to[k] < shape[k] {
			ranges[k] += strconv.Itoa(to[k])
		}
	}
	return "[" + strings.Join(ranges, ",") + "]"
}

func explainBytes(b *bytes.Buffer, pl *plan.Plan, arena int) {
	moved, least := traffic(pl)
	text := fmt.Sprintf("%s; inputs and outputs once each are %s", byteText(moved), byteText(least))
	if arena > 0 {
		text += "; temporaries take " + byteText(arena)
	}
	line(b, "moves", text, ir.Pos{})
}

// traffic returns how many bytes the steps of a plan read and write, and how many those are of params and results, of each no more
// than its size. What no step reads counts nothing: what is left of a slice, and a constant that was packed when the program
// was compiled.
func traffic(pl *plan.Plan) (moved, least int) {
	touched := make([]int, len(pl.Buffers)) // bytes of each buffer
	for i := range pl.Steps {
		pl.CountBytes(i, touched)
	}
	for b, buf := range pl.Buffers {
		moved += touched[b]
		if buf.Kind == plan.ParamBuffer || buf.Kind == plan.ResultBuffer {
			least += min(touched[b], buf.Size()*buf.DType.Size())
		}
	}
	return moved, least
}
