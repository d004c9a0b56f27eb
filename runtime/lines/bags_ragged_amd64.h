// The sums of a ragged row: rows of a table that indices select, or their products with weights, added to 0 in their
// order. It is included as bags_amd64.h is, with CLEAR, which clears the vectors of the first sum.

TEXT NAME(SB), NOSPLIT, $8-8 // with a frame, so that the assembler saves BP
	MOVQ b+0(FP), R8
	MOVQ bags_extent(R8), R11
	MOVQ bags_tableStep(R8), R9
	MOVQ bags_across(R8), R10
	MOVQ bags_ahead(R8), R12
	MOVQ bags_from(R8), AX
#ifdef WEIGHTED
	MOVQ bags_acrossWeights(R8), R15
#endif

columns:
	MOVQ bags_table(R8), SI
	ADDQ AX, SI
	MOVQ bags_out(R8), DI
	ADDQ AX, DI
	MOVQ AX, BP
	MASK
	MOVQ bags_indices(R8), BX
	MOVQ bags_length(R8), R13
	MOVQ bags_aheadBytes(R8), CX
#ifdef WEIGHTED
	MOVQ bags_weights(R8), DX
#endif
	CLEAR
	TESTQ R13, R13
	JLE  store

row:
	CMPQ  R13, R12
	JLE   near
	MOVQ  (BX)(CX*1), AX
	IMULQ R9, AX
	ADDQ  SI, AX
	PREFETCH

near:
	MOVQ  (BX), AX
	CMPQ  AX, R11
	JAE   outside
	IMULQ R9, AX
	NEXT((DX), V0, V1, V2, V3)
	ADDQ  R10, BX
#ifdef WEIGHTED
	ADDQ  R15, DX
#endif
	DECQ  R13
	JNE   row

store:
	MOVQ BP, AX
	STORE
	ADDQ $WIDTH, AX
	CMPQ AX, bags_to(R8)
	JLT  columns
	MOVQ $0, bags_bags(R8)

outside:
	MOVQ AX, bags_outside(R8)
	VZEROUPPER
	RET
