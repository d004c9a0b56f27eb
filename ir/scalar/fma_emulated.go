//go:build !(arm64 || riscv64)

package scalar

// Fused32 says whether MulAdd32 is one instruction.
const Fused32 = false

// Sum32 is the type of what MulAdd32 returns, before it is rounded to float32.
type Sum32 = float64

// MulAdd32 returns x*y + z rounded to float64. Rounded to float32 it is FMA32(x, y, z), unless it is tied and inexact, or tiny.
func MulAdd32(x, y, z float32) Sum32 { return float64(float64(x)*float64(y)) + float64(z) }

// Tied32 reports whether s is halfway between two floats.
func Tied32(s Sum32) bool { return tied32(s) }

// Inexact32 reports whether s, which is MulAdd32(x, y, z), was rounded. If it was not, both differences are exact. If it was, the
// difference from the greater term is exact and not equal to the other one.
func Inexact32(s, x, y, z Sum32) bool {
	p := float64(x * y)
	return float64(s-p) != z || float64(s-z) != p
}

// Tiny32 reports whether s is in the subnormal range and not 0.
func Tiny32(s Sum32) bool { return tiny32(s) }
