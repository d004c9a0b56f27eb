package graph

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// mostDumped is the most elements of captured tensors that a dump has, together.
const mostDumped = 1 << 16

// paramsText returns a line for each input whose source line is known, and one for each captured tensor, with its elements or, if they are
// too many, their checksum:
//
//	// input x : f32[n,2] // main.go:14
//	// constant const0 : f32[2,2] = 1 0.5 -1 2 // main.go:15
//	// variable const1 : f32[4096,4096] sum 8c5f60a1b2d3e4f5
//
// A constant never changes. A variable is as it was when the dump was written.
func (p *Program) paramsText() string {
	var b strings.Builder
	c, left := p.compiled, mostDumped
	for _, v := range c.Func.Params[:c.Inputs] {
		if v.Pos != (ir.Pos{}) {
			fmt.Fprintf(&b, "// input %s : %s%s\n", ir.NameText(v.Name()), v.Type, v.Pos.Trailing())
		}
	}
	for i, t := range c.Captured[:len(c.Captured)-len(c.OnceTo)] {
		v := c.Func.Params[c.Inputs+i]
		kind := "variable"
		if c.IsFrozen(c.Inputs + i) {
			kind = "constant"
		}
		fmt.Fprintf(&b, "// %s %s : %s", kind, ir.NameText(v.Name()), v.Type)
		if t.Size() > left {
			fmt.Fprintf(&b, " sum %016x%s\n", Checksum(t), v.Pos.Trailing())
			continue
		}
		left -= t.Size()
		b.WriteString(" =")
		for bits := range tensor.Words(t) {
			b.WriteString(" " + ir.ConstText(t.DType(), bits))
		}
		b.WriteString(v.Pos.Trailing() + "\n")
	}
	return b.String()
}

// Checksum returns a number that tells tensors with other elements apart. Dumps have it in place of the elements of large
// constants. A nil or failed tensor has no elements.
func Checksum(t *Tensor) uint64 {
	h := fnv.New64a()
	var block [4096]byte // of words
	n := 0
	for bits := range tensor.Words(t) {
		binary.LittleEndian.PutUint64(block[n:], bits)
		if n += 8; n == len(block) {
			h.Write(block[:])
			n = 0
		}
	}
	h.Write(block[:n])
	return h.Sum64()
}
