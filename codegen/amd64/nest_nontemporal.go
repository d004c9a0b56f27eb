package amd64

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/codegen/vector"
)

// The main loop that stores past the caches (kernel.NonTemporal). A line of the caches whose
// bytes are all written in sequence by non-temporal stores is not read from memory before.
// These stores need aligned addresses, so the elements before the first whole line and those
// after the last one are computed by the other loop and its tail. Their lines are written by
// ordinary stores, as no line should be by both.
//
// The other loops have no test for this one, as they are for short rows too. Each row of a
// frame that says past the caches is computed in parts: what is before the first whole line,
// as a block of one row, then the whole lines, then the rest as such a block again.
//
//	...    the prologue, which jumps to past if the frame says so
//	...    the other loops, which jump to last after the last row of a block
//	past:  computes a row up to the first whole line, as a block
//	last:  goes on behind a block: to done, to the rest of the row, or to the next row
//	lines: is the main loop with other stores, up to the last whole line
//	rest:  computes the elements behind it, as a block
//	done:  returns

// nonTemporal has the places in the stack frame where the loop keeps the block while a part of it is computed.
type nonTemporal struct {
	rows, cols int  // offsets: how many rows are left, and the columns of each, 0 for another block
	ahead      bool // the loop of a long body prefetches its inputs
}

// storesLines reports whether a body may have such a loop: iterations, or a few of them together, of elements of the given
// size end where cache lines end.
func storesLines(b *vector.Body, size int) bool {
	bytes := b.Graph.Machine().Lanes() * b.Unroll * size
	return bytes%cacheLine == 0 || cacheLine%bytes == 0
}

// choosePast reserves the places, and jumps to the loop if the frame, whose address is still in cx, asks for it.
func (n *nest) choosePast() {
	if n.past == nil {
		return
	}
	n.past.rows, n.past.cols = n.local(8), n.local(8)
	n.do("MOVQ", imm32(0), mem(stack(n.past.cols)))
	n.do("CMPQ", mem(at(cx, frameNonTemporal)), imm(0))
	n.do("JNE", label("past"))
}

// afterRows returns the label behind the last row of a block.
func (n *nest) afterRows() string {
	if n.past != nil {
		return "last"
	}
	return "done"
}

// nonTemporalLoop writes the loop and the code around it. A row that ends before a cache line begins is computed as a block.
// So is a row whose elements are not aligned to their size, as none of them begins a line.
func (n *nest) nonTemporalLoop() {
	if n.past == nil {
		return
	}
	out, left, rowCols := len(n.b.Graph.Kernel.In), mem(stack(n.past.rows)), mem(stack(n.past.cols))
	size := n.dtype(out).Size()
	n.here("past", "the loops that store past the caches")
	if n.rows.reg >= 0 {
		n.do("MOVQ", n.rows.arg(), left)
	} else {
		n.do("MOVQ", n.rows.arg(), gp(ax))
		n.do("MOVQ", gp(ax), left)
	}
	n.do("MOVQ", gp(cols), rowCols)
	n.here("rowPast", "each row: the elements before the first whole cache line")
	n.do("MOVQ", imm32(1), n.rows.arg())
	n.do("MOVQ", n.pointer[out].arg(), gp(cx))
	n.do("TESTQ", imm32(int64(size-1)), gp(cx))
	n.do("JNE", label("row"))
	n.do("NEGQ", gp(cx))
	n.do("ANDQ", imm(cacheLine-1), gp(cx))
	n.do("SHRQ", imm(int64(bits.Len(uint(size))-1)), gp(cx))
	n.do("CMPQ", gp(cx), gp(cols))
	n.do("CMOVQLT", gp(cx), gp(cols))
	n.do("JMP", label("row"))

	n.here("last", "behind them")
	n.do("CMPQ", rowCols, imm(0))
	n.do("JEQ", label("done"))
	n.do("MOVQ", gp(cols), gp(index))
	n.do("MOVQ", rowCols, gp(cols))
	n.do("CMPQ", gp(index), gp(cols))
	n.do("JLT", label("lines"))
	n.do("DECQ", left)
	n.do("JEQ", label("done"))
	n.movePointers()
	n.do("JMP", label("rowPast"))

	n.here("lines", "whole cache lines, stored past the caches")
	if line := int64(cacheLine / size); n.step() < line { // the first part of a line is not the last
		n.do("MOVQ", gp(cols), gp(ax))
		n.do("SUBQ", gp(index), gp(ax))
		n.do("ANDQ", imm32(-line), gp(ax))
		n.do("SUBQ", imm(n.step()), gp(ax))
		n.do("ADDQ", gp(index), gp(ax))
	} else {
		n.findLast()
	}
	n.do("CMPQ", gp(index), gp(ax))
	n.do("JGT", label("rest"))
	n.storesPast = true
	n.loop("line", n.iteration()+", stored past the caches")
	n.storesPast = false
	n.here("rest", "the elements behind the last whole line")
	n.do("MOVQ", imm32(1), n.rows.arg())
	n.findLast()
	n.do("CMPQ", gp(index), gp(ax))
	n.do("JLE", label("loop"))
	n.do("JMP", label("tail"))
}

// aheadBytes is the distance at which the loop of a long body prefetches its inputs. Waiting for the body, the processor does
// not read ahead far enough by itself. Emerald Rapids, 16M float32: exp takes 0.55 to 0.75 of the time without prefetches, log,
// sin and sigmoid 0.6 to 0.75; with 1 and 4 KiB up to 1.1 of this.
const aheadBytes = 2 << 10

// prefetchAhead prefetches inputs of a later iteration whose pointers are in registers.
func (n *nest) prefetchAhead() {
	for i, in := range n.b.Graph.Kernel.In {
		p, size := n.pointer[i], in.DType.Size()
		if in.Splat || p.reg < 0 {
			continue
		}
		for off := 0; off < int(n.step())*size; off += cacheLine {
			n.do("PREFETCHT0", mem(at(p.reg, aheadBytes+off).indexed(n.indexing(size))))
		}
	}
}
