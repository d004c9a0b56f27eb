package kernel

import "github.com/stridefuse/stridefuse/ir"

// Accumulating kernels: the elementwise kernels that the strategy column-reduction calls. In addition to the inputs of a body, such a
// kernel reads an accumulator for each combined output, and it stores the accumulator combined with the body's value. For a
// sum of squares:
//
//	kernel (u0:f32, u1:f32) { t0 = mul u0 u0; t1 = add t0 u1; store t1 }

// Source is the source of an input of an accumulating kernel.
type Source struct {
	In  int // an input of the body; len(In)+o is the accumulator of output o
	Row int // number of the row among those that one call combines
}

// Accumulate returns the canonical kernel that combines the given number of rows with the accumulators, the first row first, and
// the sources of its inputs. combine has an op for each output of the body, OpInvalid for a stored one. repeats reports
// whether an input is the same in all rows. Accumulate returns nil if there is no such kernel: it would have too many inputs,
// or there are several rows and a stored output.
func (k *Kernel) Accumulate(combine []ir.Op, rows int, repeats func(in int) bool) (*Kernel, []Source) {
	a := accumulation{}
	acc := make([]Ref, len(combine))
	for o, op := range combine {
		if op != ir.OpInvalid {
			acc[o] = a.input(Operand{DType: k.DType(k.Out[o])}, Source{In: len(k.In) + o})
		} else if rows > 1 {
			return nil, nil
		}
	}
	in := make([][]Ref, rows) // by row and input of the body
	for r := range in {
		for i, operand := range k.In {
			if r > 0 && repeats(i) {
				in[r] = append(in[r], in[0][i])
			} else {
				in[r] = append(in[r], a.input(operand, Source{i, r}))
			}
		}
	}
	b := NewBuilder(a.operands...)
	b.SetFast(k.Fast)
	for _, row := range in {
		values := b.inline(k, row)
		for o, op := range combine {
			if v := values[k.Out[o]]; op == ir.OpInvalid {
				acc[o] = v
			} else {
				acc[o] = b.Op(op, acc[o], v)
			}
		}
	}
	for _, r := range acc {
		b.Store(r)
	}
	if b.Kernel().Verify() != nil {
		return nil, nil
	}
	canon, order := b.Kernel().Canonical()
	from := make([]Source, len(order))
	for i, old := range order {
		from[i] = a.from[old]
	}
	return canon, from
}

// accumulation collects the inputs of an accumulating kernel.
type accumulation struct {
	operands []Operand
	from     []Source
}

func (a *accumulation) input(o Operand, s Source) Ref {
	a.operands, a.from = append(a.operands, o), append(a.from, s)
	return Ref(len(a.operands) - 1)
}

// inline appends the body of k to b, with the given values as inputs, and returns all values of the body.
func (b *Builder) inline(k *Kernel, in []Ref) []Ref {
	values := append(make([]Ref, 0, len(in)+len(k.Body)), in...)
	for _, inst := range k.Body {
		for i := range inst.Arity() {
			inst.Args[i] = values[inst.Args[i]]
		}
		values = append(values, b.Add(inst))
	}
	return values
}
