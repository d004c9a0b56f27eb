package graph

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What Explain says about memory: which parts of arrays steps store, which outputs may share memory with inputs, and how
// many bytes are moved.

// partsText returns which parts of arrays the outputs of a step are: " into out0[1:,:1]". It is empty if they are whole
// arrays.
func (p *Program) partsText(pl *plan.Plan, i int) string {
	text, of, last := "", "", -1 // the text, the array of the last part, and its buffer
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

// rangesText formats index ranges of an array as Slice takes them.
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

// traffic returns how many bytes the steps of a plan read and write, and how many of them are params and results, each
// counted up to its size. Buffers that no step reads count nothing, such as a constant that was packed at compile time.
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

// mostInPlace is the most inputs that Explain names for in-place outputs.
const mostInPlace = 8

// explainInPlace names the inputs whose memory an output may share without a copy. It leaves out steps that would copy
// elements onto themselves.
func (p *Program) explainInPlace(b *bytes.Buffer, bound *program.Binding) {
	pl := bound.Plan
	nests, err := p.compiled.ScheduleInPlace(bound)
	if err != nil {
		return
	}
	sharing := nests.Sharing()
	for r, result := range pl.Buffers {
		if result.Kind != plan.ResultBuffer {
			continue
		}
		var names []string
		for _, k := range sharing.Params(r, mostInPlace) {
			at := pl.Buffers[k].Index
			if at >= len(p.inputs) {
				continue
			}
			kept, ok := sharing.InPlace(r, k)
			if !ok {
				continue
			}
			name := p.inputs[at].Name
			if len(kept) > 0 {
				var steps []string
				for _, task := range kept {
					steps = append(steps, strconv.Itoa(nests.Tasks[task].First))
				}
				name += " (without steps " + strings.Join(steps, ", ") + ")"
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			line(b, "inplace", p.outputs[result.Index].Name+" can be computed in place of "+strings.Join(names, ", "), ir.Pos{})
		}
	}
}

// bytesOf returns the bytes of a plan's buffers of a kind.
func bytesOf(pl *plan.Plan, kind plan.BufferKind) int {
	n := 0
	for i := range pl.Buffers {
		if buf := &pl.Buffers[i]; buf.Kind == kind {
			n += buf.Size() * buf.DType.Size()
		}
	}
	return n
}
