// What the conversions of elements to keys share.

// NEGATIVE32 and NEGATIVE64 invert some bits, which Y15 has, of negative elements in Y0.
#define NEGATIVE32 \
	VPCMPGTD Y0, Y12, Y1 \
	VPAND Y15, Y1, Y1 \
	VPXOR Y1, Y0, Y0
#define NEGATIVE64 \
	VPCMPGTQ Y0, Y12, Y1 \
	VPAND Y15, Y1, Y1 \
	VPXOR Y1, Y0, Y0

// SPREAD fills the lanes of a vector with a number.
#define SPREAD32(A, X, Y) \
	VMOVD A, X \
	VPBROADCASTD X, Y
#define SPREAD64(A, X, Y) \
	VMOVQ A, X \
	VPBROADCASTQ X, Y
