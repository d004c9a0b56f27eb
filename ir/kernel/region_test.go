package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// names writes a region: what it computes, then its cold blocks in brackets.
func names(k *kernel.Kernel, r *kernel.Region) string {
	var out []string
	for v := range r.Has {
		if r.Has[v] {
			out = append(out, k.RefName(kernel.Ref(v)))
		}
	}
	for _, d := range r.Cold {
		out = append(out, fmt.Sprintf("[%s if %s]", names(k, d.Body), k.RefName(d.Cond)))
	}
	return strings.Join(out, " ")
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"cheap", "t0 = neg u0; t1 = unlikely u1 t0 u0; store t1", "t0 t1"},
		{"needed elsewhere", "t0 = sqrt u0; t1 = unlikely u1 t0 u0; store t0 t1", "t0 t1"},
		{"the same in a row", "t0 = sqrt s2; t1 = unlikely u1 t0 u0; store t1", "t1"},
		{"alone", "t0 = sqrt u0; t1 = unlikely u1 t0 u0; store t1", "t1 [t0 if u1]"},
		{"together", "t0 = sqrt u0; t1 = div u0 t0; t2 = unlikely u1 t0 u0; t3 = unlikely u1 t1 u0; store t2 t3", "t2 t3 [t0 t1 if u1]"},
		{"one after the other", "t0 = sqrt u0; t1 = unlikely u1 t0 u0; t2 = sqrt t1; t3 = unlikely u1 t2 u0; store t1 t3", "t1 t3 [t0 if u1] [t2 if u1]"},
		{"nested", "t0 = sqrt u0; t1 = eq t0 u0; t2 = div u0 t0; t3 = unlikely t1 t2 t0; t4 = unlikely u1 t3 u0; store t4", "t4 [t0 t1 t3 [t2 if t1] if u1]"},
	} {
		k, err := kernel.ParseKernel("kernel (u0:f32, u1:bool, s2:f32) { " + c.body + " }")
		require.NoError(t, err)
		require.Equal(t, c.want, names(k, kernel.Split(k)), c.name)
	}
}
