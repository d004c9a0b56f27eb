package codegen

import (
	"fmt"
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// docComment says what a kernel's function is: the signature and the loop.
func docComment(name string, k *kernel.Kernel) string {
	return fmt.Sprintf("// %s is\n//\n//\t%s\n//\n// %s\n", name, k.Signature(), loop(k))
}

// loop returns the Go loop that a kernel equals, on one line:
//
//	for i: o0[i] = a0[i]*a1[i] + a2; o1 += a0[i]
func loop(k *kernel.Kernel) string {
	switch {
	case k.Dots():
		return dotLoop(k)
	case k.Transposes():
		return transposeLoop
	}
	unit, splat, out, loops := "a%d[i]", "a%d", "o%d", "for i: "
	if k.Down {
		unit, splat, out, loops = "a%d[i][c]", "a%d[r][i]", "o%d[r][c]", "for r, c: for i: "
	}
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
		if f.text[i] = fmt.Sprintf(unit, i); in.Splat {
			f.text[i] = fmt.Sprintf(splat, i)
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
		if by := k.FoldOf(i); by != ir.OpInvalid {
			parts = append(parts, foldText(by, fmt.Sprintf(out, i), f.text[r]))
			continue
		}
		parts = append(parts, fmt.Sprintf("o%d[i] = %s", i, f.text[r]))
	}
	return loops + strings.Join(parts, "; ")
}

// foldText is the statement that folds an element into a row's result, but for
// the order, which is ir.FoldRow's; or that stores a running value.
func foldText(by ir.Op, result, element string) string {
	if by.Info().Kind == ir.Scan {
		return fmt.Sprintf("%s; %s[i] = run", foldText(by.Info().By, "run", element), result)
	}
	if by.Finds() {
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
	text []string // of each value, where it is used
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
	case ir.OpCopy, ir.OpStream:
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
	case ir.Floats.Has(d):
		return floatText(d, bits)
	case ir.Signed.Has(d):
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
