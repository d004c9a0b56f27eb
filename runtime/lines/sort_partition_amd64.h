// The partition of DX keys from SI into DI, which has room for AX keys, by the pivot BX. The including file reads these, and defines
// LANES, the keys of a vector; BYTES and SHIFT, the bytes of a key and their logarithm; SIGN, a key's first bit; LESSERFIRST, a table of orders of
// lanes; and the instructions BROADCAST, GREATER and SIGNS.
//
// R8 is where the greater keys begin. DX is how many bytes of room are left between both parts, negative, and R11 is its value at the
// end: the lesser keys end at R8+DX. Each vector, its lesser lanes first, is stored at both ends of the room.
// That is right for a room of one vector and of two and more, so keys that fill no vector come first.
	MOVQ DX, CX
	SUBQ AX, DX
	MOVQ DX, R11
	SHLQ $SHIFT, R11
	MOVQ AX, DX
	SHLQ $SHIFT, DX
	ADDQ DX, SI
	LEAQ (DI)(DX*1), R8
	NEGQ DX
	LEAQ LESSERFIRST, R9
	BROADCAST SIGN, Y14
	VMOVQ BX, X15
	BROADCAST X15, Y15
	VPXOR Y14, Y15, Y15

	// The keys that fill no vector come first. Other lanes of theirs are stored into the room.
	ANDQ $(LANES-1), CX
	MOVL $1, R10
	SHLL CX, R10
	DECL R10
	VMOVDQU (SI)(DX*1), Y0
	VPXOR Y14, Y0, Y1
	GREATER Y15, Y1, Y1
	SIGNS Y1, AX
	ANDL R10, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y0, Y2, Y2
	VMOVDQU Y2, -32(R8)
	XORL $(1<<LANES-1), R10
	ORL  AX, R10
	VPMOVZXBD (R9)(R10*8), Y2
	VPERMD Y0, Y2, Y2
	VMOVDQU Y2, (R8)(DX*1)
	POPCNTL AX, AX
	SHLQ $SHIFT, AX
	SUBQ AX, R8
	LEAQ (DX)(CX*BYTES), DX

	CMPQ DX, R11
	JEQ  done

vector:
	VMOVDQU (SI)(DX*1), Y0
	VPXOR Y14, Y0, Y1
	GREATER Y15, Y1, Y1
	SIGNS Y1, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y0, Y2, Y0
	POPCNTL AX, AX
	VMOVDQU Y0, (R8)(DX*1)
	VMOVDQU Y0, -32(R8)
	SHLQ $SHIFT, AX
	SUBQ AX, R8
	ADDQ $32, DX
	CMPQ DX, R11
	JNE  vector

done:
	SUBQ DI, R8
	SHRQ $SHIFT, R8
	MOVQ R8, ret+40(FP)
	VZEROUPPER
	RET

#undef LANES
#undef BYTES
#undef SHIFT
#undef SIGN
#undef LESSERFIRST
#undef BROADCAST
#undef GREATER
#undef SIGNS
