package codegen

import (
	"fmt"
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// docComment returns the comment of a kernel's function: the signature and the loop.
func docComment(name string, c kernel.Code) string {
	return fmt.Sprintf("// %s is\n//\n//\t%s\n//\n// %s\n", name, c.Signature(), loop(c))
}

// loop returns the Go loop that a kernel equals, on one line:
//
//	for i: o0[i] = a0[i]*a1[i] + a2
func loop(c kernel.Code) string {
	switch c := c.(type) {
	case *kernel.Kernel:
		return bodyLoop(c, rowNames, func(i int, value string) string {
			if ch := c.OutMemberOf(i); ch.Of > 0 {
				return fmt.Sprintf("o%d[i][%d] = %s", i-int(ch.At), ch.At, value)
			}
			return fmt.Sprintf("o%d[i] = %s", i, value)
		})
	case *kernel.Micro:
		return microLoops[c.Kind](c)
	}
	panic(fmt.Sprintf("BUG: codegen: a %T is no kernel", c))
}

// loopNames holds the names of a loop and of the elements of its operands.
type loopNames struct{ loop, unit, splat string }

var (
	rowNames    = loopNames{"for i: ", "a%d[i]", "a%d"}
	columnNames = loopNames{"for r, c: for i: ", "a%d[i][c]", "a%d[r][i]"}
)

// bodyLoop returns the loop of a body. store is the statement of output i.
func bodyLoop(k *kernel.Kernel, names loopNames, store func(i int, value string) string) string {
	f := &formula{k: k, uses: make([]int, len(k.In)+len(k.Body)), text: make([]string, len(k.In)+len(k.Body))}
	for _, in := range k.Body {
		for _, a := range in.Args[:in.Arity()] {
			f.uses[a]++
		}
	}
	for _, r := range k.Out {
		f.uses[r]++
	}
	for i, in := range k.In {
		switch c := in.Member; {
		case in.Splat:
			f.text[i] = fmt.Sprintf(names.splat, i)
		case c.Of > 0:
			f.text[i] = fmt.Sprintf(names.unit+"[%d]", i-int(c.At), c.At)
		default:
			f.text[i] = fmt.Sprintf(names.unit, i)
		}
	}
	var parts []string
	for j := range k.Body {
		r := kernel.Ref(len(k.In) + j)
		if f.text[r] = f.expr(r); f.uses[r] > 1 && k.Inst(r).Op != ir.OpConst {
			parts = append(parts, fmt.Sprintf("t%d := %s", j, f.text[r]))
			f.text[r] = fmt.Sprintf("t%d", j)
		}
	}
	for i, r := range k.Out {
		parts = append(parts, store(i, f.text[r]))
	}
	return names.loop + strings.Join(parts, "; ")
}

// scanLoop returns the loop of a prefix scan.
func scanLoop(m *kernel.Micro) string {
	result := "run"
	if m.Carry {
		result = "carry combined with run"
	}
	return fmt.Sprintf("for i: %s; o0[i] = %s", combineText(m.Op, "run", "a0[i]"), result)
}

// combineText returns the statement that combines an element with a row's result. The order is that of ir.ReduceRow, not of
// the loop.
func combineText(by ir.Op, result, element string) string {
	if by.IsArgReduction() {
		return fmt.Sprintf("%s = index of the first %s(%s)", result, by.Info().By, element)
	}
	if sign, ok := infix[by]; ok && len(sign) == 1 {
		return fmt.Sprintf("%s %s= %s", result, sign, element)
	}
	return fmt.Sprintf("%s = %s(%[1]s, %[3]s)", result, by, element)
}

type formula struct {
	k    *kernel.Kernel
	uses []int
	text []string // of each value, as its uses write it
}

// infix holds the ops that Go writes between their operands.
var infix = map[ir.Op]string{
	ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*", ir.OpDiv: "/", ir.OpRem: "%",
	ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<=", ir.OpGt: ">", ir.OpGe: ">=",
	ir.OpAnd: "&", ir.OpOr: "|", ir.OpXor: "^", ir.OpShl: "<<", ir.OpShr: ">>",
}

func (f *formula) expr(r kernel.Ref) string {
	in := f.k.Inst(r)
	args := make([]string, in.Arity())
	for i, a := range in.Args[:in.Arity()] {
		args[i] = f.text[a]
	}
	if sign, ok := infix[in.Op]; ok {
		return f.operand(in.Args[0]) + " " + sign + " " + f.operand(in.Args[1])
	}
	name := in.Op.String()
	switch in.Op {
	case ir.OpConst:
		return elementText(in.DType, in.Bits)
	case ir.OpCopy:
		return args[0]
	case ir.OpNeg:
		return "-" + f.operand(in.Args[0])
	case ir.OpCast:
		name = in.DType.String()
	case ir.OpBitcast:
		name += "[" + in.DType.String() + "]"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// operand puts an infix expression into parentheses.
func (f *formula) operand(r kernel.Ref) string {
	if in := f.k.Inst(r); in != nil && f.uses[r] == 1 {
		if _, ok := infix[in.Op]; ok || in.Op == ir.OpNeg {
			return "(" + f.text[r] + ")"
		}
	}
	return f.text[r]
}

func elementText(d ir.DType, bits uint64) string {
	switch {
	case d == ir.Bool:
		return fmt.Sprint(bits != 0)
	case ir.Fractions.Has(d):
		return floatText(d, bits)
	case ir.Complements.Has(d):
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprint(bits)
}

func floatText(d ir.DType, bits uint64) string {
	switch v := ir.ToFloat(d, bits); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Sprintf("%g", v)
	default:
		return ir.FormatFloat(d, v, 'g', -1)
	}
}
