package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// derivative is the derivative of an op, in one of four forms: exactly one of partial, pull, zero and none is set.
type derivative struct {
	// partial has the partial derivative of an elementwise op with respect to each operand. The sweep multiplies it by
	// the cotangent.
	partial []partial
	// singular marks partial derivatives that are infinite or NaN at points where the op itself is finite.
	singular bool
	// pull returns the cotangents of all operands, each broadcast or not. A zero Node is a cotangent of 0.
	pull func(p *pullback) []Node
	zero string // why the derivative is 0 everywhere
	none string // why there is no derivative
}

// partial is a partial derivative: a function of the first two operands and the result. It returns the zero Node if the
// derivative is 0 everywhere.
type partial = func(x, y, r Node) Node

// Reasons that several ops share.
const (
	noOperand    = "the result depends on no operand"
	givesBools   = "the results are bools"
	givesIndices = "the results are indices"
	piecewise    = "the result is constant between jumps"
	ofIntegers   = "the operands are integers"
	internalOp   = "only passes make the op"
)

// derivatives has a row for each op of the op table. The names x, y and r are those of the table's Doc fields: the
// operands and the result. Constants are rounded to the type of the operands.
var derivatives = [...]derivative{
	ir.OpInvalid: {none: internalOp},
	ir.OpParam:   {zero: noOperand},
	ir.OpConst:   {zero: noOperand},
	ir.OpExtent:  {zero: noOperand},
	ir.OpIota:    {zero: noOperand},

	ir.OpReshape:   {pull: pullReshape},
	ir.OpPermute:   {pull: pullPermute},
	ir.OpSlice:     {pull: pullSlice},
	ir.OpIndex:     {pull: pullIndex},
	ir.OpFlip:      {pull: func(p *pullback) []Node { return []Node{p.cotangent.Flip(p.attr.Axes)} }},
	ir.OpExpand:    {pull: pullSame},
	ir.OpDiagonal:  {pull: pullDiagonal},
	ir.OpWindow:    {pull: pullWindow},
	ir.OpSqueeze:   {pull: pullReshape},
	ir.OpUnsqueeze: {pull: pullReshape},
	ir.OpAccess:    {none: internalOp},

	ir.OpCopy:      {pull: pullSame},
	ir.OpAdd:       {pull: func(p *pullback) []Node { return []Node{p.cotangent, p.cotangent} }},
	ir.OpSub:       {pull: func(p *pullback) []Node { return []Node{p.cotangent, p.cotangent.Neg()} }},
	ir.OpMul:       {partial: []partial{secondOperand, firstOperand}},
	ir.OpMulHalves: {none: internalOp},
	ir.OpHalves:    {none: internalOp},
	ir.OpDiv:       {partial: []partial{func(_, y, _ Node) Node { return y.Reciprocal() }, func(_, y, r Node) Node { return r.Div(y).Neg() }}, singular: true},
	ir.OpRem:       {zero: ofIntegers},
	ir.OpFMA:       {pull: pullFMA},
	ir.OpNeg:       {pull: func(p *pullback) []Node { return []Node{p.cotangent.Neg()} }},
	ir.OpAbs:       {partial: []partial{func(x, _, _ Node) Node { return x.Sign() }}},
	ir.OpSqrt:      {partial: []partial{func(_, _, r Node) Node { return r.Scalar(0.5).Div(r) }}, singular: true},
	ir.OpMin:       {partial: []partial{func(x, y, _ Node) Node { return share(x.Lt(y), x.Eq(y), x) }, func(x, y, _ Node) Node { return share(y.Lt(x), x.Eq(y), x) }}},
	ir.OpMax:       {partial: []partial{func(x, y, _ Node) Node { return share(x.Gt(y), x.Eq(y), x) }, func(x, y, _ Node) Node { return share(y.Gt(x), x.Eq(y), x) }}},
	ir.OpFloor:     {zero: piecewise},
	ir.OpCeil:      {zero: piecewise},
	ir.OpTrunc:     {zero: piecewise},
	ir.OpRound:     {zero: piecewise},

	ir.OpEq:       {zero: givesBools},
	ir.OpNe:       {zero: givesBools},
	ir.OpLt:       {zero: givesBools},
	ir.OpLe:       {zero: givesBools},
	ir.OpAnd:      {zero: ofIntegers},
	ir.OpOr:       {zero: ofIntegers},
	ir.OpXor:      {zero: ofIntegers},
	ir.OpNot:      {zero: ofIntegers},
	ir.OpShl:      {zero: ofIntegers},
	ir.OpShr:      {zero: ofIntegers},
	ir.OpSelect:   {pull: pullSelect},
	ir.OpUnlikely: {none: internalOp},
	ir.OpCast:     {pull: pullCast},
	ir.OpBitcast:  {none: "the bits of a number are not a function with a derivative; StopGradient treats them as constant"},
	ir.OpTable:    {none: internalOp},
	ir.OpScalb:    {none: internalOp},

	ir.OpGt:          {zero: givesBools},
	ir.OpGe:          {zero: givesBools},
	ir.OpSign:        {zero: piecewise},
	ir.OpReciprocal:  {partial: []partial{func(_, _, r Node) Node { return r.Square().Neg() }}, singular: true},
	ir.OpSquare:      {partial: []partial{func(x, _, _ Node) Node { return x.Add(x) }}},
	ir.OpClip:        {pull: pullClip},
	ir.OpMod:         {partial: []partial{one, func(x, y, _ Node) Node { return x.FloorDiv(y).Neg() }}, singular: true},
	ir.OpFloorDiv:    {zero: piecewise},
	ir.OpPopCount:    {zero: ofIntegers},
	ir.OpBitLen:      {zero: ofIntegers},
	ir.OpAddSat:      {zero: ofIntegers},
	ir.OpSubSat:      {zero: ofIntegers},
	ir.OpSignificand: {partial: []partial{func(x, _, _ Node) Node { return x.Exponent().Neg().Exp2() }}},
	ir.OpExponent:    {zero: piecewise},
	ir.OpLdexp:       {partial: []partial{func(x, y, _ Node) Node { return x.Scalar(1).Ldexp(y) }, nought}},
	ir.OpIsNaN:       {zero: givesBools},
	ir.OpIsInf:       {zero: givesBools},
	ir.OpIsFinite:    {zero: givesBools},

	ir.OpExp:   {partial: []partial{result}},
	ir.OpExp2:  {partial: []partial{func(_, _, r Node) Node { return r.Mul(math.Ln2) }}},
	ir.OpExpm1: {partial: []partial{func(x, _, _ Node) Node { return x.Exp() }}},
	ir.OpLog:   {partial: []partial{func(x, _, _ Node) Node { return x.Reciprocal() }}, singular: true},
	ir.OpLog2:  {partial: []partial{func(x, _, _ Node) Node { return x.Scalar(1 / math.Ln2).Div(x) }}, singular: true},
	ir.OpLog10: {partial: []partial{func(x, _, _ Node) Node { return x.Scalar(1 / math.Ln10).Div(x) }}, singular: true},
	ir.OpLog1p: {partial: []partial{func(x, _, _ Node) Node { return x.Add(1).Reciprocal() }}, singular: true},
	ir.OpPow:   {partial: []partial{powerByBase, powerByExponent}, singular: true},
	ir.OpCbrt:  {partial: []partial{func(_, _, r Node) Node { return r.Scalar(1. / 3).Div(r.Square()) }}, singular: true},
	ir.OpRsqrt: {partial: []partial{func(x, _, r Node) Node { return r.Div(x).Mul(-0.5) }}, singular: true},
	ir.OpHypot: {partial: []partial{func(x, _, r Node) Node { return cosine(x, r) }, func(_, y, r Node) Node { return cosine(y, r) }}, singular: true},
	ir.OpSin:   {partial: []partial{func(x, _, _ Node) Node { return x.Cos() }}},
	ir.OpCos:   {partial: []partial{func(x, _, _ Node) Node { return x.Sin().Neg() }}},
	ir.OpTan:   {partial: []partial{func(_, _, r Node) Node { return r.FMA(r, 1) }}},
	ir.OpAsin:  {partial: []partial{func(x, _, _ Node) Node { return oneMinusSquare(x).Rsqrt() }}, singular: true},
	ir.OpAcos:  {partial: []partial{func(x, _, _ Node) Node { return oneMinusSquare(x).Rsqrt().Neg() }}, singular: true},
	ir.OpAtan:  {partial: []partial{func(x, _, _ Node) Node { return x.FMA(x, 1).Reciprocal() }}},
	ir.OpAtan2: {partial: []partial{func(x, y, _ Node) Node { return ratioOr0(cosine(y, x.Hypot(y)), x.Hypot(y)) }, func(x, y, _ Node) Node { return ratioOr0(cosine(x.Neg(), x.Hypot(y)), x.Hypot(y)) }}, singular: true},
	ir.OpSinh:  {partial: []partial{func(x, _, _ Node) Node { return x.Cosh() }}},
	ir.OpCosh:  {partial: []partial{func(x, _, _ Node) Node { return x.Sinh() }}},
	ir.OpTanh:  {partial: []partial{func(_, _, r Node) Node { return oneMinusSquare(r) }}},
	ir.OpAsinh: {partial: []partial{func(x, _, _ Node) Node { return x.Hypot(1).Reciprocal() }}},
	ir.OpAcosh: {partial: []partial{func(x, _, _ Node) Node { return x.Sub(1).Sqrt().Mul(x.Add(1).Sqrt()).Reciprocal() }}, singular: true},
	ir.OpAtanh: {partial: []partial{func(x, _, _ Node) Node { return oneMinusSquare(x).Reciprocal() }}, singular: true},
	ir.OpErf:   {partial: []partial{func(x, _, _ Node) Node { return x.Square().Neg().Exp().Mul(2 / math.SqrtPi) }}},
	ir.OpErfc:  {partial: []partial{func(x, _, _ Node) Node { return x.Square().Neg().Exp().Mul(-2 / math.SqrtPi) }}},
	ir.OpFMod:  {partial: []partial{one, func(x, y, _ Node) Node { return x.Div(y).Trunc().Neg() }}, singular: true},

	ir.OpSigmoid:   {partial: []partial{func(_, _, r Node) Node { return r.Scalar(1).Sub(r).Mul(r) }}},
	ir.OpSiLU:      {partial: []partial{siluSlope}},
	ir.OpSoftplus:  {partial: []partial{func(x, _, _ Node) Node { return x.Sigmoid() }}},
	ir.OpGELU:      {partial: []partial{geluSlope}},
	ir.OpGELUTanh:  {partial: []partial{geluTanhSlope}},
	ir.OpMish:      {partial: []partial{mishSlope}},
	ir.OpELU:       {partial: []partial{func(x, y, _ Node) Node { return Where(x.Gt(0), 1, y.Mul(x.Minimum(0).Exp())) }, func(x, _, _ Node) Node { return x.Minimum(0).Expm1() }}},
	ir.OpSELU:      {partial: []partial{func(x, _, _ Node) Node { return Where(x.Gt(0), seluScale, x.Minimum(0).Exp().Mul(seluScale*seluAlpha)) }}},
	ir.OpCELU:      {partial: []partial{func(x, y, _ Node) Node { return x.Minimum(0).Div(y).Exp() }, celuByAlpha}},
	ir.OpHardSwish: {partial: []partial{func(x, _, _ Node) Node { return Where(x.Le(-3), x.Scalar(0), Where(x.Lt(3), x.Div(3).Add(0.5), 1)) }}},
	ir.OpSoftsign:  {partial: []partial{func(x, _, _ Node) Node { return x.Abs().Add(1).Reciprocal().Square() }}},
	ir.OpLogit:     {partial: []partial{func(x, _, _ Node) Node { return x.Scalar(1).Sub(x).Mul(x).Reciprocal() }}, singular: true},

	ir.OpSum:          {pull: func(p *pullback) []Node { return []Node{p.kept(p.cotangent)} }},
	ir.OpProd:         {pull: pullProd},
	ir.OpAMin:         {pull: pullExtreme},
	ir.OpAMax:         {pull: pullExtreme},
	ir.OpAll:          {zero: givesBools},
	ir.OpAny:          {zero: givesBools},
	ir.OpAllBits:      {zero: ofIntegers},
	ir.OpAnyBits:      {zero: ofIntegers},
	ir.OpXorBits:      {zero: ofIntegers},
	ir.OpArgMin:       {zero: givesIndices},
	ir.OpArgMax:       {zero: givesIndices},
	ir.OpReduceChunks: {none: internalOp},
	ir.OpCumSum:       {pull: pullCumSum},
	ir.OpCumProd:      {pull: pullCumProd},
	ir.OpCumMin:       {pull: pullCumExtreme},
	ir.OpCumMax:       {pull: pullCumExtreme},

	ir.OpDot:        {pull: pullDot},
	ir.OpDotHalves:  {none: internalOp},
	ir.OpDotBytes:   {none: internalOp},
	ir.OpConv:       {pull: pullConv},
	ir.OpConvHalves: {none: internalOp},

	ir.OpGather:            {pull: pullGather},
	ir.OpGatherAdd:         {none: internalOp},
	ir.OpGatherMin:         {none: internalOp},
	ir.OpGatherMax:         {none: internalOp},
	ir.OpGatherMulAdd:      {none: internalOp},
	ir.OpRaggedAdd:         {pull: func(p *pullback) []Node { return []Node{p.cotangent.TakeAlong(p.attr.Axis, p.rows()), {}} }},
	ir.OpRaggedMin:         {pull: pullRaggedExtreme},
	ir.OpRaggedMax:         {pull: pullRaggedExtreme},
	ir.OpRaggedMulAdd:      {none: internalOp},
	ir.OpScatter:           {pull: pullScatter},
	ir.OpScatterAdd:        {pull: func(p *pullback) []Node { return []Node{p.cotangent, {}, p.cotangent.TakeAlong(p.attr.Axis, p.arg(1))} }},
	ir.OpScatterMul:        {pull: pullScatterMul},
	ir.OpScatterMin:        {pull: pullScatterExtreme},
	ir.OpScatterMax:        {pull: pullScatterExtreme},
	ir.OpSort:              {pull: pullSort},
	ir.OpSortDown:          {pull: pullSort},
	ir.OpArgSort:           {zero: givesIndices},
	ir.OpArgSortDown:       {zero: givesIndices},
	ir.OpSearchSorted:      {zero: givesIndices},
	ir.OpSearchSortedRight: {zero: givesIndices},
	ir.OpLeaves:            {zero: givesIndices},
	ir.OpRecurrence:        {pull: pullRecurrence},
	ir.OpWindowQuantile:    {none: "Rolling has a rule of its own"},
	ir.OpNth:               {pull: pullNth},

	ir.OpConcat: {pull: pullConcat},
}
