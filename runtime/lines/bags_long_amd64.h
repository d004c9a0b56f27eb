// The sums of bags of more than 32 rows, in the order of ir.ReduceRow. It is included as bags_amd64.h is, with POP,
// which adds what is at DI to the first four vectors.
//
// A bag has 32 lanes. Rows b, b+32, b+64 and so on are lane b, and are added in their order. Lanes are added in
// fours,
//
//	(b + b+16) + (b+8 + b+24)
//
// and the fours in the order of b = 0, 4, 2, 6, 1, 5, 3, 7, in which those that are combined first follow each
// other: sums of 1, 2 and 4 fours wait for as many more in memory, at DI.

// LANE adds the rows of lane b+lane.
#define LANE(lane, offset, a0, a1, a2, a3, row, later, next) \
	MOVQ  bags_four(R8), BX; \
	ADDQ  offset(R8), BX; \
	MOVQ  bags_left(R8), R13; \
	SUBQ  $lane, R13; \
	WEIGHTSOF(offset); \
	MOVQ  (BX), AX; \
	CMPQ  AX, R11; \
	JAE   outside; \
	IMULQ R9, AX; \
	FIRST((DX), a0, a1, a2, a3); \
	JMP   later; \
row: \
	MOVQ  (BX), AX; \
	CMPQ  AX, R11; \
	JAE   outside; \
	IMULQ R9, AX; \
	NEXT((DX), a0, a1, a2, a3); \
later: \
	CMPQ  R13, R14; \
	JLE   next; \
	MOVQ  (BX)(CX*1), AX; \
	IMULQ R9, AX; \
	ADDQ  SI, AX; \
	PREFETCH; \
next: \
	ADDQ  R10, BX; \
	NEXTWEIGHT; \
	SUBQ  $32, R13; \
	JG    row

#ifdef WEIGHTED
#define WEIGHTSOF(offset) MOVQ bags_fourWeights(R8), DX; ADDQ offset+32(R8), DX
#define NEXTWEIGHT ADDQ R15, DX
#else
#define WEIGHTSOF(offset)
#define NEXTWEIGHT
#endif

TEXT NAME(SB), NOSPLIT, $8-8 // with a frame, so that the assembler saves BP
	MOVQ b+0(FP), R8
	MOVQ bags_extent(R8), R11
	MOVQ bags_tableStep(R8), R9
	MOVQ bags_apart(R8), R10
#ifdef WEIGHTED
	MOVQ bags_apartWeights(R8), R15
#endif

bag:
	MOVQ bags_from(R8), AX
	MOVQ AX, bags_at(R8)

columns:
	MOVQ bags_table(R8), SI
	ADDQ AX, SI
	MASK
	MOVQ bags_work(R8), DI
	ADDQ AX, DI
	XORL BP, BP

four:
	LEAQ    fours<>(SB), R12
	MOVBQZX (R12)(BP*1), R13

	// Rows of a later four are prefetched, which may be one of the next bag: those as many rows on as R14 is, and
	// indices CX bytes on.
	MOVQ    bags_ahead(R8), AX
	MOVQ    $0x7fffffffffffffff, R14
	XORL    CX, CX
	TESTQ   AX, AX
	JEQ     begin
	ADDQ    BP, AX
	CMPQ    AX, $8
	JLT     same
	CMPQ    bags_bags(R8), $1
	JLE     begin
	SUBQ    $8, AX
	MOVQ    bags_indexStep(R8), CX

same:
	MOVBQZX (R12)(AX*1), R14
	SUBQ    R13, R14
	MOVQ    R14, AX
	IMULQ   bags_across(R8), AX
	ADDQ    AX, CX

begin:
	MOVQ  bags_across(R8), AX
	IMULQ R13, AX
	ADDQ  bags_indices(R8), AX
	MOVQ  AX, bags_four(R8)
#ifdef WEIGHTED
	MOVQ  bags_acrossWeights(R8), AX
	IMULQ R13, AX
	ADDQ  bags_weights(R8), AX
	MOVQ  AX, bags_fourWeights(R8)
#endif
	NEGQ  R13
	ADDQ  bags_length(R8), R13
	MOVQ  R13, bags_left(R8)
	LANE(0, bags_lanes, V0, V1, V2, V3, row0, later0, next0)
	LANE(16, bags_lanes+16, V4, V5, V6, V7, row1, later1, next1)
	SUM(V4, V5, V6, V7, V0, V1, V2, V3)
	LANE(8, bags_lanes+8, V4, V5, V6, V7, row2, later2, next2)
	LANE(24, bags_lanes+24, V8, V9, V10, V11, row3, later3, next3)
	SUM(V8, V9, V10, V11, V4, V5, V6, V7)
	SUM(V4, V5, V6, V7, V0, V1, V2, V3)
	MOVQ  BP, R14

bit:
	SHRQ $1, R14
	JCC  combined
	SUBQ bags_workStep(R8), DI
	POP
	JMP  bit

combined:
	MOVQ bags_at(R8), AX
	INCQ BP
	CMPQ BP, $8
	JLT  store
	MOVQ bags_out(R8), DI
	ADDQ AX, DI

store:
	STORE
	ADDQ bags_workStep(R8), DI
	CMPQ BP, $8
	JLT  four
	ADDQ $WIDTH, AX
	MOVQ AX, bags_at(R8)
	CMPQ AX, bags_to(R8)
	JLT  columns
	MOVQ bags_indexStep(R8), AX
	ADDQ AX, bags_indices(R8)
#ifdef WEIGHTED
	MOVQ bags_weightStep(R8), AX
	ADDQ AX, bags_weights(R8)
#endif
	MOVQ bags_outStep(R8), AX
	ADDQ AX, bags_out(R8)
	DECQ bags_bags(R8)
	JNE  bag

outside:
	MOVQ AX, bags_outside(R8)
	VZEROUPPER
	RET

#undef LANE
#undef WEIGHTSOF
#undef NEXTWEIGHT
