//go:build amd64 && !purego

package builtin

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen/amd64"
	irkernel "github.com/stridefuse/stridefuse/ir/kernel"
)

// nosplitStack is the largest stack of a kernel without a stack check.
const nosplitStack = 512 + 8

// TestEncoded compares the machine code that package amd64 makes of every built-in kernel with the kernel that is linked: the
// same bytes, except the addresses of constants, whose contents are the same. Kernels with large stack frames begin with a
// check of the stack here, which moves the code behind it; codegen/avo compares those with the assembler's output.
func TestEncoded(t *testing.T) {
	compared, checked := 0, 0
	for _, list := range []struct {
		assembly
		*amd64.Target
	}{
		{kernels_avx2, amd64.AVX2()}, {kernels_avx2_float64, amd64.AVX2()}, {kernels_avx2_integers, amd64.AVX2()},
		{kernels_avx512, amd64.AVX512()}, {kernels_avx512_float64, amd64.AVX512()}, {kernels_avx512_integers, amd64.AVX512()},
		{kernels_avx512_no_vnni_integers, amd64.AVX512WithoutVNNI()},
	} {
		if len(list.signatures) == 0 {
			continue // left out by a build tag
		}
		entries := unsafe.Slice(list.entries(), len(list.signatures))
		for i, signature := range list.signatures {
			k, err := irkernel.ParseCode(signature)
			require.NoError(t, err)
			code, err := list.Assemble(k, amd64.InOwnFrame)
			require.NoError(t, err)
			if code.Stack > nosplitStack {
				checked++
				continue
			}
			compared++
			if why := differ(code, entries[i]); why != "" {
				t.Fatalf("%s: %s: %s", list.Name(), signature, why)
			}
		}
	}
	t.Logf("%d kernels are the same; %d have a stack check", compared, checked)
	require.Less(t, checked, compared/10) // most of these are float64 functions, two copies of which spill vectors
}

// differ says how code differs from the function at an address, or nothing.
func differ(code *amd64.Code, entry uintptr) string {
	linked := linkedAt(entry, code.Text)
	for i := 0; i < code.Text; {
		if linked[i] == code.Bytes[i] {
			i++
			continue
		}
		// The bytes differ within the address of a constant, which is relative to the end of the instruction. That end is at
		// most a byte, the constant operand, behind the address; the contents do not depend on it.
		from := addressBefore(code, linked, i)
		if from < 0 {
			return fmt.Sprintf("byte %#x is %x, not %x", i, linked[i:min(i+16, code.Text)], code.Bytes[i:min(i+16, code.Text)])
		}
		i = from + 4
	}
	return ""
}

// addressBefore returns the beginning of the four bytes with byte i that address a constant in both codes, or -1. Both point
// to the same contents, as far as code has some.
func addressBefore(code *amd64.Code, linked []byte, i int) int {
	for from := max(0, i-3); from <= i && from+4 <= code.Text; from++ {
		if code.Bytes[from-1]&0xc7 != 5 { // ModR/M: relative to the instruction
			continue
		}
		for operand := range 2 {
			end := from + 4 + operand
			ours := end + int(int32(binary.LittleEndian.Uint32(code.Bytes[from:])))
			if ours < code.Text || ours >= len(code.Bytes) {
				continue
			}
			theirs := end + int(int32(binary.LittleEndian.Uint32(linked[from:])))
			n := min(8, len(code.Bytes)-ours)
			at := uintptr(unsafe.Pointer(&linked[0])) + uintptr(theirs)
			if string(linkedAt(at, n)) == string(code.Bytes[ours:ours+n]) {
				return from
			}
		}
	}
	return -1
}

// linkedAt returns n bytes of the program.
func linkedAt(at uintptr, n int) []byte { return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n) }

// TestOnlyHalvesNeedVNNI looks for instructions of VNNI in the text of the kernels that Register gives to every processor with AVX-512.
func TestOnlyHalvesNeedVNNI(t *testing.T) {
	if len(kernels_avx512_integers.signatures) > 0 {
		require.Equal(t, []string{"dotbytes i32", "dothalves i32"}, kernels_avx512_integers.signatures)
	}
	for file, needs := range map[string]bool{"": false, "_float64": false, "_integers": true, "_no_vnni_integers": false} {
		text, err := os.ReadFile("zkernels_avx512" + file + "_amd64.s")
		require.NoError(t, err)
		require.Equal(t, needs, strings.Contains(string(text), "VPDP"), file)
	}
}
