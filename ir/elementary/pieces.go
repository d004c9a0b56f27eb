package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// tanh and erf of float32: a polynomial for each of 16 pieces, whose coefficients are in tables.
//
// The polynomial of a piece is in r = x - c, and begins with the value at c. The numbers c are
// accurate (Gal 1986): near the middle of the piece, and such that the value is a float32 but
// for less than 2^-10 ULP. So little but the rounding of the last addition is left. Pieces near 0 have
// x itself in the place of the value, and c = 0.

// pieces is an odd function of float32 that grows up to 1.
type pieces struct {
	most   float64 // where it is 1
	shift  float64 // the bits of |x| + shift, from a place on and modulo 16, are the number of the piece
	place  int64
	near   float64 // below it |x| + shift is in a piece near 0
	tables []uint64
}

func newPieces(p pieces, tables [][ir.TableLen]float32) pieces {
	for _, t := range tables {
		p.tables = append(p.tables, ir.NewTable(t))
	}
	return p
}

// piecewise is a function of pieces.
func (b *builder) piecewise(x kernel.Ref, p pieces) kernel.Ref {
	y := b.upTo(b.Op(ir.OpAbs, x), p.most)
	shifted := b.Op(ir.OpAdd, y, b.f32(p.shift))
	piece := b.Op(ir.OpShr, b.Bitcast(ir.Int32, shifted), b.Int(ir.Int32, p.place))
	entry := func(i int) kernel.Ref { return b.Table(p.tables[i], piece) }
	r := b.Op(ir.OpSub, y, entry(0))
	last := len(p.tables) - 1
	slope := entry(last)
	for i := last - 1; i >= 2; i-- {
		slope = b.Op(ir.OpFMA, slope, r, entry(i))
	}
	value := b.Op(ir.OpSelect, b.Op(ir.OpLt, shifted, b.f32(p.near)), y, entry(1))
	return b.withSign(b.Op(ir.OpFMA, slope, r, value), x)
}

// The tables of c, of the value at c, and of the coefficients of r, r^2 and so on: minimax
// polynomials by Lawson's algorithm, whose coefficients are rounded one after another.
var (
	tanhPieces = newPieces(pieces{most: 9.02, shift: 0.625, place: 21, near: 1}, [][ir.TableLen]float32{
		{0x1.9f3934p+0, 0x1.105bd8p+1, 0x1.504428p+1, 0x1.9050dp+1, 0x1.efd50ep+1, 0x1.376a4cp+2, 0x1.78936p+2, 0x1.b7d858p+2, 0x1.0a2b24p+3, 0, 0, 0, 0x1.0083c8p-1, 0x1.806ecep-1, 0x1.00130cp+0, 0x1.403cf4p+0},
		{0x1.d98dacp-1, 0x1.f1adap-1, 0x1.faad3ap-1, 0x1.fe0966p-1, 0x1.ff8ed6p-1, 0x1.fff07p-1, 0x1.fffdf8p-1, 0x1.ffffb8p-1, 0x1.fffffcp-1, 0, 0, 0, 0x1.da046cp-2, 0x1.45745p-1, 0x1.85ffaap-1, 0x1.b27464p-1},
		{0x1.28064ep-3, 0x1.c3e314p-5, 0x1.52ec1ap-6, 0x1.f5a358p-8, 0x1.c4785p-10, 0x1.f1fb38p-13, 0x1.0400d6p-15, 0x1.200194p-18, 0x1.000a94p-22, 0x1.a1d03cp-34, 0x1.8976b4p-20, 0x1.0a105cp-16, 0x1.924974p-1, 0x1.311fbcp-1, 0x1.addd06p-2, 0x1.1eb128p-2},
		{-0x1.11cbc4p-3, -0x1.b73f2p-5, -0x1.4f66p-6, -0x1.f3b6ecp-8, -0x1.c41354p-10, -0x1.f1e95ep-13, -0x1.040082p-15, -0x1.2000fp-18, -0x1.0074e2p-22, -0x1.d04466p-25, -0x1.a63482p-15, -0x1.60a95ap-12, -0x1.74717ep-2, -0x1.83e7ecp-2, -0x1.476f12p-2, -0x1.e68aaep-3},
		{0x1.3529c4p-4, 0x1.1456e4p-5, 0x1.b5dd4cp-7, 0x1.4a91bap-8, 0x1.2c8faap-10, 0x1.4b838ap-13, 0x1.5a4ae2p-16, 0x1.7f96cap-19, 0x1.5406fp-23, -0x1.5554p-2, -0x1.5499dap-2, -0x1.523e22p-2, -0x1.7f26cp-4, 0x1.593d54p-5, 0x1.a87eb6p-4, 0x1.bb736cp-4},
		{-0x1.9d8ce4p-6, -0x1.e8cefap-7, -0x1.a37172p-8, -0x1.4578ap-9, -0x1.2b9b22p-11, -0x1.4ba2ecp-14, -0x1.5a111p-17, -0x1.7fafa2p-20, -0x1.497d5ep-24, -0x1.70396ep-13, -0x1.61ff88p-8, -0x1.e4efdcp-7, 0x1.51016ep-3, 0x1.977e16p-4, 0x1.c4e906p-6, -0x1.9f6986p-7},
		{0x1.1b5de4p-10, 0x1.2367ep-8, 0x1.33fb02p-9, 0x1.fcd47ap-11, 0x1.ef95d4p-13, 0x1.143b8cp-15, 0x1.20d7a2p-18, 0x1.40339ap-21, 0x1.26a09p-25, 0x1.16af46p-3, 0x1.4034e2p-3, 0x1.67ffb4p-3, -0x1.b88642p-6, -0x1.044862p-4, -0x1.7aae62p-5, -0x1.3ae06p-6},
		{0x1.156bdap-8, -0x1.16d9ccp-11, -0x1.4d7a0cp-11, -0x1.3e2866p-12, -0x1.43b6dp-14, -0x1.687c3p-17, -0x1.86dbf6p-20, -0x1.a866c8p-23, -0x1.fe073p-27, -0x1.44508cp-6, -0x1.b3bf22p-5, -0x1.1c897p-4, -0x1.a0a3f2p-5, -0x1.52815ep-10, 0x1.348baap-6, 0x1.f158fep-7},
	})
	erfPieces = newPieces(pieces{most: 3.93, shift: 1.375, place: 20, near: 2}, [][ir.TableLen]float32{
		{0x1.7edc9ap-1, 0x1.fede68p-1, 0x1.4066a2p+0, 0x1.803a28p+0, 0x1.bf9d8ap+0, 0x1.ffd4d8p+0, 0x1.1fd774p+1, 0x1.3ff308p+1, 0x1.6fb598p+1, 0x1.afad4ap+1, 0x1.ea8f96p+1, 0, 0, 0, 0, 0},
		{0x1.6b60eep-1, 0x1.aefep-1, 0x1.d8b6d2p-1, 0x1.eeb326p-1, 0x1.f9229cp-1, 0x1.fd9918p-1, 0x1.ff3f1ep-1, 0x1.ffca8cp-1, 0x1.fff9a4p-1, 0x1.ffffc2p-1, 0x1.fffffep-1, 0, 0, 0, 0, 0},
		{0x1.4a4756p-1, 0x1.aaf352p-2, 0x1.e28056p-3, 0x1.e5d7cap-4, 0x1.b29c74p-5, 0x1.538034p-6, 0x1.d6b12p-8, 0x1.1e13dcp-9, 0x1.34559cp-12, 0x1.b34eb8p-17, 0x1.fa7624p-22, 0x1.06eba8p-3, 0x1.06e91cp-3, 0x1.06b3c8p-3, 0x1.05806ap-3, 0x1.0164cp-3},
		{-0x1.edf252p-2, -0x1.aa01eep-2, -0x1.2df182p-2, -0x1.6c9a18p-3, -0x1.7bf65p-4, -0x1.5363b2p-5, -0x1.089d1ep-6, -0x1.65856ap-8, -0x1.b9d82ep-11, -0x1.6cca1cp-15, -0x1.e5d116p-20, 0x1.4724e4p-22, 0x1.14f4fcp-13, 0x1.b731b4p-10, 0x1.ff8662p-8, 0x1.8457fap-6},
		{0x1.a0e8f2p-6, 0x1.1a1d58p-3, 0x1.5708bp-3, 0x1.1bd87ep-3, 0x1.72784ep-4, 0x1.8bcb1ep-5, 0x1.657e2cp-6, 0x1.120ffep-7, 0x1.8e0baep-10, 0x1.89177ap-14, 0x1.272a44p-18, -0x1.812b6ep-2, -0x1.8291c6p-2, -0x1.8ba864p-2, -0x1.a4651ep-2, -0x1.d4efe4p-2},
		{0x1.349d5cp-3, 0x1.1edf36p-4, -0x1.8dad6p-8, -0x1.6a761p-5, -0x1.88d9acp-5, -0x1.1a70bcp-5, -0x1.3ac3f8p-6, -0x1.1ced18p-7, -0x1.066536p-9, -0x1.49a31ap-13, -0x1.02f1b2p-17, 0x1.2e5bbp-12, 0x1.bc02fcp-8, 0x1.e7184ap-6, 0x1.280082p-4, 0x1.151a6p-3},
		{-0x1.af823ep-5, -0x1.19c89p-4, -0x1.814552p-5, -0x1.ec1e06p-7, 0x1.a6b024p-8, 0x1.a98e92p-7, 0x1.5c989ap-7, 0x1.91e926p-8, 0x1.d1c4eep-10, 0x1.71c1d8p-13, 0x1.0aaa2cp-16, 0x1.c68fcep-4, 0x1.957cdcp-4, 0x1.39206p-4, 0x1.8aec7cp-5, 0x1.110ap-6},
	})
)
