// Command bench compares gonum with the BLAS of Stridefuse to plain gonum: routines of BLAS, and what mat makes of them.
//
//	go run ./bench -threads 1 -ops gemm64,lu -sizes 64,256,1024
//
// It prints a line for each operation and size: the least time of each in milliseconds, by turns, and how many times as long plain gonum takes.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	_ "github.com/stridefuse/stridefuse/x/gonum/blas"
)

// An op makes a function that computes with n rows and columns.
type op struct {
	name string
	make func(n int) func()
}

var ops = []op{
	{"gemm64 NN", gemm64(blas.NoTrans, blas.NoTrans)},
	{"gemm64 TN", gemm64(blas.Trans, blas.NoTrans)},
	{"gemm64 NT", gemm64(blas.NoTrans, blas.Trans)},
	{"gemm64 TT", gemm64(blas.Trans, blas.Trans)},
	{"gemm32 NN", gemm32(blas.NoTrans, blas.NoTrans)},
	{"gemm32 NT", gemm32(blas.NoTrans, blas.Trans)},
	{"syrk64", func(n int) func() {
		a, c := random(n*n), random(n*n)
		return func() {
			blas64.Syrk(blas.NoTrans, 1, general(a, n), 0, blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: c})
		}
	}},
	{"trsm64", func(n int) func() {
		a, b, x := dominant(n), random(n*n), make([]float64, n*n)
		return func() {
			copy(x, b)
			blas64.Trsm(blas.Left, blas.NoTrans, 1, blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: a}, general(x, n))
		}
	}},
	{"gemv64 N", gemv64(blas.NoTrans)},
	{"gemv64 T", gemv64(blas.Trans)},
	{"lu", func(n int) func() {
		a := mat.NewDense(n, n, dominant(n))
		var lu mat.LU
		return func() { lu.Factorize(a) }
	}},
	{"cholesky", func(n int) func() {
		var a mat.SymDense
		a.SymOuterK(1, mat.NewDense(n, n, dominant(n)))
		var c mat.Cholesky
		return func() { c.Factorize(&a) }
	}},
	{"qr", func(n int) func() {
		a := mat.NewDense(n, n, random(n*n))
		var qr mat.QR
		return func() { qr.Factorize(a) }
	}},
	{"svd", func(n int) func() {
		a := mat.NewDense(n, n, random(n*n))
		var svd mat.SVD
		return func() { svd.Factorize(a, mat.SVDThin) }
	}},
	{"eigensym", func(n int) func() {
		a := mat.NewSymDense(n, random(n*n))
		var e mat.EigenSym
		return func() { e.Factorize(a, true) }
	}},
	{"eigen", func(n int) func() {
		a := mat.NewDense(n, n, random(n*n))
		var e mat.Eigen
		return func() { e.Factorize(a, mat.EigenRight) }
	}},
}

func gemm64(tA, tB blas.Transpose) func(n int) func() {
	return func(n int) func() {
		a, b, c := general(random(n*n), n), general(random(n*n), n), general(random(n*n), n)
		return func() { blas64.Gemm(tA, tB, 1, a, b, 0, c) }
	}
}

func gemm32(tA, tB blas.Transpose) func(n int) func() {
	return func(n int) func() {
		m := func() blas32.General {
			x := make([]float32, n*n)
			for i := range x {
				x[i] = rand.Float32() - 0.5
			}
			return blas32.General{Rows: n, Cols: n, Stride: n, Data: x}
		}
		a, b, c := m(), m(), m()
		return func() { blas32.Gemm(tA, tB, 1, a, b, 0, c) }
	}
}

func gemv64(t blas.Transpose) func(n int) func() {
	return func(n int) func() {
		a, x, y := general(random(n*n), n), blas64.Vector{N: n, Inc: 1, Data: random(n)}, blas64.Vector{N: n, Inc: 1, Data: random(n)}
		return func() { blas64.Gemv(t, 1, a, x, 0, y) }
	}
}

func general(x []float64, n int) blas64.General {
	return blas64.General{Rows: n, Cols: n, Stride: n, Data: x}
}

func random(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rand.Float64() - 0.5
	}
	return x
}

// dominant returns a matrix with a large diagonal.
func dominant(n int) []float64 {
	a := random(n * n)
	for i := range n {
		a[i*(n+1)] += float64(n)
	}
	return a
}

func main() {
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	only := flag.String("ops", "", "beginnings of the names of operations, with commas; all if there are none")
	sizes := flag.String("sizes", "64,128,256,512,1024", "numbers of rows and columns, with commas")
	budget := flag.Duration("budget", 500*time.Millisecond, "time for an operation and size")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)
	ours64, ours32 := blas64.Implementation(), blas32.Implementation()
	fmt.Printf("%-10s %6s %12s %12s %6s\n", "operation", "n", "gonum ms", "with ours", "times")
	for _, o := range ops {
		if *only != "" && !slices.ContainsFunc(strings.Split(*only, ","), func(p string) bool { return strings.HasPrefix(o.name, p) }) {
			continue
		}
		for _, s := range strings.Split(*sizes, ",") {
			n, err := strconv.Atoi(s)
			if err != nil {
				log.Fatal(err)
			}
			run := o.make(n)
			plain, ours := compare(*budget, run, func() {
				blas64.Use(gonum.Implementation{})
				blas32.Use(gonum.Implementation{})
			}, func() {
				blas64.Use(ours64)
				blas32.Use(ours32)
			})
			fmt.Printf("%-10s %6d %12.4f %12.4f %6.2f\n", o.name, n, plain, ours, plain/ours)
		}
	}
}

// compare returns the least time of run in milliseconds after each of two preparations, by turns.
func compare(budget time.Duration, run func(), first, second func()) (a, b float64) {
	var least [2]time.Duration
	for end, round := time.Now().Add(budget), 0; round < 3 || time.Now().Before(end); round++ {
		for i, use := range []func(){first, second} {
			use()
			begin := time.Now()
			repeats := 0
			for time.Since(begin) < 200*time.Microsecond || repeats == 0 {
				run()
				repeats++
			}
			if took := time.Since(begin) / time.Duration(repeats); round == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	return least[0].Seconds() * 1e3, least[1].Seconds() * 1e3
}
