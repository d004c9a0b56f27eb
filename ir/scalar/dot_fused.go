//go:build arm64 || riscv64

package scalar

import "unsafe"

// DotRows32 is the number of rows of a tile of Dot32: with as many, sums and operands fill 24 of 32 registers.
const DotRows32 = 4

func dot32(out *[DotRows32][DotCols]float32, x *[DotRows32]unsafe.Pointer, taps []int, w [][DotCols]Sum32, _ bool) bool {
	taps = taps[:len(w)]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	var t00, t01, t02, t03, t10, t11, t12, t13, t20, t21, t22, t23, t30, t31, t32, t33 Sum32
	for k := range w {
		y, at := &w[k], taps[k]
		v0 := *(*Sum32)(unsafe.Add(x0, at))
		t00, t01, t02, t03 = v0*y[0]+t00, v0*y[1]+t01, v0*y[2]+t02, v0*y[3]+t03
		v1 := *(*Sum32)(unsafe.Add(x1, at))
		t10, t11, t12, t13 = v1*y[0]+t10, v1*y[1]+t11, v1*y[2]+t12, v1*y[3]+t13
		v2 := *(*Sum32)(unsafe.Add(x2, at))
		t20, t21, t22, t23 = v2*y[0]+t20, v2*y[1]+t21, v2*y[2]+t22, v2*y[3]+t23
		v3 := *(*Sum32)(unsafe.Add(x3, at))
		t30, t31, t32, t33 = v3*y[0]+t30, v3*y[1]+t31, v3*y[2]+t32, v3*y[3]+t33
	}
	*out = [DotRows32][DotCols]float32{{t00, t01, t02, t03}, {t10, t11, t12, t13}, {t20, t21, t22, t23}, {t30, t31, t32, t33}}
	return true
}
