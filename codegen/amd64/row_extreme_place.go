package amd64

import "github.com/stridefuse/stridefuse/ir"

// The position of the best element of a row, and rows shorter than a vector: see row_extreme.go.

// search sets extremeAt to the position of the first element of a row that equals the one in extremeBest.
func (e *rowExtreme) search() {
	const found = 0
	e.do("MOVQ", gp(extremeFrom), gp(extremeAt))
	e.do("JMP", label("search"))
	e.do("PCALIGN", imm(32))
	e.here("searchblock", "each block of vectors: does it have the best element?")
	for v := range extremeVectors {
		e.do(e.lanes("VPCMPEQ"), mem(at(extremeAt, vectorBytes(v))), y(extremeBest), y(v))
	}
	for apart := 1; apart < extremeVectors; apart *= 2 {
		for v := 0; v < extremeVectors; v += 2 * apart {
			e.do("VPOR", y(v+apart), y(v), y(v))
		}
	}
	e.do("VPTEST", y(found), y(found))
	e.do("JNE", label("searchvector"))
	e.advance(extremeVectors)
	e.here("search")
	e.do("CMPQ", gp(extremeAt), gp(extremeBlock))
	e.do("JLS", label("searchblock"))
	e.here("searchvector", "which vector has it")
	e.do("CMPQ", gp(extremeAt), gp(extremeLast)) // the last vector overlaps the one before it
	e.do("CMOVQHI", gp(extremeLast), gp(extremeAt))
	e.do(e.lanes("VPCMPEQ"), mem(at(extremeAt, 0)), y(extremeBest), y(found))
	e.advance(1)
	e.do("VPMOVMSKB", y(found), lowOf(dx))
	e.do("TESTQ", gp(dx), gp(dx))
	e.do("JEQ", label("searchvector"))
	e.do("BSFQ", gp(dx), gp(dx))
	e.do("SUBQ", gp(extremeFrom), gp(extremeAt))
	e.do("LEAQ", mem(at(extremeAt, -vectorBytes(1)).indexed(dx, 1)), gp(extremeAt))
	e.bytesToPlace()
}

// bytesToPlace converts extremeAt from bytes behind the beginning of the row to a position.
func (e *rowExtreme) bytesToPlace() {
	if shift := map[int]int64{2: 1, 4: 2, 8: 3}[e.d.Size()]; shift > 0 {
		e.do("SHRQ", imm(shift), gp(extremeAt))
	}
}

// store stores the results of a row after all of it has been read.
func (e *rowExtreme) store() {
	out := extremeOutput
	if e.place {
		e.do("MOVL", lowOf(extremeAt), mem(at(out, 0)))
		out++
	}
	switch e.best.Size() {
	case 0: // it is not stored
	case 1:
		e.do("MOVB", byteOf(ax), mem(at(out, 0)))
	case 4:
		e.do("MOVL", lowOf(ax), mem(at(out, 0)))
	default:
		e.do("MOVQ", gp(ax), mem(at(out, 0)))
	}
}

// short writes the code for a row shorter than a vector.
func (e *rowExtreme) short() {
	const i, element = extremeLast, dx
	precedes := map[ir.Op]string{ir.OpMin: "CMOVQLT", ir.OpMax: "CMOVQGT"}[e.by]
	from := at(extremeFrom, 0).indexed(i, e.d.Size())
	e.here("short", "a row shorter than a vector")
	e.do("CMPQ", gp(cols), imm32(int64(vectorBytes(1)/2/e.d.Size())))
	e.do("JLT", label("few"))
	e.halves()
	e.here("few", "shorter than half a vector")
	e.do("XORQ", gp(i), gp(i))
	e.do("XORQ", gp(extremeAt), gp(extremeAt))
	e.load(from, ax)
	e.do("JMP", label("next"))
	e.here("element", "each element")
	e.load(from, element)
	e.do("CMPQ", gp(element), gp(ax))
	e.do(precedes, gp(element), gp(ax))
	if e.place {
		e.do(precedes, gp(i), gp(extremeAt))
	}
	e.here("next")
	e.do("INCQ", gp(i))
	e.do("CMPQ", gp(i), gp(cols))
	e.do("JLT", label("element"))
	e.do("JMP", label("store"))
}

// halves writes the code for a row of half a vector or more, as its first and its last elements, which overlap. The first
// elements are in the lower half of a vector, so the first position there is that of the row.
func (e *rowExtreme) halves() {
	const half, is, both = 16, 0, 3
	first, last := at(extremeFrom, 0), at(extremeFrom, -half).indexed(cols, e.d.Size())
	e.do("VMOVUPS", mem(first), x(extremeBest))
	if !e.place {
		e.do("VMOVUPS", mem(last), x(extremeOther))
		e.do("JMP", label("half"))
		return
	}
	e.do("VINSERTF128", imm(1), mem(last), y(extremeBest), y(both))
	e.do("VMOVUPS", mem(last), x(extremeOther))
	e.fold()
	e.do(e.lanes("VPCMPEQ"), y(both), y(extremeBest), y(is))
	e.do("VPMOVMSKB", y(is), lowOf(dx))
	e.do("BSFQ", gp(dx), gp(dx))
	e.do("LEAQ", mem(at(dx, -2*half).indexed(cols, e.d.Size())), gp(extremeAt))
	e.do("CMPQ", gp(dx), imm(half))
	e.do("CMOVQLT", gp(dx), gp(extremeAt))
	e.bytesToPlace()
	e.do("JMP", label("store"))
}
