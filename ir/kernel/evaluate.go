package kernel

import "github.com/stridefuse/stridefuse/ir"

// The meaning of a body: instruction after instruction, as the table of ops defines them.

// Eval computes one element of each output of an expanded kernel.
func (k *Kernel) Eval(in []uint64) []uint64 { return k.Evaluator(ir.Defined)(in) }

// Evaluator returns a function like Eval for many elements, in a given arithmetic. Each call of it overwrites the result of the
// previous one. It is not for concurrent use.
func (k *Kernel) Evaluator(f ir.Arithmetic) func(in []uint64) []uint64 {
	vals, out := make([]uint64, len(k.In)+len(k.Body)), make([]uint64, len(k.Out))
	var steps []step
	for j, inst := range k.Body {
		if to := len(k.In) + j; inst.Op == ir.OpConst {
			vals[to] = inst.Bits
		} else {
			n := inst.Arity()
			// The last operand decides the type: a select's first operand is bool.
			steps = append(steps, step{inst.Op, k.DType(inst.Args[n-1]), inst.DType, inst.Args[:n], inst.Bits, to})
		}
	}
	return func(in []uint64) []uint64 {
		copy(vals[:len(k.In)], in)
		for i := range steps {
			steps[i].run(f, vals)
		}
		for i, r := range k.Out {
			out[i] = vals[r]
		}
		return out
	}
}

// step is an instruction: its op and types, and the places of its values.
type step struct {
	op       ir.Op
	in, out  ir.DType
	operands []Ref
	bits     uint64 // of the instruction, behind the operands
	to       int
}

func (s *step) run(f ir.Arithmetic, vals []uint64) {
	var a [3]uint64
	if len(s.operands) < len(a) {
		a[len(s.operands)] = s.bits
	}
	for i, r := range s.operands {
		a[i] = vals[r]
	}
	vals[s.to] = f(s.op, s.in, s.out, a)
}
