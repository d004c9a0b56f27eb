//go:build !(arm64 || riscv64)

package scalar

import "unsafe"

// DotRows32 is the number of rows of a tile of Dot32.
const DotRows32 = 2

// dot32 is Dot32, but stops and returns false at a sum that FMA32 has to round.
func dot32(out *[DotRows32][DotCols]float32, x *[DotRows32]unsafe.Pointer, taps []int, w [][DotCols]Sum32, tame bool) bool {
	if tame {
		return tameDot32(out, x, taps, w)
	}
	taps = taps[:len(w)]
	p, q := x[0], x[1]
	var t0, t1, t2, t3, u0, u1, u2, u3 Sum32
	for k := range w {
		y, x, z := &w[k], Sum32(*(*float32)(unsafe.Add(p, taps[k]))), Sum32(*(*float32)(unsafe.Add(q, taps[k])))
		st0 := x*y[0] + t0
		if tied32(st0) && Inexact32(st0, x, y[0], t0) {
			return false
		}
		if tiny32(st0) {
			return false
		}
		t0 = Sum32(float32(st0))
		st1 := x*y[1] + t1
		if tied32(st1) && Inexact32(st1, x, y[1], t1) {
			return false
		}
		if tiny32(st1) {
			return false
		}
		t1 = Sum32(float32(st1))
		st2 := x*y[2] + t2
		if tied32(st2) && Inexact32(st2, x, y[2], t2) {
			return false
		}
		if tiny32(st2) {
			return false
		}
		t2 = Sum32(float32(st2))
		st3 := x*y[3] + t3
		if tied32(st3) && Inexact32(st3, x, y[3], t3) {
			return false
		}
		if tiny32(st3) {
			return false
		}
		t3 = Sum32(float32(st3))
		su0 := z*y[0] + u0
		if tied32(su0) && Inexact32(su0, z, y[0], u0) {
			return false
		}
		if tiny32(su0) {
			return false
		}
		u0 = Sum32(float32(su0))
		su1 := z*y[1] + u1
		if tied32(su1) && Inexact32(su1, z, y[1], u1) {
			return false
		}
		if tiny32(su1) {
			return false
		}
		u1 = Sum32(float32(su1))
		su2 := z*y[2] + u2
		if tied32(su2) && Inexact32(su2, z, y[2], u2) {
			return false
		}
		if tiny32(su2) {
			return false
		}
		u2 = Sum32(float32(su2))
		su3 := z*y[3] + u3
		if tied32(su3) && Inexact32(su3, z, y[3], u3) {
			return false
		}
		if tiny32(su3) {
			return false
		}
		u3 = Sum32(float32(su3))
	}
	store32(out, t0, t1, t2, t3, u0, u1, u2, u3)
	return true
}

// tameDot32 is dot32 of operands for which AreTame32 is true.
func tameDot32(out *[DotRows32][DotCols]float32, x *[DotRows32]unsafe.Pointer, taps []int, w [][DotCols]Sum32) bool {
	taps = taps[:len(w)]
	p, q := x[0], x[1]
	var t0, t1, t2, t3, u0, u1, u2, u3 Sum32
	for k := range w {
		y, x, z := &w[k], Sum32(*(*float32)(unsafe.Add(p, taps[k]))), Sum32(*(*float32)(unsafe.Add(q, taps[k])))
		st0 := x*y[0] + t0
		if tied32(st0) && Inexact32(st0, x, y[0], t0) {
			return false
		}
		t0 = Sum32(float32(st0))
		st1 := x*y[1] + t1
		if tied32(st1) && Inexact32(st1, x, y[1], t1) {
			return false
		}
		t1 = Sum32(float32(st1))
		st2 := x*y[2] + t2
		if tied32(st2) && Inexact32(st2, x, y[2], t2) {
			return false
		}
		t2 = Sum32(float32(st2))
		st3 := x*y[3] + t3
		if tied32(st3) && Inexact32(st3, x, y[3], t3) {
			return false
		}
		t3 = Sum32(float32(st3))
		su0 := z*y[0] + u0
		if tied32(su0) && Inexact32(su0, z, y[0], u0) {
			return false
		}
		u0 = Sum32(float32(su0))
		su1 := z*y[1] + u1
		if tied32(su1) && Inexact32(su1, z, y[1], u1) {
			return false
		}
		u1 = Sum32(float32(su1))
		su2 := z*y[2] + u2
		if tied32(su2) && Inexact32(su2, z, y[2], u2) {
			return false
		}
		u2 = Sum32(float32(su2))
		su3 := z*y[3] + u3
		if tied32(su3) && Inexact32(su3, z, y[3], u3) {
			return false
		}
		u3 = Sum32(float32(su3))
	}
	store32(out, t0, t1, t2, t3, u0, u1, u2, u3)
	return true
}

func store32(out *[DotRows32][DotCols]float32, t0, t1, t2, t3, u0, u1, u2, u3 Sum32) {
	out[0] = [DotCols]float32{float32(t0), float32(t1), float32(t2), float32(t3)}
	out[1] = [DotCols]float32{float32(u0), float32(u1), float32(u2), float32(u3)}
}
