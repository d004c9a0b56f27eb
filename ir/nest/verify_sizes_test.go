package nest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// TestVerifySizes has calls whose arguments are inside their slots, and whose kernels would store other elements, or none, or read indices from
// elements of another type.
func TestVerifySizes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"more sorted than there is", `nest f arena=0 {
  %0 = param x 0  : f32[2,31]
  %1 = result y 0 : f32[2,31]
  task 0 steps=0..0 scratch=512 work=1 elems=1 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    $2 = scratch 0 : i64[31]
    $3 = scratch 256 : i64[31]
    part [] {
      call sort sort f32
        rows=2 cols=31 across=4 across_out=4 length=7
        $0{}+0/31 -> $1{}+0/31 $2{}+0/0 $3{}+0/0
    }
  }
}
`, "its sizes do not agree with each other"},
		{"more ordered than there is", `nest f arena=0 {
  %0 = param x 0  : f32[4,7]
  %1 = result y 0 : u32[4,31]
  task 0 steps=0..0 scratch=512 work=1 elems=1 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : u32
    $2 = scratch 0 : i64[31]
    $3 = scratch 256 : i64[31]
    part [] {
      call order sort f32
        rows=4 cols=31 across=4 length=7
        $0{}+0/7 -> $1{}+0/31 $2{}+0/0 $3{}+0/0
    }
  }
}
`, "its sizes do not agree with each other"},
		{"fewer bounds than runs", `nest f arena=0 {
  %0 = param x 0  : u32[100]
  %1 = result y 0 : f32[100]
  task 0 steps=0..0 scratch=3328 work=1 elems=1 {
    $0 = buffer %0 : u32
    $1 = buffer %1 : f32
    $2 = table 0 : i64[1]
    $3 = scratch 0 : i64[100]
    $4 = scratch 832 : i64[100]
    $5 = scratch 1664 : i64[100]
    $6 = scratch 2496 : i64[100]
    part [] {
      call merge sort f32
        rows=1 cols=100 across_out=4 elems=100 run=50 span=50 block=10 bounds=9
        $0{}+0/0 $2{}+0/0 -> $1{}+0/0 $3{}+0/0 $4{}+0/0 $5{}+0/0 $6{}+0/0
    }
  }
}
`, "its sizes do not agree with each other"},
		{"more merged than there is", `nest f arena=0 {
  %0 = param x 0  : u32[100]
  %1 = result y 0 : f32[100]
  task 0 steps=0..0 scratch=3328 work=1 elems=1 {
    $0 = buffer %0 : u32
    $1 = buffer %1 : f32
    $2 = table 0 : i64[1]
    $3 = scratch 0 : i64[100]
    $4 = scratch 832 : i64[100]
    $5 = scratch 1664 : i64[100]
    $6 = scratch 2496 : i64[100]
    part [] {
      call merge sort f32
        rows=1 cols=100 across_out=4 elems=10 run=50 span=50 block=10 bounds=10
        $0{}+0/0 $2{}+0/0 -> $1{}+0/0 $3{}+0/0 $4{}+0/0 $5{}+0/0 $6{}+0/0
    }
  }
}
`, "its sizes do not agree with each other"},
		{"a column outside the last iteration", `nest f arena=0 {
  %0 = param x 0  : f32[2,10]
  %1 = param y 1  : f32[2,1]
  %2 = result y 0 : f32[2,10]
  task 0 steps=0..0 scratch=0 work=1 elems=1 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    $2 = buffer %2 : f32
    part [10/6] {
      call insert u32
        rows=2 cols=of(0) place=5
        $1{0}+0/1 $0{6}+0/10 -> $2{6}+0/10
    }
  }
}
`, "its sizes do not agree with each other"},
		{"indices of another type", `nest f arena=0 {
  %0 = param x 0  : i64[5,3]
  %1 = param i 1  : f64[4]
  %2 = result y 0 : i64[4,3]
  task 0 steps=0..0 scratch=0 work=1 elems=1 {
    $0 = buffer %0 : i64
    $1 = buffer %1 : f64
    $2 = buffer %2 : i64
    part [] {
      call gather i64
        rows=4 cols=3 extent=5
        $0{}+0/3 $1{}+0/1 -> $2{}+0/3
    }
  }
}
`, "the slot has f64, the kernel i64"},
		{"a reduction of nothing", `nest f arena=0 {
  %0 = param x 0  : f32[4]
  %1 = result y 0 : f32[4]
  task 0 steps=0..0 scratch=0 work=1 elems=1 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [] {
      call reduce [add] kernel (u0:f32) { store u0 }
        rows=4 cols=0
        $0{}+0/1 -> $1{}+0/1
    }
  }
}
`, "cols is 0, the kernel takes 1 to 1024"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := nest.Parse(c.text)
			require.NoError(t, err)
			require.ErrorContains(t, p.Verify(), c.want)
		})
	}
}
