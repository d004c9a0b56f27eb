package avo

import (
	"fmt"
	"github.com/stridefuse/stridefuse/ir"
	"testing"
)

func TestScratch(t *testing.T) {
	u := ir.Operand{DType: ir.Float32}
	k, _ := ir.SingleOp(ir.OpAdd, 0, u, u)
	b := ir.NewBuilder(u, u, u)
	ab := b.Op(ir.OpMul, 0, 1)
	s := b.Op(ir.OpAdd, ab, 2)
	m := b.Op(ir.OpMul, s, 0)
	d := b.Op(ir.OpDiv, 1, b.Op(ir.OpAdd, b.Op(ir.OpAbs, 2), b.Float(ir.Float32, 1)))
	b.Store(b.Op(ir.OpSub, m, d))
	k2, _ := b.Kernel().Canonical()
	k3, _ := ir.SingleOp(ir.OpExp, 0, u)
	out, err := AVX2.Assemble("p", []*ir.Kernel{k, k2, k3})
	fmt.Println(string(out), err)
}
