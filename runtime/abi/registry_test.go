package abi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRegisterTwice registers a signature as the library's kernel and as a program's, in both orders: of
// assembly the library's is called, of Go loops the program's.
func TestRegisterTwice(t *testing.T) {
	called := ""
	kernelOf := func(sig, of string) []Kernel { return []Kernel{{sig, func(*Frame) { called = of }}} }
	for _, e := range []Engine{Portable, AVX2} {
		want := "library"
		if e == Portable {
			want = "program"
		}
		for _, late := range []bool{false, true} {
			sig := "TestRegisterTwice " + e.String()
			if late {
				sig += " late"
			}
			library := func() { RegisterBuiltin(e, kernelOf(sig, "library")) }
			program := func() { Register(ABI2, e, kernelOf(sig, "program")) }
			if late {
				program()
				library()
			} else {
				library()
				program()
			}
			fn, ok := Lookup(e, sig)
			require.True(t, ok)
			fn(nil)
			require.Equal(t, want, called, sig)
		}
	}
}
