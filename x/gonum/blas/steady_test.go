package blas

// What holds of every routine beside its result: the bits do not depend on the number of workers or on other calls, nothing is allocated
// once the sizes are known, and wrong arguments panic as gonum's do.

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// large returns a problem that several workers share.
func large(name string) *problem[float64] {
	p := &problem[float64]{name: name, tA: blas.Trans, tB: blas.NoTrans, side: blas.Right, uplo: blas.Lower, diag: blas.NonUnit,
		m: 210, n: 270, k: 300, alpha: 0.3, beta: -0.7, incX: 2, incY: 1}
	p.fill(rand.New(rand.NewPCG(1, 2)), 3)
	return p
}

func TestBitsDoNotDependOnWorkers(t *testing.T) {
	for _, name := range names {
		want := large(name)
		parts := runtime.GOMAXPROCS(1)
		want.run(doubles(measured))
		runtime.GOMAXPROCS(max(parts, 5))
		all := make([]*problem[float64], 3)
		var wait sync.WaitGroup
		for i := range all { // at once
			all[i] = large(name)
			wait.Go(func() { all[i].run(doubles(measured)) })
		}
		wait.Wait()
		for _, got := range all {
			for i, s := range [][]float64{got.a, got.b, got.c, got.x, got.y} {
				require.True(t, slices.EqualFunc(s, [][]float64{want.a, want.b, want.c, want.x, want.y}[i], sameBits), name)
			}
		}
		runtime.GOMAXPROCS(parts)
	}
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestAllocatesNothing(t *testing.T) {
	if !measured.double.ready() {
		t.Skip("the routines are gonum's: the machine has no kernels")
	}
	for _, name := range names {
		p, r := large(name), doubles(measured)
		p.run(r)
		// A worker that a garbage collection freed is made again.
		require.Less(t, testing.AllocsPerRun(50, func() { p.run(r) }), 1.0, name)
	}
	a, b, c := make([]complex128, 100*100), make([]complex128, 100*100), make([]complex128, 100*100)
	for name, f := range map[string]func(){
		"Zgemm": func() { measured.Zgemm(blas.Trans, blas.ConjTrans, 100, 100, 100, 1i, a, 100, b, 100, 0, c, 100) },
		"Ztrsm": func() { measured.Ztrsm(blas.Right, blas.Lower, blas.Trans, blas.Unit, 100, 100, 1, a, 100, b, 100) },
		"Zherk": func() { measured.Zherk(blas.Upper, blas.NoTrans, 100, 100, 1, a, 100, 0, c, 100) },
		"Zhemm": func() { measured.Zhemm(blas.Left, blas.Upper, 100, 100, 1, a, 100, b, 100, 0, c, 100) },
	} {
		f()
		require.Less(t, testing.AllocsPerRun(20, f), 1.0, name)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, name := range names {
		for what, spoil := range map[string]func(p *problem[float64]){
			"no rows":   func(p *problem[float64]) { p.m, p.n = -p.m, -p.n },
			"short":     func(p *problem[float64]) { p.a, p.b, p.c = p.a[:len(p.a)-1], nil, nil },
			"short x":   func(p *problem[float64]) { p.x, p.b = nil, p.b[:len(p.b)/2] },
			"close":     func(p *problem[float64]) { p.lda = 5 },
			"far":       func(p *problem[float64]) { p.lda = 1 << 30 },
			"no flag":   func(p *problem[float64]) { p.tA, p.uplo, p.diag, p.side = 'x', 'x', 'x', 'x' },
			"increment": func(p *problem[float64]) { p.incX, p.ldb, p.ldc = 0, 2, 2 },
			"huge":      func(p *problem[float64]) { p.m, p.n, p.k = 1<<31-1, 1<<31-1, 1<<31-1 },
		} {
			panics := func(i blas.Float64) (why any) {
				defer func() { why = recover() }()
				p := large(name)
				spoil(p)
				p.run(doubles(i))
				return nil
			}
			want := panics(gonum.Implementation{})
			if _, ours := want.(string); want != nil && !ours {
				continue // gonum's own check overflows
			}
			require.Equal(t, want, panics(measured), "%s: %s", name, what)
			require.Equal(t, want, panics(eager), "%s: %s", name, what)
		}
	}
}
