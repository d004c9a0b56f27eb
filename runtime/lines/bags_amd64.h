// The sums of bags of up to 32 rows, in the order of ir.ReduceRow. It is included once for each function. The
// including file defines
//
//	NAME      the function
//	WEIGHTED  if rows are multiplied
//	WIDTH     how many bytes of a row are added at a time
//	MASK      selects the columns that are left, if they are fewer
//	FIRST     puts (SI)(AX*1), times the weight at w, into the vectors of a sum
//	NEXT      adds it to them
//	SUM       adds vectors to vectors
//	STORE     stores the vectors of the first sum, V0 to V3, at DI
//	KEEP, ADDKEPT    keep them, and add what is kept
//	KEEP2, ADDKEPT2  the same in another place
//	PREFETCH  prefetches WIDTH bytes at AX
//
// A bag is added in eights. An eight is the rows b+k*S for k from 0 to 7, whose indices are at (BX)(k*R10), and the
// tree over them is
//
//	((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))
//
// S is the least of 1, 2 and 4 for which 8*S is not below the length of the bag, and b goes from 0 to S-1. What an eight
// lacks behind the end of the bag are some of 4 to 7, which are left out. For up to four rows S is a half, and 1, 3, 5
// and 7 are left out too: numbers of rows are doubled, so that these are whole ones.
//
// DI says what follows an eight:
//
//	0     nothing, it is the only one
//	6, 1  it is the first or the second of two
//	5, 4, 3, 2  it is one of four, (0 + 2) + (1 + 3), in this order

#define INDEX(at) \
	MOVQ  at, AX; \
	CMPQ  AX, R11; \
	JAE   outside; \
	IMULQ R9, AX

TEXT NAME(SB), NOSPLIT, $256-8
	MOVQ b+0(FP), R8
	MOVQ bags_extent(R8), R11
	MOVQ bags_tableStep(R8), R9
	MOVQ bags_apart(R8), R10
	LEAQ (R10)(R10*2), R12
#ifdef WEIGHTED
	MOVQ bags_apartWeights(R8), R15
	LEAQ (R15)(R15*2), BP
#endif

bag:
	MOVQ bags_from(R8), AX
	MOVQ AX, bags_at(R8)

columns:
	MOVQ bags_table(R8), SI
	ADDQ AX, SI
	MASK
	MOVQ bags_indices(R8), BX
	MOVQ bags_length(R8), R13
	MOVQ bags_eights(R8), DI
#ifdef WEIGHTED
	MOVQ bags_weights(R8), DX
#endif

eight:
	// The same rows of a later bag are prefetched. Their indices may be any numbers: a prefetch never faults.
	MOVQ bags_bags(R8), AX
	CMPQ AX, bags_ahead(R8)
	JLE  near
	MOVQ bags_aheadBytes(R8), CX
	ADDQ BX, CX
	MOVQ R13, R14

later:
	MOVQ  (CX), AX
	IMULQ R9, AX
	ADDQ  SI, AX
	PREFETCH
	ADDQ  bags_laterBytes(R8), CX
	SUBQ  bags_laterRows(R8), R14
	JG    later

near:
	LEAQ (BX)(R10*4), CX
#ifdef WEIGHTED
	LEAQ (DX)(R15*4), R14
#endif
	INDEX((BX))
	FIRST((DX), V0, V1, V2, V3)
	CMPQ R13, bags_rows+32(R8)
	JLE  two
	INDEX((CX))
	NEXT((R14), V0, V1, V2, V3)

two:
	CMPQ R13, bags_rows+16(R8)
	JLE  combine
	INDEX((BX)(R10*2))
	FIRST((DX)(R15*2), V4, V5, V6, V7)
	CMPQ R13, bags_rows+48(R8)
	JLE  four
	INDEX((CX)(R10*2))
	NEXT((R14)(R15*2), V4, V5, V6, V7)

four:
	SUM(V4, V5, V6, V7, V0, V1, V2, V3)
	CMPQ bags_rows+8(R8), $1
	JEQ  combine
	INDEX((BX)(R10*1))
	FIRST((DX)(R15*1), V4, V5, V6, V7)
	CMPQ R13, bags_rows+40(R8)
	JLE  six
	INDEX((CX)(R10*1))
	NEXT((R14)(R15*1), V4, V5, V6, V7)

six:
	INDEX((BX)(R12*1))
	FIRST((DX)(BP*1), V8, V9, V10, V11)
	CMPQ R13, bags_rows+56(R8)
	JLE  all
	INDEX((CX)(R12*1))
	NEXT((R14)(BP*1), V8, V9, V10, V11)

all:
	SUM(V8, V9, V10, V11, V4, V5, V6, V7)
	SUM(V4, V5, V6, V7, V0, V1, V2, V3)

combine:
	CMPQ DI, $1
	JLT  store // one eight
	JEQ  last
	CMPQ DI, $3
	JLT  fourth
	JEQ  third
	CMPQ DI, $5
	JEQ  first
	JGT  half

	// The second of four is b = 2, and the third is 1.
	ADDKEPT
	KEEP
	MOVQ $3, DI
	SUBQ bags_across(R8), BX
#ifdef WEIGHTED
	SUBQ bags_acrossWeights(R8), DX
#endif
	ADDQ $2, R13
	JMP  eight

half: // the first of two is b = 0, and the second is 1
	KEEP
	MOVQ $1, DI
	ADDQ bags_across(R8), BX
#ifdef WEIGHTED
	ADDQ bags_acrossWeights(R8), DX
#endif
	SUBQ $2, R13
	JMP  eight

first: // the first of four is b = 0, and the second is 2
	KEEP
	MOVQ $4, DI
	JMP  skip

third: // the third of four is b = 1, and the fourth is 3
	KEEP2
	MOVQ $2, DI

skip:
	MOVQ bags_across(R8), AX
	LEAQ (BX)(AX*2), BX
#ifdef WEIGHTED
	MOVQ bags_acrossWeights(R8), AX
	LEAQ (DX)(AX*2), DX
#endif
	SUBQ $4, R13
	JMP  eight

fourth:
	ADDKEPT2

last:
	ADDKEPT

store:
	MOVQ bags_at(R8), AX
	MOVQ bags_out(R8), DI
	ADDQ AX, DI
	STORE
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

#undef INDEX
