// A binary search of elements of SIZE bytes, VECTOR bytes of them at a time. All take the same rounds, four vectors side by side, the
// last ones one by one. LOAD loads elements and what is to know of NaNs. ROUND adds HALF to the places AT where the element of the table
// that many before BX goes before the element in VALUE. STORE stores the places.

// func(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)
TEXT SEARCH(SB), NOSPLIT, $0-48
	MOVQ table+0(FP), SI
	MOVQ extent+8(FP), R8
	MOVQ y+16(FP), DX
	MOVQ out+24(FP), DI
	MOVQ vectors+32(FP), CX
	BEGIN
	SUBQ $4, CX
	JLT  rest

four:
	LOAD(0, VALUE0, NAN0)
	LOAD(VECTOR, VALUE1, NAN1)
	LOAD((2*VECTOR), VALUE2, NAN2)
	LOAD((3*VECTOR), VALUE3, NAN3)
	ZERO(AT0)
	ZERO(AT1)
	ZERO(AT2)
	ZERO(AT3)
	MOVQ R8, R9 // elements that are left

	PCALIGN $32
fourrounds:
	LEAQ 1(R9), R10
	SHRQ $1, R10
	SUBQ R10, R9
	LEAQ -SIZE(SI)(R10*SIZE), BX
	SPREAD(R10)
	ROUND(VALUE0, AT0, NAN0)
	ROUND(VALUE1, AT1, NAN1)
	ROUND(VALUE2, AT2, NAN2)
	ROUND(VALUE3, AT3, NAN3)
	TESTQ R9, R9
	JNE   fourrounds
	STORE(0, AT0, LOW0)
	STORE((VECTOR*8/SIZE), AT1, LOW1)
	STORE((2*VECTOR*8/SIZE), AT2, LOW2)
	STORE((3*VECTOR*8/SIZE), AT3, LOW3)
	ADDQ $(4*VECTOR), DX
	ADDQ $(4*VECTOR*8/SIZE), DI
	SUBQ $4, CX
	JGE  four

rest:
	ADDQ $4, CX
	JEQ  done

one:
	LOAD(0, VALUE0, NAN0)
	ZERO(AT0)
	MOVQ R8, R9

	PCALIGN $32
rounds:
	LEAQ 1(R9), R10
	SHRQ $1, R10
	SUBQ R10, R9
	LEAQ -SIZE(SI)(R10*SIZE), BX
	SPREAD(R10)
	ROUND(VALUE0, AT0, NAN0)
	TESTQ R9, R9
	JNE   rounds
	STORE(0, AT0, LOW0)
	ADDQ $VECTOR, DX
	ADDQ $(VECTOR*8/SIZE), DI
	DECQ CX
	JNE  one

done:
	VZEROUPPER
	RET

#undef SEARCH
#undef ROUND
