package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Narrow computes int32 values in 16 bits if the results are the same. Example: a sum of products of image bytes that
// is shifted and stored as bytes. A vector holds twice as many 16-bit elements.
//
// Sums, differences, products and bits modulo 2^16 depend only on the operands modulo 2^16. Other ops, such as right
// shifts and comparisons, need operands whose values fit the narrow type; Narrow derives their ranges from the types
// of the inputs. A value is narrowed only if all its operands and all its readers are. The chain must start from
// bytes, 16-bit numbers or constants, and end in conversions to these or in comparisons.
//
// Before that, Narrow rewrites distances |x-y| of short unsigned integers: see distance.
//
// Requires: no elementwise op whose operands are all constants.
// Ensures: results keep their types.
func Narrow(s *State) error {
	if slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return v.Op == ir.OpAbs && ir.Ints.Has(v.Type.DType) }) {
		if err := s.Rewrite(s.distance); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(s.Func.Body, widensShort) {
		return nil
	}
	for _, d := range []ir.DType{ir.Uint16, ir.Int16} {
		n := &narrowing{f: s.Func, to: d, bounds: map[*ir.Value]numbers{}, members: map[*ir.Value]bool{}, ends: map[*ir.Value]bool{}}
		if n.find(); len(n.members) == 0 {
			continue
		}
		if err := s.Rewrite(n.edit); err != nil {
			return err
		}
	}
	return nil
}

// widensShort reports whether v converts a bool, byte or 16-bit integer to int32.
func widensShort(v *ir.Value) bool {
	return v.Op == ir.OpCast && v.Type.DType == ir.Int32 && ShortInt(v.Args[0].Type.DType)
}

// narrowing is the search for values to compute in a narrower type.
type narrowing struct {
	f       *ir.Func
	to      ir.DType
	bounds  map[*ir.Value]numbers // by int32 value: its range, if known
	members map[*ir.Value]bool    // values computed in the narrow type
	ends    map[*ir.Value]bool    // readers of members that have another type
}

// find sets members and ends.
func (n *narrowing) find() {
	for _, v := range n.f.Body {
		if v.Type.DType == ir.Int32 {
			if b, ok := n.boundsOf(v); ok {
				n.bounds[v] = b
				n.members[v] = !IsConst(v) && n.exact(v)
			}
		} else if isEnd(v) {
			n.ends[v] = n.exact(v)
		}
	}
	n.drop()
	for v := range n.ends {
		if !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return n.members[a] }) {
			delete(n.ends, v)
		}
	}
}

// drop removes values with an operand or a reader that is not narrowed, until none is left.
func (n *narrowing) drop() {
	readers := map[*ir.Value][]*ir.Value{} // by member
	var dropped []*ir.Value
	drop := func(v *ir.Value) {
		if n.members[v] || n.ends[v] {
			delete(n.members, v)
			delete(n.ends, v)
			dropped = append(dropped, v)
		}
	}
	dropArgs := func(v *ir.Value) {
		for _, a := range v.Args {
			if n.members[a] {
				drop(a)
			}
		}
	}
	for _, v := range n.f.Body {
		for _, a := range v.Args {
			if n.members[a] {
				readers[a] = append(readers[a], v)
			}
		}
	}
	for _, v := range n.f.Body {
		if slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Type.DType == ir.Int32 && !IsConst(a) && !n.members[a] }) {
			drop(v)
		}
		if !n.members[v] && !n.ends[v] {
			dropArgs(v)
		}
	}
	for _, r := range n.f.Results {
		if n.members[r] {
			drop(r)
		}
	}
	for len(dropped) > 0 {
		v := dropped[len(dropped)-1]
		dropped = dropped[:len(dropped)-1]
		dropArgs(v)
		for _, r := range readers[v] {
			drop(r)
		}
	}
}

// exact reports whether v, computed on narrow operands, has the right lower bits or, if v is an end, the right
// result.
func (n *narrowing) exact(v *ir.Value) bool {
	if n.to == ir.Int16 && !slices.Contains(signedOps, v.Op) || n.to == ir.Uint16 && slices.Contains(withoutWords, v.Op) {
		return false
	}
	if v.Op.IsView() {
		return true
	}
	switch v.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpSelect, ir.OpShl, ir.OpCast:
		return true
	}
	least, greatest := rangeOf(n.to)
	for _, a := range v.Args {
		if b, ok := n.bounds[a]; !ok || b.least < least || b.greatest > greatest {
			return false
		}
	}
	return true
}

// signedOps are the ops that tilings have int16 kernels for. Tilings would compute other ops in 32 bits.
var signedOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpClip, ir.OpAbs, ir.OpShr, ir.OpCast}

// withoutWords are the ops that tilings have no uint16 kernels for.
var withoutWords = []ir.Op{ir.OpAnd, ir.OpOr, ir.OpNot, ir.OpEq, ir.OpNe}

// isEnd reports whether v may read narrow values: it converts to 16 bits or fewer, or compares.
func isEnd(v *ir.Value) bool {
	return v.Op.IsElementwise() && (v.Op == ir.OpCast && ShortInt(v.Type.DType) && v.Type.DType != ir.Bool || v.Type.DType == ir.Bool && len(v.Args) == 2)
}

// edit returns v computed in the narrow type.
func (n *narrowing) edit(v *ir.Value) (*ir.Value, error) {
	if !n.members[v] && !n.ends[v] {
		return v, nil
	}
	args, attr := slices.Clone(v.Args), ir.Attr{}
	for i, a := range args {
		if a.Type.DType == ir.Int32 { // only constants are still int32
			c, err := n.f.Add(ir.OpConst, ir.Attr{DType: n.to, Bits: ir.Wrap(n.to, int64(a.Attr.Bits))}, a.Pos)
			if err != nil {
				return nil, err
			}
			args[i] = c
		}
	}
	if v.Attr != nil {
		attr = *v.Attr
	}
	if v.Op == ir.OpCast {
		if n.members[v] {
			attr.DType = n.to
		}
		if args[0].Type.DType == attr.DType {
			return args[0], nil
		}
	}
	if v.Op == ir.OpClip { // tilings have kernels for max and min
		above, err := n.f.Add(ir.OpMax, ir.Attr{}, v.Pos, args[0], args[1])
		if err != nil {
			return nil, err
		}
		return n.f.Add(ir.OpMin, ir.Attr{}, v.Pos, above, args[2])
	}
	return n.f.Add(v.Op, attr, v.Pos, args...)
}
