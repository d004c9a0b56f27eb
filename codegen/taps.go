package codegen

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Kernels of convolutions of single channels. A window of nine elements has a kernel of its own, with the bias and the bounds
// that follow it in networks. Windows with five or seven elements in a line have kernels of one or two lines, each of which is a
// step. Windows of other sizes are chains of parts of a tiling. Each element of a window is a unit operand, each weight
// a splat.

// tapEpilogues are the operations behind a convolution of nine taps, each with a splat.
var tapEpilogues = [][]ir.Op{nil, {ir.OpAdd}, {ir.OpAdd, ir.OpMax}, {ir.OpAdd, ir.OpMax, ir.OpMin}}

// tapChains are the numbers of taps of parts of tilings and of lines of windows.
var tapChains = []int{2, 3, 4, 5, 7}

// channelChains are the numbers of taps of parts of tilings where channels are the last axis in memory.
var channelChains = []int{3, 4}

// taps returns the kernels of float32.
func taps() (out []kernel.Code) {
	for _, epilogue := range tapEpilogues {
		out = append(out, tapKernel(9, true, epilogue), unitTaps(9, true, epilogue))
	}
	for _, n := range tapChains {
		out = append(out, tapKernel(n, true, nil), tapKernel(n, false, nil))
	}
	out = append(out, tapKernel(10, false, nil))
	for _, n := range channelChains {
		out = append(out, unitTaps(n, true, nil), unitTaps(n, false, nil))
	}
	return out
}

// tapKernel returns the kernel that adds the products of n taps to a sum. The sum is an operand,
// unless the taps are the first ones.
func tapKernel(n int, first bool, epilogue []ir.Op) kernel.Code {
	unit, splat := kernel.Operand{DType: ir.Float32}, kernel.Operand{DType: ir.Float32, Splat: true}
	var ins []kernel.Operand
	for range n {
		ins = append(ins, unit, splat)
	}
	for range epilogue {
		ins = append(ins, splat)
	}
	if !first {
		ins = append(ins, unit)
	}
	b := kernel.NewBuilder(ins...)
	sum := kernel.Ref(len(ins) - 1)
	for i := range n {
		x, w := kernel.Ref(2*i), kernel.Ref(2*i+1)
		if i == 0 && first {
			sum = b.Op(ir.OpMul, x, w)
		} else {
			sum = b.Op(ir.OpFMA, x, w, sum)
		}
	}
	for i, op := range epilogue {
		sum = b.Op(op, sum, kernel.Ref(2*n+i))
	}
	b.Store(sum)
	k, _ := b.Kernel().Canonical()
	return k
}

// unitTaps is tapKernel for channels that are the last axis in memory: weights and biases are unit operands too, and the bounds
// are splats.
func unitTaps(n int, first bool, epilogue []ir.Op) kernel.Code {
	k := tapKernel(n, first, epilogue).(*kernel.Kernel)
	in := slices.Clone(k.In)
	for i := range in {
		in[i].Splat = i > 2*n && len(epilogue) > 0 && i >= len(in)-len(epilogue)+1
	}
	k, _ = (&kernel.Kernel{In: in, Body: k.Body, Out: k.Out}).Canonical()
	return k
}
