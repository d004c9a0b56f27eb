package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPortableCold pins the Go of two unlikely selects of one condition.
func TestPortableCold(t *testing.T) {
	k := parse(t, "kernel (u0:f32, u1:bool) { t0 = sqrt u0; t1 = div u0 t0; t2 = unlikely u1 t0 u0; t3 = unlikely u1 t1 t2; store t2 t3 }",
		"kernel (u0:f32, u1:bool) { t0 = sqrt u0; t1 = div u0 t0; t2 = unlikely u1 t0 u0; t3 = unlikely u1 t1 u0; store t2 t3 }")
	for i, want := range []string{
		"t2 := v0; if v1 {; t0 := float32(math.Sqrt(float64(v0))); t2 = t0; }; " +
			"t3 := t2; if v1 {; t0 := float32(math.Sqrt(float64(v0))); t1 := float32(v0 / t0); t3 = t1; }",
		"t2 := v0; t3 := v0; if v1 {; t0 := float32(math.Sqrt(float64(v0))); t1 := float32(v0 / t0); t2 = t0; t3 = t1; }",
	} {
		w := &portable{}
		require.NoError(t, w.code(k[i]))
		require.Contains(t, strings.ReplaceAll(w.String(), "\n", "; "), want)
	}
}
