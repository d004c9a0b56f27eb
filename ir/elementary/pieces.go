package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// tanh and erf of float32: a polynomial for each of 8 pieces, with coefficients in tables.
//
// The polynomial of a piece is in r = x - c, and begins with the value at c. The numbers c are accurate (Gal 1986): near the middle of the
// piece, and such that the value is within 2^-10 ULP of a float32. So the error is little more than the rounding of the last
// addition. In the piece near 0, c = 0 and the value is x itself.

// pieces is an odd function of float32 that grows up to 1. The number of a piece is bits of an index, modulo 8. The index is scale*|x| + shift
// or scale*x^2 + shift. With the exponent of the latter as the number, each piece is wider than the one before by sqrt(2) or more.
type pieces struct {
	most         float64 // the greatest argument
	square       bool
	scale, shift float64
	place        int64   // of the lowest bit of the number
	near         float64 // below it the index is that of the piece near 0
	tables       []uint64
}

func newPieces(p pieces, tables [][ir.TableLen]float32) pieces {
	for _, t := range tables {
		p.tables = append(p.tables, ir.NewTable(t))
	}
	return p
}

// piecewise evaluates a function of pieces.
func (b *builder) piecewise(x kernel.Ref, p pieces) kernel.Ref {
	value, slope, r := b.piece(b.upTo(b.Op(ir.OpAbs, x), p.most), p)
	return b.withSign(b.Op(ir.OpFMA, slope.hi, r, value), x)
}

// piece returns the function of 0 <= y <= most as value + slope*r.
func (b *builder) piece(y kernel.Ref, p pieces) (value kernel.Ref, slope pair, r kernel.Ref) {
	scaled := b.f32(p.scale)
	if p.square {
		scaled = b.Op(ir.OpMul, y, scaled)
	}
	index := b.Op(ir.OpFMA, y, scaled, b.f32(p.shift))
	piece := b.Op(ir.OpShr, b.Bitcast(ir.Int32, index), b.Int(ir.Int32, p.place))
	entry := func(i int) kernel.Ref { return b.Table(p.tables[i], piece) }
	r = b.Op(ir.OpSub, y, entry(0))
	last := len(p.tables) - 1
	rest := entry(last)
	for i := last - 1; i > 2; i-- {
		rest = b.Op(ir.OpFMA, rest, r, entry(i))
	}
	slope.hi = b.Op(ir.OpFMA, rest, r, entry(2))
	slope.lo = b.Op(ir.OpFMA, rest, r, b.Op(ir.OpSub, entry(2), slope.hi))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, index, b.f32(p.near)), y, entry(1)), slope, r
}

// The tables of c, of the value at c, and of the coefficients of r, r^2 and so on: minimax polynomials by Lawson's algorithm, with
// coefficients rounded one after another. Scales and shifts were chosen to make the least accurate piece as accurate as possible. With
// these, no result is below that of a lesser input.
var (
	tanhPieces = newPieces(pieces{most: 9.02, square: true, scale: 0x1.8ace54p+1, shift: 0x1.965feap+0, place: 23, near: 2}, [][ir.TableLen]float32{
		{0x1.3abf38p-1, 0x1.26e08p+0, 0x1.c98f34p+0, 0x1.50cf58p+1, 0x1.e560c4p+1, 0x1.5a614p+2, 0x1.ec3f14p+2, 0},
		{0x1.184c0cp-1, 0x1.a3017p-1, 0x1.e415dcp-1, 0x1.fab8b2p-1, 0x1.ff7ac4p-1, 0x1.fffac8p-1, 0x1.fffff2p-1, 0},
		{0x1.668cc8p-1, 0x1.52324cp-2, 0x1.b27558p-4, 0x1.5015b2p-6, 0x1.0a557p-9, 0x1.4dff4ep-14, 0x1.bff178p-21, 0x1.c7db76p-29},
		{-0x1.889484p-2, -0x1.14c528p-2, -0x1.9ac52cp-4, -0x1.4c9e8cp-6, -0x1.0a134ep-9, -0x1.4e20c6p-14, -0x1.c1a1aep-21, -0x1.77531ap-21},
		{-0x1.81d7a4p-6, 0x1.c711eep-4, 0x1.e71de8p-5, 0x1.b252a8p-7, 0x1.6201dep-10, 0x1.bd2edcp-15, 0x1.2b5e54p-21, -0x1.554dc8p-2},
		{0x1.20265p-3, -0x1.a97128p-11, -0x1.75a558p-6, -0x1.a04118p-8, -0x1.5fe786p-11, -0x1.b93a6cp-16, -0x1.1fe17ep-22, -0x1.dd149p-12},
		{-0x1.b6712ep-5, -0x1.db47d6p-6, 0x1.0b1d98p-8, 0x1.309ed4p-9, 0x1.182628p-12, 0x1.645ed6p-17, 0x1.d231a6p-24, 0x1.17fe66p-3},
		{-0x1.b1d664p-6, 0x1.20b24ep-6, 0x1.bd5fbcp-10, -0x1.48f402p-11, -0x1.839fe6p-14, -0x1.0b7814p-18, -0x1.91fe96p-25, -0x1.94569ap-7},
		{0x1.d47606p-6, -0x1.9c4c22p-9, -0x1.b3fddep-10, 0x1.910e5cp-14, 0x1.94c33ep-16, 0x1.1b505ep-20, 0x1.b8b474p-27, -0x1.1e489ap-5},
	})
	erfPieces = newPieces(pieces{most: 3.93, scale: 0x1.2e9744p-2, shift: 0x1.6d8b02p+0, place: 20, near: 1.5}, [][ir.TableLen]float32{
		{0x1.2bce36p+1, 0x1.98281cp+1, 0x1.df39d6p+1, 0, 0x1.c9c326p-2, 0x1.bd7634p-1, 0x1.4b0642p+0, 0x1.b74fdep+0},
		{0x1.ff86c4p-1, 0x1.ffff26p-1, 0x1.fffffcp-1, 0, 0x1.e41718p-2, 0x1.901bd4p-1, 0x1.dd774cp-1, 0x1.f833dcp-1},
		{0x1.32756ep-8, 0x1.6c5f26p-15, 0x1.ef2794p-21, 0x1.06eba8p-3, 0x1.d914e4p-1, 0x1.0f0102p-1, 0x1.b225f6p-3, 0x1.e64ca4p-5},
		{-0x1.66e032p-7, -0x1.2178f4p-13, -0x1.cd3238p-19, -0x1.b6bc5ep-22, -0x1.a6f774p-2, -0x1.d791c4p-2, -0x1.18b0dep-2, -0x1.a142dep-4},
		{0x1.fd6f74p-7, 0x1.1e7ec4p-12, 0x1.16451ap-17, -0x1.81202p-2, -0x1.7aaaf4p-3, 0x1.734a84p-4, 0x1.5336c8p-3, 0x1.8c5acap-4},
		{-0x1.ddb5d2p-7, -0x1.a2e0aap-12, -0x1.08cb14p-16, -0x1.1ed30cp-11, 0x1.6e949p-3, 0x1.d30afcp-4, -0x1.015724p-6, -0x1.91cap-5},
		{0x1.24ee1p-7, 0x1.020dfap-11, 0x1.6c766p-16, 0x1.e177d8p-4, 0x1.8106aap-6, -0x1.0c3c5ep-4, -0x1.536ff2p-5, 0x1.122984p-8},
		{-0x1.79bcfap-9, -0x1.78b644p-12, -0x1.a99e3cp-20, -0x1.2c851ep-6, -0x1.9c93d8p-5, -0x1.5284cap-7, 0x1.6378aap-6, 0x1.4bc188p-7},
	})
)
