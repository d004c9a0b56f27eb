//go:build linux && amd64 && !purego && !nojit

package jit

import (
	"encoding/binary"
	"flag"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Machine code by hand. Each kernel loads its frame from 8(SP) into CX first.

// adds is a kernel that adds n to the int32 at its first operand.
func adds(n uint32) []byte {
	return binary.LittleEndian.AppendUint32(begin(
		0x48, 0x8b, 0x41, 0x10, // MOVQ 16(CX), AX
		0x81, 0x00), n, // ADDL $n, (AX)
	)
}

// begin returns code that loads the frame and goes on with some bytes.
func begin(rest ...byte) []byte { return append([]byte{0x48, 0x8b, 0x4c, 0x24, 0x08}, rest...) }

// ret ends code.
func ret(b []byte) []byte { return append(b, 0xc3) }

// spins is a kernel that counts Rows down to 0.
var spins = ret(begin(
	0x48, 0x8b, 0x11, // MOVQ (CX), DX
	0x48, 0xff, 0xca, // DECQ DX
	0x75, 0xfb, // JNE
))

// clobbers is a kernel that leaves no register as it was which it may change, and uses all of its stack.
var clobbers = ret(begin(
	0x45, 0x31, 0xf6, // XORL R14, R14
	0x31, 0xed, // XORL BP, BP
	0x66, 0x45, 0x0f, 0x76, 0xff, // PCMPEQL X15, X15
	0x48, 0x89, 0x4c, 0x24, 0x10, // MOVQ CX, 16(SP)
	0x48, 0x89, 0x8c, 0x24, 0x08, 0x10, 0x00, 0x00, // MOVQ CX, 4104(SP)
))

// runOn runs a kernel on one int32 and returns what the kernel made of it.
func runOn(k *Kernel, v int32) int32 {
	f := &abi.Frame{Rows: 1, Cols: 1}
	f.Ptr[0] = unsafe.Pointer(&v)
	k.Func()(f)
	return v
}

// kernelOf returns a kernel with the signature of that number.
func kernelOf(t testing.TB, i int) kernel.Code {
	c, err := kernel.ParseCode(sigs[i])
	require.NoError(t, err)
	return c
}

var sigs = func() (all []string) {
	for _, op := range []string{"neg", "abs", "sqrt", "floor", "exp", "log", "sin", "tanh"} {
		all = append(all, "kernel (u0:f32) { t0 = "+op+" u0; store t0 }")
	}
	return all
}()

// churned is how many kernels TestChurn makes: 1e6 show that memory returns in a long process.
var churned = flag.Int("jit.kernels", 4000, "the kernels that TestChurn makes")
