package ir

var table [numOps]OpInfo

func init() { // not an initializer: expansions read the table
	table = rows
	for _, op := range Ops() {
		opNames[op.Info().Name] = op
		for _, a := range op.Info().attrs {
			attributes[a.name] = a
		}
	}
}

// rows declares every operation, one row each. To add an elementwise op:
// its row here, its instructions in codegen/avo (a lane op) or its expansion
// here (a composed op), and its method on graph.Node. A view op is its row, with
// its two rules in view.go, and its method.
var rows = [numOps]OpInfo{
	OpInvalid: {Name: "invalid"},

	OpParam: {Name: "param", Doc: "a tensor given at run time", Kind: Source, Domain: AllTypes, Result: GivenType},
	OpConst: {Name: "const", Doc: "one element", Kind: Source, Domain: AllTypes, Result: GivenType, fromType: constFromType},

	OpReshape: {Name: "reshape", Doc: "the elements of x in the same order under another shape", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: reshapeShape, Layout: reshapeLayout, fromType: shapeFromType},
	OpPermute: {Name: "permute", Doc: "x with its axes reordered", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: permuteShape, Layout: permuteLayout, attrs: []*attribute{attrAxes}},
	OpSlice: {Name: "slice", Doc: "every step-th index of an axis of x from begin on", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: sliceShape, Layout: sliceLayout, attrs: []*attribute{attrAxis, attrBegin, attrStep}, fromType: lenFromType},
	OpIndex: {Name: "index", Doc: "x at one index of an axis, which is dropped", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: indexShape, Layout: indexLayout, attrs: []*attribute{attrAxis, attrAt}},
	OpFlip: {Name: "flip", Doc: "x with axes reversed", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: flipShape, Layout: flipLayout, attrs: []*attribute{attrAxes}},
	OpExpand: {Name: "expand", Doc: "x repeated along new axes and axes of extent 1", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: expandShape, Layout: expandLayout, fromType: shapeFromType},
	OpDiagonal: {Name: "diagonal", Doc: "the elements of x whose indices on two axes differ by k, as a new last axis", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: diagonalShape, Layout: diagonalLayout, attrs: []*attribute{attrAxes, attrK}},
	OpSqueeze: {Name: "squeeze", Doc: "x without some axes of extent 1", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: squeezeShape, Layout: squeezeLayout, attrs: []*attribute{attrAxes}},
	OpUnsqueeze: {Name: "unsqueeze", Doc: "x with new axes of extent 1", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: unsqueezeShape, Layout: unsqueezeLayout, attrs: []*attribute{attrAxes}},
	OpAccess: {Name: "access", Doc: "the buffer of x read through a layout", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: accessShape, Layout: accessLayout, attrs: []*attribute{attrLayout}, fromType: shapeFromType},

	OpCopy: {Name: "copy", Doc: "x", Kind: Lane, Arity: 1, Domain: AllTypes, Idempotent: true, Cost: 0, Ref: refCopy, attrs: []*attribute{attrNote}},

	OpAdd: {Name: "add", Doc: "x + y; integers wrap", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Identity: identitySum, Cost: 1, Ref: refAdd},
	OpSub: {Name: "sub", Doc: "x - y; integers wrap", Kind: Lane, Arity: 2, Domain: Numeric, Identity: identityZero, Cost: 1, Ref: refSub},
	OpMul: {Name: "mul", Doc: "x * y; integers wrap", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Identity: identityOne, Cost: 1, Ref: refMul},
	OpDiv: {Name: "div", Doc: "x / y; integers truncate, x/0 is 0, least/-1 is least", Kind: Lane, Arity: 2, Domain: Numeric, Identity: identityOne, Cost: 8, Ref: refDiv},
	OpRem: {Name: "rem", Doc: "x - y*div(x,y), with the sign of x; 0 for y = 0", Kind: Lane, Arity: 2, Domain: Ints, Cost: 10, Ref: refRem},
	OpFMA: {Name: "fma", Doc: "x*y + z with one rounding", Kind: Lane, Arity: 3, Domain: Floats, Cost: 1, Ref: refFMA},

	OpNeg:  {Name: "neg", Doc: "-x", Kind: Lane, Arity: 1, Domain: Numeric, Involution: true, Cost: 1, Ref: refNeg},
	OpAbs:  {Name: "abs", Doc: "x without its sign; the least integer stays", Kind: Lane, Arity: 1, Domain: Numeric, Idempotent: true, Cost: 1, Ref: refAbs},
	OpSqrt: {Name: "sqrt", Doc: "the square root, correctly rounded", Kind: Lane, Arity: 1, Domain: Floats, Cost: 10, Ref: refSqrt},
	OpMin:  {Name: "min", Doc: "the lesser; NaN if either is, -0 < +0", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Idempotent: true, Identity: identityMin, Cost: 2, Ref: refMin},
	OpMax:  {Name: "max", Doc: "the greater; NaN if either is, -0 < +0", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Idempotent: true, Identity: identityMax, Cost: 2, Ref: refMax},

	OpFloor: {Name: "floor", Doc: "the greatest integer <= x", Kind: Lane, Arity: 1, Domain: Floats, Idempotent: true, Cost: 1, Ref: refFloor},
	OpCeil:  {Name: "ceil", Doc: "the least integer >= x", Kind: Lane, Arity: 1, Domain: Floats, Idempotent: true, Cost: 1, Ref: refCeil},
	OpTrunc: {Name: "trunc", Doc: "x without its fraction", Kind: Lane, Arity: 1, Domain: Floats, Idempotent: true, Cost: 1, Ref: refTrunc},
	OpRound: {Name: "round", Doc: "the nearest integer, halves to even", Kind: Lane, Arity: 1, Domain: Floats, Idempotent: true, Cost: 1, Ref: refRound},

	OpEq: {Name: "eq", Doc: "x == y", Kind: Lane, Arity: 2, Domain: AllTypes, Result: GivesBool, Commutative: true, Identity: identityTrue, Cost: 1, Ref: refEq},
	OpNe: {Name: "ne", Doc: "x != y", Kind: Lane, Arity: 2, Domain: AllTypes, Result: GivesBool, Commutative: true, Identity: identityFalse, Cost: 1, Ref: refNe},
	OpLt: {Name: "lt", Doc: "x < y", Kind: Lane, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1, Ref: refLt},
	OpLe: {Name: "le", Doc: "x <= y", Kind: Lane, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1, Ref: refLe},

	OpAnd: {Name: "and", Doc: "x & y, bit by bit; on bools both", Kind: Lane, Arity: 2, Domain: Ints | Bools, Commutative: true, Idempotent: true, Identity: identityOnes, Cost: 1, Ref: refAnd},
	OpOr:  {Name: "or", Doc: "x | y, bit by bit; on bools either", Kind: Lane, Arity: 2, Domain: Ints | Bools, Commutative: true, Idempotent: true, Identity: identityZero, Cost: 1, Ref: refOr},
	OpXor: {Name: "xor", Doc: "x ^ y, bit by bit; on bools exactly one", Kind: Lane, Arity: 2, Domain: Ints | Bools, Commutative: true, Identity: identityZero, Cost: 1, Ref: refXor},
	OpNot: {Name: "not", Doc: "every bit of x flipped; on bools the opposite", Kind: Lane, Arity: 1, Domain: Ints | Bools, Involution: true, Cost: 1, Ref: refNot},
	OpShl: {Name: "shl", Doc: "x << y; y is unsigned, 0 from the width on", Kind: Lane, Arity: 2, Domain: Ints, Identity: identityZero, Cost: 1, Ref: refShl},
	OpShr: {Name: "shr", Doc: "x >> y; y is unsigned, signed x keeps its sign", Kind: Lane, Arity: 2, Domain: Ints, Identity: identityZero, Cost: 1, Ref: refShr},

	OpSelect:  {Name: "select", Doc: "y where x, else z", Kind: Lane, Arity: 3, Domain: AllTypes, Mask: true, Cost: 1, Ref: refSelect},
	OpCast:    {Name: "cast", Doc: "x as another type: float to int truncates, saturates and takes NaN to 0; int to int wraps; to bool is x != 0", Kind: Lane, Arity: 1, Domain: AllTypes, Result: GivenType, Cost: 1, Ref: refCast, fromType: dtypeFromType},
	OpBitcast: {Name: "bitcast", Doc: "the bits of x as another type of the same size", Kind: Lane, Arity: 1, Domain: Numeric, Result: GivenType, Cost: 0, Ref: refBitcast, fromType: dtypeFromType},

	OpGt: {Name: "gt", Doc: "x > y", Kind: Composed, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1, Expand: expandGt},
	OpGe: {Name: "ge", Doc: "x >= y", Kind: Composed, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1, Expand: expandGe},

	OpSign:       {Name: "sign", Doc: "-1, 0 or 1 as x is negative, zero or positive; zeros and NaN stay as they are", Kind: Composed, Arity: 1, Domain: Numeric, Idempotent: true, Cost: 4, Expand: expandSign},
	OpReciprocal: {Name: "reciprocal", Doc: "1 / x", Kind: Composed, Arity: 1, Domain: Floats, Cost: 8, Expand: expandReciprocal},
	OpSquare:     {Name: "square", Doc: "x * x", Kind: Composed, Arity: 1, Domain: Numeric, Cost: 1, Expand: expandSquare},
	OpClip:       {Name: "clip", Doc: "min(max(x, y), z)", Kind: Composed, Arity: 3, Domain: Numeric, Cost: 4, Expand: expandClip},
	OpMod:        {Name: "mod", Doc: "x - y*floordiv(x,y), with the sign of y; 0 for y = 0", Kind: Composed, Arity: 2, Domain: Ints, Cost: 13, Expand: expandMod},
	OpFloorDiv:   {Name: "floordiv", Doc: "x / y rounded down; 0 for y = 0", Kind: Composed, Arity: 2, Domain: Ints, Identity: identityOne, Cost: 13, Expand: expandFloorDiv},
	OpIsNaN:      {Name: "isnan", Doc: "whether x is NaN", Kind: Composed, Arity: 1, Domain: Floats, Result: GivesBool, Cost: 1, Expand: expandIsNaN},
	OpIsInf:      {Name: "isinf", Doc: "whether x is an infinity", Kind: Composed, Arity: 1, Domain: Floats, Result: GivesBool, Cost: 2, Expand: expandIsInf},
	OpIsFinite:   {Name: "isfinite", Doc: "whether x is neither NaN nor an infinity", Kind: Composed, Arity: 1, Domain: Floats, Result: GivesBool, Cost: 2, Expand: expandIsFinite},

	OpExp:  {Name: "exp", Doc: "e to the power x", Kind: Composed, Arity: 1, Domain: Floats, Cost: 15, Expand: expandExp},
	OpTanh: {Name: "tanh", Doc: "the hyperbolic tangent", Kind: Composed, Arity: 1, Domain: Floats, Cost: 20, Expand: expandTanh},
}
