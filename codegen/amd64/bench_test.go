package amd64

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// tenOps is a kernel of ten operations.
const tenOps = "kernel (u0:f32, u1:f32, s2:f32, u3:f32) { t0 = sub u0 u1; t1 = mul t0 s2; t2 = add u3 t1; t3 = mul t2 t0; t4 = abs t3; " +
	"t5 = sqrt t4; t6 = max t5 u1; t7 = div t2 t6; t8 = add t7 u0; t9 = mul s2 t8; store t9 }"

// BenchmarkAssemble assembles a kernel of ten operations, from its body to bytes.
func BenchmarkAssemble(b *testing.B) {
	k, err := kernel.ParseCode(tenOps)
	require.NoError(b, err)
	for _, t := range []*Target{AVX2(), AVX512()} {
		b.Run(t.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := t.Assemble(k, InCaller)
				require.NoError(b, err)
			}
		})
		b.Run(t.name+"/encode", func(b *testing.B) {
			p, err := t.Program(k)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err := t.encode(p, InCaller)
				require.NoError(b, err)
			}
		})
	}
}
