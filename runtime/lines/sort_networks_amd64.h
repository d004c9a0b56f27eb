// Sorting networks of some vectors of unsigned keys. Missing keys are the greatest ones.
//
// Columns of vectors are sorted and transposed, so that each vector is in order. Then sequences of vectors are merged:
// one that rises, and behind it one that falls, are a bitonic sequence (Batcher 1968). Of a pair of such sequences that
// are merged next, the first one rises and the second one falls.

// The lanes of four bytes.
DATA lanes<>+0(SB)/8, $0x0000000100000000
DATA lanes<>+8(SB)/8, $0x0000000300000002
DATA lanes<>+16(SB)/8, $0x0000000500000004
DATA lanes<>+24(SB)/8, $0x0000000700000006
GLOBL lanes<>(SB), RODATA|NOPTR, $32

// PRESENT32 sets the lanes of MASK whose number, from the vector at Y15 on, is below that of keys, Y14.
#define PRESENT32(MASK) VPCMPGTD Y15, Y14, MASK
#define PRESENT64(MASK) VPCMPGTQ Y15, Y14, MASK

// LOAD32 loads the keys of a vector that are there. Y12 is ones, and Y11 the lanes of a vector.
#define LOAD32(OFFSET, A) \
	PRESENT32(Y13) \
	VPMASKMOVD OFFSET(SI), Y13, A \
	VPXOR      Y12, Y13, Y13 \
	VPOR       Y13, A, A \
	VPADDD     Y11, Y15, Y15

// LOAD64 and LOADALL64 invert the first bits, which Y10 has, as compares are signed.
#define LOAD64(OFFSET, A) \
	PRESENT64(Y13) \
	VPMASKMOVQ OFFSET(SI), Y13, A \
	VPXOR      Y12, Y13, Y13 \
	VPOR       Y13, A, A \
	VPXOR      Y10, A, A \
	VPADDQ     Y11, Y15, Y15

#define LOADALL64(OFFSET, A) VPXOR OFFSET(SI), Y10, A

#define STOREALL64(A, OFFSET) \
	VPXOR   Y10, A, A \
	VMOVDQU A, OFFSET(DI)

// STORE32 stores a vector, or jumps if less of it is there.
#define STORE32(A, OFFSET, PART) \
	SUBQ    $8, CX \
	JLT     PART \
	VMOVDQU A, OFFSET(DI)

#define STORE64(A, OFFSET, PART) \
	VPXOR   Y10, A, A \
	SUBQ    $4, CX \
	JLT     PART \
	VMOVDQU A, OFFSET(DI)

// PART stores the rest, fewer lanes than a vector has.
#define PART(A, OFFSET) \
	VMOVDQA A, Y0 \
	LEAQ    OFFSET(DI), DI \
	JMP     part

// ORDER stores the lesser one of each lane of two vectors in A, and the greater one in B.
#define ORDER32(A, B) \
	VPMINUD B, A, Y8 \
	VPMAXUD B, A, B \
	VMOVDQA Y8, A

#define ORDER64(A, B) \
	VPCMPGTQ  B, A, Y9 \
	VBLENDVPD Y9, B, A, Y8 \
	VBLENDVPD Y9, A, B, B \
	VMOVDQA   Y8, A

// Steps inside a vector compare each lane with one that is at a distance. In GREATER lanes the greater one is stored.
#define ACROSS32(A, GREATER) \
	VPERM2I128 $1, A, A, Y8 \
	VPMINUD    A, Y8, Y9 \
	VPMAXUD    A, Y8, Y8 \
	VPBLENDD   GREATER, Y8, Y9, A

#define WITHIN32(A, SHUFFLE, GREATER) \
	VPSHUFD  SHUFFLE, A, Y8 \
	VPMINUD  A, Y8, Y9 \
	VPMAXUD  A, Y8, Y8 \
	VPBLENDD GREATER, Y8, Y9, A

#define ACROSS64(A, GREATER) \
	VPERM2I128 $1, A, A, Y8 \
	VPCMPGTQ   Y8, A, Y9 \
	VBLENDVPD  Y9, Y8, A, Y11 \
	VBLENDVPD  Y9, A, Y8, Y8 \
	VPBLENDD   GREATER, Y8, Y11, A

#define WITHIN64(A, GREATER) \
	VPSHUFD   $0x4e, A, Y8 \
	VPCMPGTQ  Y8, A, Y9 \
	VBLENDVPD Y9, Y8, A, Y11 \
	VBLENDVPD Y9, A, Y8, Y8 \
	VPBLENDD  GREATER, Y8, Y11, A

// RISING and FALLING order a vector that is bitonic.
#define RISING32(A) \
	ACROSS32(A, $0xf0) \
	WITHIN32(A, $0x4e, $0xcc) \
	WITHIN32(A, $0xb1, $0xaa)

#define FALLING32(A) \
	ACROSS32(A, $0x0f) \
	WITHIN32(A, $0x4e, $0x33) \
	WITHIN32(A, $0xb1, $0x55)

#define RISING64(A) \
	ACROSS64(A, $0xf0) \
	WITHIN64(A, $0xcc)

#define FALLING64(A) \
	ACROSS64(A, $0x0f) \
	WITHIN64(A, $0x33)

// FOURS orders the lanes of four bytes of each half of a vector: the first half rises, and the second one falls.
#define FOURS(A) \
	WITHIN32(A, $0xb1, $0x66) \
	WITHIN32(A, $0x4e, $0x3c) \
	WITHIN32(A, $0xb1, $0x5a)

// Merges of two sequences of 1, 2 and 4 vectors, the second one falling, to one that rises or falls.
#define RISING1x32(A, B) \
	ORDER32(A, B) \
	RISING32(A) \
	RISING32(B)

#define FALLING1x32(A, B) \
	ORDER32(B, A) \
	FALLING32(A) \
	FALLING32(B)

#define RISING2x32(A, B, C, D) \
	ORDER32(A, C) \
	ORDER32(B, D) \
	RISING1x32(A, B) \
	RISING1x32(C, D)

#define FALLING2x32(A, B, C, D) \
	ORDER32(C, A) \
	ORDER32(D, B) \
	FALLING1x32(A, B) \
	FALLING1x32(C, D)

#define RISING4x32(A, B, C, D, E, F, G, H) \
	ORDER32(A, E) \
	ORDER32(B, F) \
	ORDER32(C, G) \
	ORDER32(D, H) \
	RISING2x32(A, B, C, D) \
	RISING2x32(E, F, G, H)

// COLUMNS sorts the columns of four or eight vectors.
#define COLUMNS4x32(A, B, C, D) \
	ORDER32(A, B) \
	ORDER32(C, D) \
	ORDER32(A, C) \
	ORDER32(B, D) \
	ORDER32(B, C)

#define COLUMNS8x32(A, B, C, D, E, F, G, H) \
	ORDER32(A, C) \
	ORDER32(B, D) \
	ORDER32(E, G) \
	ORDER32(F, H) \
	ORDER32(A, E) \
	ORDER32(B, F) \
	ORDER32(C, G) \
	ORDER32(D, H) \
	ORDER32(A, B) \
	ORDER32(C, D) \
	ORDER32(E, F) \
	ORDER32(G, H) \
	ORDER32(C, E) \
	ORDER32(D, F) \
	ORDER32(B, E) \
	ORDER32(D, G) \
	ORDER32(B, C) \
	ORDER32(D, E) \
	ORDER32(F, G)

#define RISING1x64(A, B) \
	ORDER64(A, B) \
	RISING64(A) \
	RISING64(B)

#define FALLING1x64(A, B) \
	ORDER64(B, A) \
	FALLING64(A) \
	FALLING64(B)

#define RISING2x64(A, B, C, D) \
	ORDER64(A, C) \
	ORDER64(B, D) \
	RISING1x64(A, B) \
	RISING1x64(C, D)

#define FALLING2x64(A, B, C, D) \
	ORDER64(C, A) \
	ORDER64(D, B) \
	FALLING1x64(A, B) \
	FALLING1x64(C, D)

#define RISING4x64(A, B, C, D, E, F, G, H) \
	ORDER64(A, E) \
	ORDER64(B, F) \
	ORDER64(C, G) \
	ORDER64(D, H) \
	RISING2x64(A, B, C, D) \
	RISING2x64(E, F, G, H)

#define COLUMNS4x64(A, B, C, D) \
	ORDER64(A, B) \
	ORDER64(C, D) \
	ORDER64(A, C) \
	ORDER64(B, D) \
	ORDER64(B, C)

#define COLUMNS8x64(A, B, C, D, E, F, G, H) \
	ORDER64(A, C) \
	ORDER64(B, D) \
	ORDER64(E, G) \
	ORDER64(F, H) \
	ORDER64(A, E) \
	ORDER64(B, F) \
	ORDER64(C, G) \
	ORDER64(D, H) \
	ORDER64(A, B) \
	ORDER64(C, D) \
	ORDER64(E, F) \
	ORDER64(G, H) \
	ORDER64(C, E) \
	ORDER64(D, F) \
	ORDER64(B, E) \
	ORDER64(D, G) \
	ORDER64(B, C) \
	ORDER64(D, E) \
	ORDER64(F, G)
