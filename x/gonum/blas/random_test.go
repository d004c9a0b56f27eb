package blas

// Every routine on random arguments, beside gonum's in float64: all flags, distances of rows and elements, numbers of workers. NaN is
// wherever a routine must neither read nor write.

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"pgregory.net/rapid"
)

// routines are those of one type.
type routines[T float] struct {
	gemm  func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk  func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	symm  func(s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trmm  func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	trsm  func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	gemv  func(tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger   func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	symv  func(ul blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	trsv  func(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []T, lda int, x []T, incX int)
}

func singles(i blas.Float32) routines[float32] {
	return routines[float32]{i.Sgemm, i.Ssyrk, i.Ssyr2k, i.Ssymm, i.Strmm, i.Strsm, i.Sgemv, i.Sger, i.Ssymv, i.Strsv}
}

func doubles(i blas.Float64) routines[float64] {
	return routines[float64]{i.Dgemm, i.Dsyrk, i.Dsyr2k, i.Dsymm, i.Dtrmm, i.Dtrsm, i.Dgemv, i.Dger, i.Dsymv, i.Dtrsv}
}

// eager leaves nothing to gonum and makes blocks small.
var eager = newImplementation(&eagerLimits, &eagerLimits, cut{2, 1})

var eagerLimits = limits{part: 1000, packRows: 9, farBytes: 64, setBytes: 256, leftBytes: 4 << 10, rightBytes: 16 << 10}

// measured is what programs use.
var measured = newImplementation(&float32Limits, &float64Limits, measuredCut)

// problem has arguments for any routine. Rows and columns are those of op(A)·op(B).
type problem[T float] struct {
	name          string
	tA, tB        blas.Transpose
	side          blas.Side
	uplo          blas.Uplo
	diag          blas.Diag
	m, n, k       int
	alpha, beta   T
	a, b, c, x, y []T
	lda, ldb, ldc int
	incX, incY    int
}

var names = []string{"gemm", "syrk", "syr2k", "symm", "trmm", "trsm", "gemv", "ger", "symv", "trsv"}

// matrix returns elements of a matrix with rows that are longer by extra, which are NaN.
func matrix[T float](r *rand.Rand, rows, cols, extra int) (a []T, ld int) {
	ld = cols + extra
	a = make([]T, (rows-1)*ld+cols)
	for i := range a {
		if a[i] = T(math.NaN()); i%ld < cols {
			a[i] = T(r.Float64()*2 - 1)
		}
	}
	return a, ld
}

// half makes one triangle of a square matrix NaN. The diagonal is greater than the sum of a row, so that systems are well conditioned.
func half[T float](a []T, n, ld int, uplo blas.Uplo, triangular bool) {
	for i := range n {
		for j := range n {
			switch {
			case i == j && triangular:
				a[i*ld+j] += 2
			case (uplo == blas.Lower) == (j > i) && i != j:
				a[i*ld+j] = T(math.NaN())
			case triangular:
				a[i*ld+j] /= T(n)
			}
		}
	}
}

// draw draws a problem. gonum's Ger is wrong for few rows and a negative increment of y.
func (p *problem[T]) draw(t *rapid.T, i *implementation) {
	size := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 150), rapid.SampledFrom([]int{64, 128, 256, 300}))
	*p = problem[T]{
		name: rapid.SampledFrom(names).Draw(t, "routine"),
		tA:   rapid.SampledFrom([]blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}).Draw(t, "tA"),
		tB:   rapid.SampledFrom([]blas.Transpose{blas.NoTrans, blas.Trans}).Draw(t, "tB"),
		side: rapid.SampledFrom([]blas.Side{blas.Left, blas.Right}).Draw(t, "side"),
		uplo: rapid.SampledFrom([]blas.Uplo{blas.Upper, blas.Lower}).Draw(t, "uplo"),
		diag: rapid.SampledFrom([]blas.Diag{blas.Unit, blas.NonUnit}).Draw(t, "diag"),
		m:    size.Draw(t, "m"), n: size.Draw(t, "n"), k: size.Draw(t, "k"),
		alpha: T(rapid.SampledFrom([]float64{1, -1, 0.5, 0}).Draw(t, "alpha")),
		beta:  T(rapid.SampledFrom([]float64{0, 1, -0.5}).Draw(t, "beta")),
		incX:  rapid.SampledFrom([]int{1, 2, -1, -3}).Draw(t, "incX"),
		incY:  rapid.SampledFrom([]int{1, 3, -1, -2}).Draw(t, "incY"),
	}
	if p.name == "ger" && (i == measured || !i.double.ready()) {
		p.incX, p.incY = max(p.incX, -p.incX), max(p.incY, -p.incY)
	}
	p.fill(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rapid.SampledFrom([]int{0, 1, 8}).Draw(t, "extra"))
}

// fill makes the operands, with rows that are longer by extra.
func (p *problem[T]) fill(r *rand.Rand, extra int) {
	of := func(trans bool, rows, cols int) ([]T, int) {
		if trans {
			rows, cols = cols, rows
		}
		return matrix[T](r, rows, cols, extra)
	}
	vector := func(n, inc int) []T {
		if inc < 0 {
			inc = -inc
		}
		v, _ := matrix[T](r, n, 1, inc-1)
		return v
	}
	square := p.m
	if p.side == blas.Right {
		square = p.n
	}
	transA := p.tA != blas.NoTrans
	switch p.name {
	case "gemm":
		p.a, p.lda = of(transA, p.m, p.k)
		p.b, p.ldb = of(p.tB != blas.NoTrans, p.k, p.n)
		p.c, p.ldc = of(false, p.m, p.n)
	case "syrk", "syr2k":
		if p.name == "syr2k" && p.tA == blas.ConjTrans {
			p.tA = blas.Trans
		}
		p.a, p.lda = of(transA, p.n, p.k)
		p.b, p.ldb = of(transA, p.n, p.k)
		p.c, p.ldc = of(false, p.n, p.n)
		half(p.c, p.n, p.ldc, p.uplo, false)
	case "symm":
		p.a, p.lda = of(false, square, square)
		half(p.a, square, p.lda, p.uplo, false)
		p.b, p.ldb = of(false, p.m, p.n)
		p.c, p.ldc = of(false, p.m, p.n)
	case "trmm", "trsm":
		p.a, p.lda = of(false, square, square)
		half(p.a, square, p.lda, p.uplo, true)
		p.b, p.ldb = of(false, p.m, p.n)
	case "gemv", "ger":
		p.a, p.lda = of(false, p.m, p.n)
		lenX, lenY := p.n, p.m
		if transA || p.name == "ger" {
			lenX, lenY = p.m, p.n
		}
		p.x, p.y = vector(lenX, p.incX), vector(lenY, p.incY)
	case "symv", "trsv":
		p.a, p.lda = of(false, p.n, p.n)
		half(p.a, p.n, p.lda, p.uplo, p.name != "symv")
		p.x, p.y = vector(p.n, p.incX), vector(p.n, p.incY)
	}
}

func (p *problem[T]) run(r routines[T]) {
	switch p.name {
	case "gemm":
		r.gemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc)
	case "syrk":
		r.syrk(p.uplo, p.tA, p.n, p.k, p.alpha, p.a, p.lda, p.beta, p.c, p.ldc)
	case "syr2k":
		r.syr2k(p.uplo, p.tA, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc)
	case "symm":
		r.symm(p.side, p.uplo, p.m, p.n, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc)
	case "trmm":
		r.trmm(p.side, p.uplo, p.tA, p.diag, p.m, p.n, p.alpha, p.a, p.lda, p.b, p.ldb)
	case "trsm":
		r.trsm(p.side, p.uplo, p.tA, p.diag, p.m, p.n, p.alpha, p.a, p.lda, p.b, p.ldb)
	case "gemv":
		r.gemv(p.tA, p.m, p.n, p.alpha, p.a, p.lda, p.x, p.incX, p.beta, p.y, p.incY)
	case "ger":
		r.ger(p.m, p.n, p.alpha, p.x, p.incX, p.y, p.incY, p.a, p.lda)
	case "symv":
		r.symv(p.uplo, p.n, p.alpha, p.a, p.lda, p.x, p.incX, p.beta, p.y, p.incY)
	case "trsv":
		r.trsv(p.uplo, p.tA, p.diag, p.n, p.a, p.lda, p.x, p.incX)
	}
}

// wide returns the problem in float64.
func wide[T float](p *problem[T]) *problem[float64] {
	all := func(s []T) []float64 {
		out := make([]float64, len(s))
		for i, v := range s {
			out[i] = float64(v)
		}
		return out
	}
	return &problem[float64]{p.name, p.tA, p.tB, p.side, p.uplo, p.diag, p.m, p.n, p.k, float64(p.alpha), float64(p.beta),
		all(p.a), all(p.b), all(p.c), all(p.x), all(p.y), p.lda, p.ldb, p.ldc, p.incX, p.incY}
}

// compare runs a routine on random arguments, and gonum's in float64. The error is bounded by that of the sums: elements are at most 1, so a
// sum of n products is at most n.
func compare[T float](t *rapid.T, r routines[T], i *implementation, epsilon float64) {
	var p problem[T]
	p.draw(t, i)
	want := wide(&p)
	if p.name == "ger" {
		want.ger()
	} else {
		want.run(doubles(gonum.Implementation{}))
	}
	p.run(r)
	got := wide(&p)
	terms := float64(p.m + p.n + p.k)
	for _, s := range []struct{ got, want []float64 }{{got.a, want.a}, {got.b, want.b}, {got.c, want.c}, {got.x, want.x}, {got.y, want.y}} {
		for i := range s.want {
			if math.IsNaN(s.want[i]) && math.IsNaN(s.got[i]) {
				continue
			}
			require.InDelta(t, s.want[i], s.got[i], 4*epsilon*terms, "%s: element %d", p.name, i)
		}
	}
}

// ger is Ger as a loop: gonum's does nothing for one row and column and a negative increment.
func (p *problem[T]) ger() {
	x, y := vector[T]{p.x, p.incX}, vector[T]{p.y, p.incY}
	for i := range p.m {
		for j := range p.n {
			p.a[i*p.lda+j] += p.alpha * p.x[x.first(p.m)+i*p.incX] * p.y[y.first(p.n)+j*p.incY]
		}
	}
}

func TestRandomCalls(t *testing.T) {
	for name, i := range map[string]*implementation{"measured": measured, "eager": eager} {
		t.Run(name+"/float32", rapid.MakeCheck(func(t *rapid.T) { compare(t, singles(i), i, 0x1p-23) }))
		t.Run(name+"/float64", rapid.MakeCheck(func(t *rapid.T) { compare(t, doubles(i), i, 0x1p-52) }))
	}
}

// TestBitsOfRandomCalls checks that a call has the same bits with one worker and with five, of parts that are as small as they can be.
func TestBitsOfRandomCalls(t *testing.T) {
	if !eager.double.ready() {
		t.Skip("the routines are gonum's: the machine has no kernels")
	}
	parts := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(parts)
	rapid.Check(t, func(t *rapid.T) {
		var p problem[float64]
		p.draw(t, eager)
		p.alpha *= 0.3
		again := wide(&p)
		runtime.GOMAXPROCS(1)
		p.run(doubles(eager))
		runtime.GOMAXPROCS(5)
		again.run(doubles(eager))
		for i, s := range [][]float64{p.a, p.b, p.c, p.x, p.y} {
			require.True(t, slices.EqualFunc(s, [][]float64{again.a, again.b, again.c, again.x, again.y}[i], sameBits), p.name)
		}
	})
}

// TestBitsOnEveryProcessor compares the bits of all results of some calls with those of an AVX-512 processor, as a hash.
func TestBitsOnEveryProcessor(t *testing.T) {
	if !eager.double.ready() {
		t.Skip("the routines are gonum's: the machine has no kernels")
	}
	hash := fnv.New64a()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		p := problem[float64]{name: names[seed%uint64(len(names))], tA: blas.Transpose("NT"[r.IntN(2)]), tB: blas.Transpose("NT"[r.IntN(2)]), side: blas.Side("LR"[r.IntN(2)]),
			uplo: blas.Uplo("LU"[r.IntN(2)]), diag: blas.NonUnit, m: 1 + r.IntN(150), n: 1 + r.IntN(150), k: 1 + r.IntN(400), alpha: r.Float64(), beta: r.Float64(),
			incX: 1 + r.IntN(2), incY: 1 + r.IntN(2)}
		p.fill(r, r.IntN(3))
		p.run(doubles(eager))
		for _, v := range slices.Concat(p.a, p.b, p.c, p.x, p.y) {
			if !math.IsNaN(v) {
				require.NoError(t, binary.Write(hash, binary.LittleEndian, v))
			}
		}
	}
	require.Equal(t, uint64(0xed2c51b104a883d9), hash.Sum64())
}
