//go:build arm64 || riscv64

package scalar

// Fused32 says whether MulAdd32 is one instruction.
const Fused32 = true

// Sum32 is the type of what MulAdd32 returns, before it is rounded to float32.
type Sum32 = float32

// MulAdd32 returns x*y + z, for which Go selects the instruction with one rounding on these machines. See MulAdd32Rounds.
// No operand may be the constant 2: Go makes x*2 + z a sum of three.
func MulAdd32(x, y, z float32) Sum32 { return x*y + z }

// Tied32 is false: a Sum32 is rounded.
func Tied32(Sum32) bool { return false }

// Inexact32 is false: a Sum32 is rounded.
func Inexact32(_, _, _, _ Sum32) bool { return false }

// Tiny32 is false: a Sum32 is rounded.
func Tiny32(Sum32) bool { return false }
