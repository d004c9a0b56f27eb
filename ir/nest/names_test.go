package nest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestNamed names the loops of a schedule by the axes of its input, through a temporary, and reads the names back.
func TestNamed(t *testing.T) {
	const text = `nest p arena=4096 {
  %0 = param x 0  : f32[96,4]
  %1 = result y 0 : f32[96,4]
  %2 = temp 0     : f32[96,4]
  task 0 steps=0..0 scratch=0 work=384 elems=384 {
    $0 = buffer %0 : f32
    $1 = buffer %2 : f32
    part [96/32] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=4*of(0)
        $0{128}+0/0 -> $1{128}+0/0
    }
  }
  task 1 steps=1..1 scratch=0 work=384 elems=384 {
    $0 = buffer %2 : f32
    $1 = buffer %1 : f32
    part [4/1, 96/64] {
      for [of(1)/8] {
        call kernel (u0:f32) { t0 = neg u0; store t0 }
          rows=of(2) cols=1
          $0{1,256,32}+0/4 -> $1{1,256,32}+0/4
      }
    }
  }
}
`
	p := parse(t, text)
	require.NoError(t, p.Verify())
	named := p.Named(func(b *plan.Buffer) []string {
		if b.Kind == plan.ParamBuffer {
			return []string{"n", ""}
		}
		return nil
	})
	require.Equal(t, text, p.String(), "the program itself has no names")
	again, err := nest.Parse(named.String())
	require.NoError(t, err)
	require.NoError(t, again.Verify())
	require.Equal(t, named.String(), again.String())
	require.Contains(t, named.String(), "part [n=96/32] {")
	require.Contains(t, named.String(), "part [4/1, n=96/64] {")
	require.Contains(t, named.String(), "for [n=of(1)/8] {")
}
