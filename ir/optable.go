package ir

// The operations, in the order of the table.
const (
	OpInvalid Op = iota

	OpParam  // a buffer given at run time
	OpConst  // one element, by its bits
	OpExtent // a size, as one element
	OpIota   // 0, 1, 2, ...

	OpReshape
	OpPermute
	OpSlice
	OpIndex
	OpFlip
	OpExpand
	OpDiagonal
	OpWindow
	OpSqueeze
	OpUnsqueeze
	OpAccess // a buffer read through one layout: what the views pass leaves

	OpCopy
	OpAdd
	OpSub
	OpMul
	OpMulHalves
	OpDiv
	OpRem
	OpFMA
	OpNeg
	OpAbs
	OpSqrt
	OpMin
	OpMax
	OpFloor
	OpCeil
	OpTrunc
	OpRound
	OpEq
	OpNe
	OpLt
	OpLe
	OpAnd
	OpOr
	OpXor
	OpNot
	OpShl
	OpShr
	OpSelect
	OpUnlikely
	OpCast
	OpBitcast
	OpTable
	OpScalb

	OpGt
	OpGe
	OpSign
	OpReciprocal
	OpSquare
	OpClip
	OpMod
	OpFloorDiv
	OpPopCount
	OpBitLen
	OpAddSat
	OpSubSat
	OpHalves
	OpSignificand
	OpExponent
	OpLdexp
	OpIsNaN
	OpIsInf
	OpIsFinite
	OpExp
	OpExp2
	OpExpm1
	OpLog
	OpLog2
	OpLog10
	OpLog1p
	OpPow
	OpCbrt
	OpRsqrt
	OpHypot
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpAtan2
	OpSinh
	OpCosh
	OpTanh
	OpAsinh
	OpAcosh
	OpAtanh
	OpErf
	OpErfc
	OpFMod

	OpSigmoid
	OpSiLU
	OpSoftplus
	OpGELU
	OpGELUTanh
	OpMish
	OpELU
	OpSELU
	OpCELU
	OpHardSwish
	OpSoftsign
	OpLogit

	OpSum
	OpProd
	OpAMin
	OpAMax
	OpAll
	OpAny
	OpAllBits
	OpAnyBits
	OpXorBits
	OpArgMin
	OpArgMax
	OpReduceChunks // one step of a reduction: what the reductions pass makes of them
	OpCumSum
	OpCumProd
	OpCumMin
	OpCumMax

	OpDot
	OpDotHalves
	OpDotBytes
	OpConv
	OpConvHalves

	OpGather
	OpGatherAdd
	OpGatherMin
	OpGatherMax
	OpGatherMulAdd
	OpRaggedAdd
	OpRaggedMin
	OpRaggedMax
	OpRaggedMulAdd
	OpScatter
	OpScatterAdd
	OpScatterMul
	OpScatterMin
	OpScatterMax
	OpSort
	OpSortDown
	OpArgSort
	OpArgSortDown
	OpSearchSorted
	OpSearchSortedRight
	OpLeaves
	OpRecurrence
	OpWindowQuantile
	OpNth

	OpConcat

	numOps
)

var table [numOps]OpInfo

func init() { // not an initializer: expansions read the table
	table = rows
	for _, op := range Ops() {
		opNames[op.Info().Name], kinds[op] = op, kindsOf(op)
		for _, c := range []byte(op.Info().Name) {
			table[op].Hash = Mix(table[op].Hash, uint64(c))
		}
		for _, a := range op.Info().attrs {
			attributes[a.name] = a
		}
	}
}

// rows declares every operation, one row each. docs/adding.md lists what else a new operation needs.
var rows = [numOps]OpInfo{
	OpInvalid: {Name: "invalid"},

	OpParam: {Name: "param", Doc: "a tensor given at run time", Kind: Source, Domain: AllTypes, Result: GivenType, Infer: inferParam},
	OpConst: {Name: "const", Doc: "one element", Kind: Source, Domain: AllTypes, Result: GivenType, fromType: constFromType, Infer: inferConst, Eval: evalConst},

	OpExtent: {Name: "extent", Doc: "a size of the graph as one element; its number once sizes are bound", Kind: Source, Domain: Numeric, Result: GivenType, fromType: dtypeFromType, attrs: []*attribute{attrAt}, Infer: inferExtent, Eval: evalExtent},
	OpIota:   {Name: "iota", Doc: "0, 1, 2, ... along one axis", Kind: Source, Domain: Ints, Result: GivenType, fromType: constFromType, Infer: inferIota, Eval: evalIota},

	OpReshape: {Name: "reshape", Doc: "the elements of x in the same order under another shape", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: reshapeShape, Layout: reshapeLayout, fromType: shapeFromType},
	OpPermute: {Name: "permute", Doc: "x with its axes reordered", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: permuteShape, Layout: permuteLayout, attrs: []*attribute{attrAxes}},
	OpSlice: {Name: "slice", Doc: "every step-th index of an axis of x from begin on", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: sliceShape, Layout: sliceLayout, attrs: []*attribute{attrAxis, attrBegin, attrStep, attrClip}, fromType: lenFromType},
	OpIndex: {Name: "index", Doc: "x at one index of an axis, which is dropped", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: indexShape, Layout: indexLayout, attrs: []*attribute{attrAxis, attrAt}},
	OpFlip: {Name: "flip", Doc: "x with axes reversed", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: flipShape, Layout: flipLayout, attrs: []*attribute{attrAxes}},
	OpExpand: {Name: "expand", Doc: "x repeated along new axes and axes of extent 1", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: expandShape, Layout: expandLayout, fromType: shapeFromType},
	OpDiagonal: {Name: "diagonal", Doc: "the elements of x whose indices on two axes differ by k, as a new last axis", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: diagonalShape, Layout: diagonalLayout, attrs: []*attribute{attrAxes, attrK}},
	OpWindow: {Name: "window", Doc: "the windows of size elements of an axis of x that begin step apart, as a new last axis; the elements of one are dilation apart", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: windowShape, Layout: windowLayout, attrs: []*attribute{attrAxis, attrSize, attrStep, attrDilation}},
	OpSqueeze: {Name: "squeeze", Doc: "x without some axes of extent 1", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: squeezeShape, Layout: squeezeLayout, attrs: []*attribute{attrAxes}},
	OpUnsqueeze: {Name: "unsqueeze", Doc: "x with new axes of extent 1", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: unsqueezeShape, Layout: unsqueezeLayout, attrs: []*attribute{attrAxes}},
	OpAccess: {Name: "access", Internal: true, Doc: "the buffer of x read through a layout", Kind: View, Arity: 1, Domain: AllTypes,
		Shape: accessShape, Layout: accessLayout, attrs: []*attribute{attrLayout}, fromType: shapeFromType},

	OpCopy: {Name: "copy", Method: "materialize", Doc: "x", Kind: Lane, Arity: 1, Domain: AllTypes, Idempotent: true, Cost: 0, Ref: refCopy, attrs: []*attribute{attrNote}},

	OpAdd:       {Name: "add", Doc: "x + y; integers wrap", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Associative: Ints, Identity: identitySum, Rounds: true, Cost: 1, Ref: refAdd},
	OpSub:       {Name: "sub", Doc: "x - y; integers wrap", Kind: Lane, Arity: 2, Domain: Numeric, Identity: identityZero, Rounds: true, Cost: 1, Ref: refSub},
	OpMul:       {Name: "mul", Doc: "x * y; integers wrap", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Associative: Ints, Identity: identityOne, Rounds: true, Cost: 1, Ref: refMul},
	OpMulHalves: {Name: "mulhalves", Internal: true, Doc: "the product of the lower 16 bits of x and y plus that of the upper 16 bits, each a signed integer; wraps", Kind: Lane, Arity: 2, Domain: SetOf(Int32), Commutative: true, Cost: 1, Ref: refMulHalves},
	OpDiv:       {Name: "div", Doc: "x / y; integers truncate, x/0 is 0, least/-1 is least", Kind: Lane, Arity: 2, Domain: Numeric, Identity: identityOne, Rounds: true, Divides: true, Cost: 8, Ref: refDiv},
	OpRem:       {Name: "rem", Doc: "x - y*div(x,y), with the sign of x; 0 for y = 0", Kind: Lane, Arity: 2, Domain: Ints, Divides: true, Cost: 10, Ref: refRem},
	OpFMA:       {Name: "fma", Doc: "x*y + z with one rounding", Kind: Lane, Arity: 3, Domain: Reals, Rounds: true, Cost: 1, Ref: refFMA},

	OpNeg:  {Name: "neg", Doc: "-x", Kind: Lane, Arity: 1, Domain: Numeric, Involution: Ints | Floats, Cost: 1, Ref: refNeg},
	OpAbs:  {Name: "abs", Doc: "the absolute value of x; the least integer stays", Kind: Lane, Arity: 1, Domain: Numeric, Idempotent: true, Cost: 1, Ref: refAbs},
	OpSqrt: {Name: "sqrt", Doc: "the square root, correctly rounded", Kind: Lane, Arity: 1, Domain: Reals, Rounds: true, Cost: 10, Ref: refSqrt},
	OpMin:  {Name: "min", Method: "minimum", Doc: "the lesser; NaN if either is, -0 < +0", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Associative: Numeric, Idempotent: true, Identity: identityMin, Cost: 2, Ref: refMin},
	OpMax:  {Name: "max", Method: "maximum", Doc: "the greater; NaN if either is, -0 < +0", Kind: Lane, Arity: 2, Domain: Numeric, Commutative: true, Associative: Numeric, Idempotent: true, Identity: identityMax, Cost: 2, Ref: refMax},

	OpFloor: {Name: "floor", Doc: "the greatest integer <= x", Kind: Lane, Arity: 1, Domain: Reals, Idempotent: true, Cost: 1, Ref: refFloor},
	OpCeil:  {Name: "ceil", Doc: "the least integer >= x", Kind: Lane, Arity: 1, Domain: Reals, Idempotent: true, Cost: 1, Ref: refCeil},
	OpTrunc: {Name: "trunc", Doc: "x without its fraction", Kind: Lane, Arity: 1, Domain: Reals, Idempotent: true, Cost: 1, Ref: refTrunc},
	OpRound: {Name: "round", Doc: "the nearest integer, halves to even", Kind: Lane, Arity: 1, Domain: Reals, Idempotent: true, Cost: 1, Ref: refRound},

	OpEq: {Name: "eq", Doc: "x == y", Kind: Lane, Arity: 2, Domain: Computed, Result: GivesBool, Commutative: true, Identity: identityTrue, Cost: 1, Ref: refEq},
	OpNe: {Name: "ne", Doc: "x != y", Kind: Lane, Arity: 2, Domain: Computed, Result: GivesBool, Commutative: true, Identity: identityFalse, Cost: 1, Ref: refNe},
	OpLt: {Name: "lt", Doc: "x < y", Kind: Lane, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1, Ref: refLt},
	OpLe: {Name: "le", Doc: "x <= y", Kind: Lane, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1, Ref: refLe},

	OpAnd: {Name: "and", Doc: "x & y, bit by bit; on bools both", Kind: Lane, Arity: 2, Domain: Ints | Bools, Commutative: true, Associative: Ints | Bools, Idempotent: true, Identity: identityOnes, Cost: 1, Ref: refAnd},
	OpOr:  {Name: "or", Doc: "x | y, bit by bit; on bools either", Kind: Lane, Arity: 2, Domain: Ints | Bools, Commutative: true, Associative: Ints | Bools, Idempotent: true, Identity: identityZero, Cost: 1, Ref: refOr},
	OpXor: {Name: "xor", Doc: "x ^ y, bit by bit; on bools exactly one", Kind: Lane, Arity: 2, Domain: Ints | Bools, Commutative: true, Associative: Ints | Bools, Identity: identityZero, Cost: 1, Ref: refXor},
	OpNot: {Name: "not", Doc: "every bit of x flipped; on bools the opposite", Kind: Lane, Arity: 1, Domain: Ints | Bools, Involution: Ints | Bools, Cost: 1, Ref: refNot},
	OpShl: {Name: "shl", Doc: "x << y; y is unsigned, 0 from the width on", Kind: Lane, Arity: 2, Domain: Ints, Identity: identityZero, Cost: 1, Ref: refShl},
	OpShr: {Name: "shr", Doc: "x >> y; y is unsigned, signed x keeps its sign", Kind: Lane, Arity: 2, Domain: Ints, Identity: identityZero, Cost: 1, Ref: refShr},

	OpSelect:   {Name: "select", Method: "where", Doc: "y where x, else z", Kind: Lane, Arity: 3, Domain: AllTypes, Mask: true, Cost: 1, Ref: refSelect},
	OpUnlikely: {Name: "unlikely", Internal: true, Doc: "y where x, else z, for an x that is rarely true: y is computed only where it is", Kind: Lane, Arity: 3, Domain: AllTypes, Mask: true, Cost: 1, Ref: refSelect},
	OpCast:     {Name: "cast", Doc: "x as another type: float to int truncates, saturates and takes NaN to 0; int to int wraps; to bool is x != 0", Kind: Lane, Arity: 1, Domain: AllTypes, Result: GivenType, Cost: 1, Ref: RefCast, fromType: dtypeFromType},
	OpBitcast:  {Name: "bitcast", Doc: "the bits of x as another type of the same size", Kind: Lane, Arity: 1, Domain: Numeric | Stored, Result: GivenType, Cost: 0, Ref: refBitcast, fromType: dtypeFromType},

	OpTable: {Name: "table", Internal: true, Doc: "entry x modulo 8 of a table of float32", Kind: Inner, Arity: 1, Domain: SetOf(Int32), Result: GivenType, Cost: 1, Ref: refTable},
	OpScalb: {Name: "scalb", Internal: true, Doc: "x * 2^y, rounded once; y is a whole number from -252 to 254, or of float64 from -2044 to 2046", Kind: Inner, Arity: 2, Domain: SetOf(Float32, Float64), Cost: 6, Ref: refScalb},

	OpGt: {Name: "gt", Doc: "x > y", Kind: Composed, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1},
	OpGe: {Name: "ge", Doc: "x >= y", Kind: Composed, Arity: 2, Domain: Numeric, Result: GivesBool, Cost: 1},

	OpSign:        {Name: "sign", Doc: "-1, 0 or 1 as x is negative, zero or positive; zeros and NaN stay as they are", Kind: Composed, Arity: 1, Domain: Numeric, Idempotent: true, Cost: 4},
	OpReciprocal:  {Name: "reciprocal", Doc: "1 / x", Kind: Composed, Arity: 1, Domain: Reals, Cost: 8},
	OpSquare:      {Name: "square", Doc: "x * x", Kind: Composed, Arity: 1, Domain: Numeric, Cost: 1},
	OpClip:        {Name: "clip", Doc: "min(max(x, y), z)", Kind: Composed, Arity: 3, Domain: Numeric, Cost: 4},
	OpMod:         {Name: "mod", Doc: "x - y*floordiv(x,y), with the sign of y; for y = 0 it is 0, NaN on floats", Kind: Composed, Arity: 2, Domain: Numeric, Divides: true, Cost: 82},
	OpFloorDiv:    {Name: "floordiv", Doc: "x / y rounded down; integers give 0 for y = 0", Kind: Composed, Arity: 2, Domain: Numeric, Identity: identityIntOne, Divides: true, Cost: 95},
	OpPopCount:    {Name: "popcount", Doc: "the number of set bits of x", Kind: Composed, Arity: 1, Domain: Ints, Cost: 30},
	OpBitLen:      {Name: "bitlen", Doc: "the number of bits of x without leading zeros", Kind: Composed, Arity: 1, Domain: Ints, Cost: 51},
	OpAddSat:      {Name: "addsat", Doc: "x + y, clipped to the range of the type", Kind: Composed, Arity: 2, Domain: shorts, Commutative: true, Cost: 2},
	OpSubSat:      {Name: "subsat", Doc: "x - y, clipped to the range of the type", Kind: Composed, Arity: 2, Domain: shorts, Cost: 2},
	OpHalves:      {Name: "halves", Internal: true, Doc: "the lower two bytes of x, each a signed integer, as its lower and its upper 16 bits", Kind: Composed, Arity: 1, Domain: SetOf(Int32), Cost: 7},
	OpSignificand: {Name: "significand", Doc: "x divided by the power of 2 that leaves 1 <= |y| < 2; of 0, infinities and NaN x", Kind: Composed, Arity: 1, Domain: SetOf(Float32, Float64), Idempotent: true, Cost: 6},
	OpExponent:    {Name: "exponent", Doc: "the exponent of that power of 2; of 0, infinities and NaN 0", Kind: Composed, Arity: 1, Domain: SetOf(Float32, Float64), Cost: 7},
	OpLdexp:       {Name: "ldexp", Doc: "x * 2^y, rounded once; y is rounded to a whole number first, halves to even", Kind: Composed, Arity: 2, Domain: SetOf(Float64), Cost: 51},
	OpIsNaN:       {Name: "isnan", Doc: "whether x is NaN", Kind: Composed, Arity: 1, Domain: Reals, Result: GivesBool, Cost: 1},
	OpIsInf:       {Name: "isinf", Doc: "whether x is an infinity", Kind: Composed, Arity: 1, Domain: Reals, Result: GivesBool, Cost: 2},
	OpIsFinite:    {Name: "isfinite", Doc: "whether x is neither NaN nor an infinity", Kind: Composed, Arity: 1, Domain: Reals, Result: GivesBool, Cost: 2},

	OpExp:   {Name: "exp", Doc: "e to the power x", Kind: Composed, Arity: 1, Domain: Reals, Cost: 35, Fast: singles},
	OpExp2:  {Name: "exp2", Doc: "2 to the power x", Kind: Composed, Arity: 1, Domain: Reals, Cost: 33},
	OpExpm1: {Name: "expm1", Doc: "exp(x) - 1, accurate near 0", Kind: Composed, Arity: 1, Domain: Reals, Cost: 72, Fast: singles},
	OpLog:   {Name: "log", Doc: "the natural logarithm", Kind: Composed, Arity: 1, Domain: Reals, Cost: 35, Fast: SetOf(Float64)},
	OpLog2:  {Name: "log2", Doc: "the logarithm to base 2", Kind: Composed, Arity: 1, Domain: Reals, Cost: 56, Fast: Floats},
	OpLog10: {Name: "log10", Doc: "the logarithm to base 10", Kind: Composed, Arity: 1, Domain: Reals, Cost: 102, Fast: Floats},
	OpLog1p: {Name: "log1p", Doc: "log(1 + x), accurate near 0", Kind: Composed, Arity: 1, Domain: Reals, Cost: 110, Fast: Floats},
	OpPow:   {Name: "pow", Doc: "x to the power y, with the special cases of C", Kind: Composed, Arity: 2, Domain: Reals, Cost: 184},
	OpCbrt:  {Name: "cbrt", Doc: "the cube root", Kind: Composed, Arity: 1, Domain: Reals, Cost: 88},
	OpRsqrt: {Name: "rsqrt", Doc: "1 / sqrt(x)", Kind: Composed, Arity: 1, Domain: Reals, Cost: 49},
	OpHypot: {Name: "hypot", Doc: "sqrt(x*x + y*y) without overflow on the way", Kind: Composed, Arity: 2, Domain: Reals, Commutative: true, Cost: 61},
	OpSin:   {Name: "sin", Doc: "the sine of radians", Kind: Composed, Arity: 1, Domain: Reals, Cost: 54, Fast: Floats},
	OpCos:   {Name: "cos", Doc: "the cosine of radians", Kind: Composed, Arity: 1, Domain: Reals, Cost: 56, Fast: Floats},
	OpTan:   {Name: "tan", Doc: "the tangent of radians", Kind: Composed, Arity: 1, Domain: Reals, Cost: 109, Fast: Floats},
	OpAsin:  {Name: "asin", Doc: "the arc sine in radians", Kind: Composed, Arity: 1, Domain: Reals, Cost: 82, Fast: Floats},
	OpAcos:  {Name: "acos", Doc: "the arc cosine in radians", Kind: Composed, Arity: 1, Domain: Reals, Cost: 88, Fast: Floats},
	OpAtan:  {Name: "atan", Doc: "the arc tangent in radians", Kind: Composed, Arity: 1, Domain: Reals, Cost: 100, Fast: Floats},
	OpAtan2: {Name: "atan2", Doc: "the angle in radians of the point whose abscissa is y and whose ordinate is x: C's atan2(x, y)", Kind: Composed, Arity: 2, Domain: Reals, Cost: 137, Fast: Floats},
	OpSinh:  {Name: "sinh", Doc: "the hyperbolic sine", Kind: Composed, Arity: 1, Domain: Reals, Cost: 88, Fast: singles},
	OpCosh:  {Name: "cosh", Doc: "the hyperbolic cosine", Kind: Composed, Arity: 1, Domain: Reals, Cost: 84, Fast: singles},
	OpTanh:  {Name: "tanh", Doc: "the hyperbolic tangent", Kind: Composed, Arity: 1, Domain: Reals, Cost: 47, Fast: singles},
	OpAsinh: {Name: "asinh", Doc: "the inverse hyperbolic sine", Kind: Composed, Arity: 1, Domain: Reals, Cost: 161, Fast: singles},
	OpAcosh: {Name: "acosh", Doc: "the inverse hyperbolic cosine", Kind: Composed, Arity: 1, Domain: Reals, Cost: 158, Fast: singles},
	OpAtanh: {Name: "atanh", Doc: "the inverse hyperbolic tangent", Kind: Composed, Arity: 1, Domain: Reals, Cost: 121, Fast: singles},
	OpErf:   {Name: "erf", Doc: "the error function", Kind: Composed, Arity: 1, Domain: Reals, Cost: 42},
	OpErfc:  {Name: "erfc", Doc: "1 - erf(x), accurate where it is small", Kind: Composed, Arity: 1, Domain: Reals, Cost: 163},
	OpFMod:  {Name: "fmod", Method: "rem", Doc: "x - y*trunc(x/y), exact, with the sign of x; NaN for y = 0", Kind: Composed, Arity: 2, Domain: Reals, Cost: 72},

	OpSigmoid:   {Name: "sigmoid", Doc: "1 / (1 + exp(-x))", Kind: Composed, Arity: 1, Domain: Reals, Cost: 67, Fast: Floats},
	OpSiLU:      {Name: "silu", Doc: "x * sigmoid(x)", Kind: Composed, Arity: 1, Domain: Reals, Cost: 67, Fast: singles},
	OpSoftplus:  {Name: "softplus", Doc: "log(1 + exp(x))", Kind: Composed, Arity: 1, Domain: Reals, Cost: 116, Fast: singles},
	OpGELU:      {Name: "gelu", Doc: "x * (1 + erf(x/sqrt(2))) / 2", Kind: Composed, Arity: 1, Domain: Reals, Cost: 96},
	OpGELUTanh:  {Name: "gelutanh", Doc: "x * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x*x*x))) / 2", Kind: Composed, Arity: 1, Domain: Reals, Cost: 82, Fast: singles},
	OpMish:      {Name: "mish", Doc: "x * tanh(softplus(x))", Kind: Composed, Arity: 1, Domain: Reals, Cost: 103, Fast: singles},
	OpELU:       {Name: "elu", Doc: "x where it is positive, else y * (exp(x) - 1)", Kind: Composed, Arity: 2, Domain: Reals, Cost: 82, Fast: singles},
	OpSELU:      {Name: "selu", Doc: "1.0507... * elu(x, 1.6732...)", Kind: Composed, Arity: 1, Domain: Reals, Cost: 84, Fast: singles},
	OpCELU:      {Name: "celu", Doc: "x where it is positive, else y * (exp(x/y) - 1)", Kind: Composed, Arity: 2, Domain: Reals, Cost: 124},
	OpHardSwish: {Name: "hardswish", Doc: "x * min(max(x + 3, 0), 6) / 6", Kind: Composed, Arity: 1, Domain: Reals, Cost: 30},
	OpSoftsign:  {Name: "softsign", Doc: "x / (1 + abs(x))", Kind: Composed, Arity: 1, Domain: Reals, Cost: 46},
	OpLogit:     {Name: "logit", Doc: "log(x / (1 - x))", Kind: Composed, Arity: 1, Domain: Reals, Cost: 126},

	OpSum:          {Name: "sum", Doc: "the sum along axes, which are dropped; integers wrap", Kind: Reduce, Arity: 1, Domain: Numeric, By: OpAdd, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpProd:         {Name: "prod", Doc: "the product along axes, which are dropped; integers wrap, and exponents of float64 are added separately", Kind: Reduce, Arity: 1, Domain: Numeric, By: OpMul, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpAMin:         {Name: "amin", Method: "min", Doc: "the least element along axes, which are dropped; NaN if any is", Kind: Reduce, Arity: 1, Domain: Numeric, By: OpMin, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpAMax:         {Name: "amax", Method: "max", Doc: "the greatest element along axes, which are dropped; NaN if any is", Kind: Reduce, Arity: 1, Domain: Numeric, By: OpMax, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpAll:          {Name: "all", Doc: "whether all are true along axes, which are dropped", Kind: Reduce, Arity: 1, Domain: Bools, By: OpAnd, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpAny:          {Name: "any", Doc: "whether any is true along axes, which are dropped", Kind: Reduce, Arity: 1, Domain: Bools, By: OpOr, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpAllBits:      {Name: "allbits", Doc: "the bits that are set in all elements along axes, which are dropped", Kind: Reduce, Arity: 1, Domain: Ints, By: OpAnd, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpAnyBits:      {Name: "anybits", Doc: "the bits that are set in any element along axes, which are dropped", Kind: Reduce, Arity: 1, Domain: Ints, By: OpOr, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpXorBits:      {Name: "xorbits", Doc: "the bits that are set in an odd number of elements along axes, which are dropped", Kind: Reduce, Arity: 1, Domain: Ints, By: OpXor, attrs: []*attribute{attrAxes}, Infer: inferReduce, Eval: evalReduce},
	OpArgMin:       {Name: "argmin", Doc: "the index of the least element along an axis, which is dropped: the first NaN if there is one, else the first of equal elements", Kind: Reduce, Arity: 1, Domain: Numeric, Result: GivesIndex, By: OpMin, attrs: []*attribute{attrAxes}, Infer: inferArgReduce, Eval: evalArgReduce},
	OpArgMax:       {Name: "argmax", Doc: "the index of the greatest element along an axis, which is dropped: the first NaN if there is one, else the first of equal elements", Kind: Reduce, Arity: 1, Domain: Numeric, Result: GivesIndex, By: OpMax, attrs: []*attribute{attrAxes}, Infer: inferArgReduce, Eval: evalArgReduce},
	OpReduceChunks: {Name: "reduce_chunks", Internal: true, Doc: "chunks of the last axis of x, each reduced to one element; the chunks are the first axis, if there are several", Kind: Reduce, Arity: 1, Domain: Computed, attrs: []*attribute{attrBy}, Infer: inferReduceChunks, Eval: evalReduceChunks},

	OpCumSum:  {Name: "cumsum", Doc: "the sums of the elements up to each along an axis; integers wrap", Kind: Scan, Arity: 1, Domain: Numeric, By: OpAdd, attrs: []*attribute{attrAxis, attrExclusive}, Infer: inferScan, Eval: evalScan},
	OpCumProd: {Name: "cumprod", Doc: "the products of the elements up to each along an axis, of floats in order; integers wrap", Kind: Scan, Arity: 1, Domain: Numeric, By: OpMul, attrs: []*attribute{attrAxis, attrExclusive}, Infer: inferScan, Eval: evalScan},
	OpCumMin:  {Name: "cummin", Doc: "the least of the elements up to each along an axis; NaN from the first NaN on", Kind: Scan, Arity: 1, Domain: Numeric, By: OpMin, attrs: []*attribute{attrAxis, attrExclusive}, Infer: inferScan, Eval: evalScan},
	OpCumMax:  {Name: "cummax", Doc: "the greatest of the elements up to each along an axis; NaN from the first NaN on", Kind: Scan, Arity: 1, Domain: Numeric, By: OpMax, attrs: []*attribute{attrAxis, attrExclusive}, Infer: inferScan, Eval: evalScan},

	OpDot:       {Name: "dot", Method: "matmul", Doc: "the matrix products of x and y, whose last two axes are rows and columns; integers wrap", Kind: Contract, Arity: 2, Domain: Reals | SetOf(Int32, Int64), By: OpMul, Cost: 1, Infer: inferDot, Eval: evalDot},
	OpDotHalves: {Name: "dothalves", Internal: true, Doc: "the matrix products of x and y, whose elements are pairs of 16-bit integers: mulhalves multiplies them, and the sums wrap", Kind: Contract, Arity: 2, Domain: SetOf(Int32), By: OpMulHalves, Cost: 1, Infer: inferDot, Eval: evalDot},
	OpDotBytes:  {Name: "dotbytes", Internal: true, Doc: "dothalves of x and the halves of y, whose elements are pairs of 8-bit integers in an int16", Kind: Contract, Arity: 2, Domain: SetOf(Int32), By: OpMulHalves, Right: Int16, Cost: 1, Infer: inferDot, Eval: evalDot},

	OpConv:       {Name: "conv", Doc: "the convolutions of x, [n, c, spatial axes], with the weights y, [m, c/groups, spatial axes]: sums of products of windows of x, in the order that ir/conv.go tells; integers wrap", Kind: Convolve, Arity: 2, Domain: Reals | SetOf(Int32, Int64), By: OpMul, Cost: 1, attrs: convAttrs, Infer: inferConv, Eval: evalConv},
	OpConvHalves: {Name: "convhalves", Internal: true, Doc: "the convolutions of x with y, whose elements are pairs of 16-bit integers: mulhalves multiplies them, and the sums wrap", Kind: Convolve, Arity: 2, Domain: SetOf(Int32), By: OpMulHalves, Cost: 1, attrs: convAttrs, Infer: inferConv, Eval: evalConv},

	OpGather:       {Name: "gather", Method: "takealong", Doc: "the elements of x along an axis at the indices y, one for each element of y", Kind: Line, Arity: 2, Domain: AllTypes, attrs: []*attribute{attrAxis}, Infer: inferGather, Eval: evalLine, Line: gatherLine, Indexed: true},
	OpGatherAdd:    {Name: "gather_add", Internal: true, Doc: "the sum of the elements of x along an axis at the indices y, in the order of ir.ReduceRow; the axis has one element then", Kind: Line, Arity: 2, Domain: Numeric & Native, By: OpAdd, attrs: []*attribute{attrAxis}, Infer: inferGatherReduce, Eval: evalLine, Line: gatherReduceLine, Indexed: true},
	OpGatherMin:    {Name: "gather_min", Internal: true, Doc: "the least of the elements of x along an axis at the indices y, in the order of ir.ReduceRow; the axis has one element then", Kind: Line, Arity: 2, Domain: Numeric & Native, By: OpMin, attrs: []*attribute{attrAxis}, Infer: inferGatherReduce, Eval: evalLine, Line: gatherReduceLine, Indexed: true},
	OpGatherMax:    {Name: "gather_max", Internal: true, Doc: "the greatest of the elements of x along an axis at the indices y, in the order of ir.ReduceRow; the axis has one element then", Kind: Line, Arity: 2, Domain: Numeric & Native, By: OpMax, attrs: []*attribute{attrAxis}, Infer: inferGatherReduce, Eval: evalLine, Line: gatherReduceLine, Indexed: true},
	OpGatherMulAdd: {Name: "gather_mul_add", Internal: true, Doc: "gather_add of the products of the elements of x along an axis at the indices y and the weights z", Kind: Line, Arity: 3, Domain: Numeric & Native, By: OpAdd, attrs: []*attribute{attrAxis}, Infer: inferGatherProducts, Eval: evalLine, Line: gatherProductLine, Indexed: true, Weighted: true},
	OpRaggedAdd:    {Name: "ragged_add", Method: "raggedsum", Doc: "the sums of the elements of x along an axis from each offset in y up to the next one, added in their order to 0", Kind: Line, Arity: 2, Domain: Numeric, By: OpAdd, attrs: []*attribute{attrAxis}, Infer: inferRagged, Eval: evalLine, Line: raggedLine, Ragged: true},
	OpRaggedMin:    {Name: "ragged_min", Method: "raggedmin", Doc: "the least of the elements of x along an axis from each offset in y up to the next one; the greatest number if there are none", Kind: Line, Arity: 2, Domain: Numeric, By: OpMin, attrs: []*attribute{attrAxis}, Infer: inferRagged, Eval: evalLine, Line: raggedLine, Ragged: true},
	OpRaggedMax:    {Name: "ragged_max", Method: "raggedmax", Doc: "the greatest of the elements of x along an axis from each offset in y up to the next one; the least number if there are none", Kind: Line, Arity: 2, Domain: Numeric, By: OpMax, attrs: []*attribute{attrAxis}, Infer: inferRagged, Eval: evalLine, Line: raggedLine, Ragged: true},
	OpRaggedMulAdd: {Name: "ragged_mul_add", Internal: true, Doc: "ragged_add of the products of the elements of x along an axis at the indices z and the weights w", Kind: Line, Arity: 4, Domain: Numeric & Native, By: OpAdd, attrs: []*attribute{attrAxis}, Infer: inferRaggedProducts, Eval: evalLine, Line: raggedProductLine, Ragged: true, Weighted: true},
	OpScatter:      {Name: "scatter", Doc: "x with the elements along an axis at the indices y replaced by those of z; of several for one index the last counts", Kind: Line, Arity: 3, Domain: AllTypes, attrs: []*attribute{attrAxis}, Infer: inferScatter, Eval: evalLine, Line: scatterLine, Indexed: true},
	OpScatterAdd:   {Name: "scatter_add", Method: "scatter", Doc: "x with the elements of z added at the indices y along an axis, one after the other", Kind: Line, Arity: 3, Domain: Numeric, By: OpAdd, attrs: []*attribute{attrAxis}, Infer: inferScatter, Eval: evalLine, Line: scatterLine, Indexed: true},
	OpScatterMul:   {Name: "scatter_mul", Method: "scatter", Doc: "x multiplied by the elements of z at the indices y along an axis, one after the other", Kind: Line, Arity: 3, Domain: Numeric, By: OpMul, attrs: []*attribute{attrAxis}, Infer: inferScatter, Eval: evalLine, Line: scatterLine, Indexed: true},
	OpScatterMin:   {Name: "scatter_min", Method: "scatter", Doc: "the lesser of x and the elements of z at the indices y along an axis", Kind: Line, Arity: 3, Domain: Numeric, By: OpMin, attrs: []*attribute{attrAxis}, Infer: inferScatter, Eval: evalLine, Line: scatterLine, Indexed: true},
	OpScatterMax:   {Name: "scatter_max", Method: "scatter", Doc: "the greater of x and the elements of z at the indices y along an axis", Kind: Line, Arity: 3, Domain: Numeric, By: OpMax, attrs: []*attribute{attrAxis}, Infer: inferScatter, Eval: evalLine, Line: scatterLine, Indexed: true},
	OpSort:         {Name: "sort", Doc: "the first elements along an axis in ascending order, NaNs last", Kind: Line, Arity: 1, Domain: Computed, attrs: []*attribute{attrAxis, attrFirst}, Infer: inferSort, Eval: evalLine, Line: sortLine, Sorts: true},
	OpSortDown:     {Name: "sort_down", Method: "sortdescending", Doc: "the first elements along an axis in descending order, NaNs last", Kind: Line, Arity: 1, Domain: Computed, attrs: []*attribute{attrAxis, attrFirst}, Infer: inferSort, Eval: evalLine, Line: sortLine, Sorts: true, Descending: true},
	OpArgSort:      {Name: "argsort", Doc: "the indices of the first elements along an axis in ascending order, NaNs last; equal elements keep their order", Kind: Line, Arity: 1, Domain: Computed, attrs: []*attribute{attrAxis, attrFirst}, Infer: inferSort, Eval: evalLine, Line: sortLine, Sorts: true, Places: true},
	OpArgSortDown:  {Name: "argsort_down", Method: "argsortdescending", Doc: "the indices of the first elements along an axis in descending order, NaNs last; equal elements keep their order", Kind: Line, Arity: 1, Domain: Computed, attrs: []*attribute{attrAxis, attrFirst}, Infer: inferSort, Eval: evalLine, Line: sortLine, Sorts: true, Descending: true, Places: true},

	OpSearchSorted:      {Name: "searchsorted", Doc: "the indices along an axis of x, which is sorted, at which the elements of y are inserted before equal ones; NaNs are last", Kind: Line, Arity: 2, Domain: Computed, attrs: []*attribute{attrAxis}, Infer: inferSearch, Eval: evalLine, Line: searchLine, Places: true},
	OpSearchSortedRight: {Name: "searchsorted_right", Method: "searchsorted", Doc: "the indices along an axis of x, which is sorted, at which the elements of y are inserted behind equal ones; NaNs are last", Kind: Line, Arity: 2, Domain: Computed, attrs: []*attribute{attrAxis}, Infer: inferSearch, Eval: evalLine, Line: searchLine, Places: true},

	OpLeaves: {Name: "leaves", Doc: "the nodes of y at which the walks from the roots z end, each through a binary tree that compares elements of x along an axis with thresholds", Kind: Line, Arity: 3, Domain: SetOf(Int32, Int64), attrs: []*attribute{attrAxis}, Infer: inferLeaves, Eval: evalLine, Line: leavesLine, Places: true, Walks: true},

	OpRecurrence:     {Name: "recurrence", Doc: "y[i] = z[i]*y[i-1] + x[i] along an axis, z being the second operand; y[0] = x[0]", Kind: Line, Arity: 2, Domain: Numeric & Native, By: OpAdd, attrs: []*attribute{attrAxis}, Infer: inferRecurrence, Eval: evalLine, Line: recurrenceLine},
	OpWindowQuantile: {Name: "window_quantile", Doc: "for each window of x along an axis, its element at the place y in ascending order, NaNs last; between two elements linearly interpolated, NaN for a place that it lacks", Kind: Line, Arity: 2, Domain: Floats & Native, attrs: []*attribute{attrAxis}, Infer: inferWindowQuantile, Eval: evalLine, Line: windowQuantileLine},
	OpNth:            {Name: "nth", Doc: "the elements of x along an axis at the places y in ascending order, NaNs last; at a place outside it, the first or the last element", Kind: Line, Arity: 2, Domain: Computed, attrs: []*attribute{attrAxis}, Infer: inferNth, Eval: evalLine, Line: nthLine, Selects: true},

	OpConcat: {Name: "concat", Doc: "the operands concatenated along an axis", Kind: Join, Arity: 1, More: true, Domain: AllTypes, attrs: []*attribute{attrAxis}, Infer: inferConcat, Eval: evalJoin, Part: partOfConcat},
}
