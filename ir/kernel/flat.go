package kernel

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The kernels of flat steps say by instructions, Fold and Down what micro-kernels say by
// their row. This file goes away with the flat steps.

// CodeOf returns the kernel that a kernel of a flat step stands for. Its arguments are
// in the same order.
func CodeOf(k *Kernel) Code {
	m := &Micro{}
	switch {
	case k.Dots():
		m.Row, m.Type = Dot, k.In[0].DType
	case k.Transposes():
		m.Row, m.Type = Transpose, k.In[0].DType
	case k.Scans():
		m.Row, m.Op, m.Type, m.Carry = ScanRows, k.Fold[0].Info().By, k.In[0].DType, len(k.In) > 2
	case k.Down:
		m.Row, m.Op, m.Body = ReduceColumns, k.FoldOf(0), k.elementwise()
	case k.Fold != nil:
		m.Row, m.Combine, m.Body = Reduce, slices.Clone(k.Fold), k.elementwise()
	default:
		return k
	}
	if k.sig != "" {
		m.sig = m.String()
	}
	return m
}

// microOf returns a kernel as a micro-kernel, nil if it is elementwise.
func microOf(c Code) *Micro {
	if k, ok := c.(*Kernel); ok {
		c = CodeOf(k)
	}
	m, _ := c.(*Micro)
	return m
}

// elementwise returns the body without what is combined.
func (k *Kernel) elementwise() *Kernel {
	e := &Kernel{In: k.In, Body: k.Body, Out: k.Out, Fast: k.Fast}
	if k.sig != "" {
		e.sig = e.String()
	}
	return e
}

// Flat returns the kernel of a flat step that stands for the micro-kernel: the inverse
// of CodeOf.
func (m *Micro) Flat() *Kernel {
	var k *Kernel
	switch m.Row {
	case Dot:
		return DotKernel(m.Type)
	case Transpose:
		return TransposeKernel(m.Type)
	case ScanRows:
		return ScanKernel(m.Op, m.Type, m.Carry)
	case ReduceColumns:
		k = &Kernel{Fold: []ir.Op{m.Op}, Down: true}
	case Reduce:
		k = &Kernel{Fold: m.Combine}
	default:
		panic("BUG: kernel: " + m.Row.String() + " stands in no flat step")
	}
	k.In, k.Body, k.Out, k.Fast = m.Body.In, m.Body.Body, m.Body.Out, m.Body.Fast
	return k
}
