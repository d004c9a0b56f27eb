package blas

// gonum's own tests of a BLAS.

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

func TestSuite(t *testing.T) {
	for name, i := range map[string]*implementation{"measured": measured, "eager": eager} {
		t.Run(name, func(t *testing.T) {
			for name, test := range map[string]func(*testing.T){
				"Ddot":   func(t *testing.T) { testblas.DdotTest(t, i) },
				"Dnrm2":  func(t *testing.T) { testblas.Dnrm2Test(t, i) },
				"Dasum":  func(t *testing.T) { testblas.DasumTest(t, i) },
				"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, i) },
				"Dswap":  func(t *testing.T) { testblas.DswapTest(t, i) },
				"Dcopy":  func(t *testing.T) { testblas.DcopyTest(t, i) },
				"Daxpy":  func(t *testing.T) { testblas.DaxpyTest(t, i) },
				"Drotg":  func(t *testing.T) { testblas.DrotgTest(t, i, false) },
				"Drotmg": func(t *testing.T) { testblas.DrotmgTest(t, i) },
				"Drot":   func(t *testing.T) { testblas.DrotTest(t, i) },
				"Drotm":  func(t *testing.T) { testblas.DrotmTest(t, i) },
				"Dscal":  func(t *testing.T) { testblas.DscalTest(t, i) },
				"Dgemv":  func(t *testing.T) { testblas.DgemvTest(t, i) },
				"Dger":   func(t *testing.T) { testblas.DgerTest(t, i) },
				"Dtxmv":  func(t *testing.T) { testblas.DtxmvTest(t, i) },
				"Dgbmv":  func(t *testing.T) { testblas.DgbmvTest(t, i) },
				"Dtrsv":  func(t *testing.T) { testblas.DtrsvTest(t, i) },
				"Dtrmv":  func(t *testing.T) { testblas.DtrmvTest(t, i) },
				"Dsymv":  func(t *testing.T) { testblas.DsymvTest(t, i) },
				"Dtbsv":  func(t *testing.T) { testblas.DtbsvTest(t, i) },
				"Dsbmv":  func(t *testing.T) { testblas.DsbmvTest(t, i) },
				"Dtbmv":  func(t *testing.T) { testblas.DtbmvTest(t, i) },
				"Dtpsv":  func(t *testing.T) { testblas.DtpsvTest(t, i) },
				"Dspmv":  func(t *testing.T) { testblas.DspmvTest(t, i) },
				"Dtpmv":  func(t *testing.T) { testblas.DtpmvTest(t, i) },
				"Dspr":   func(t *testing.T) { testblas.DsprTest(t, i) },
				"Dspr2":  func(t *testing.T) { testblas.Dspr2Test(t, i) },
				"Dsyr":   func(t *testing.T) { testblas.DsyrTest(t, i) },
				"Dsyr2":  func(t *testing.T) { testblas.Dsyr2Test(t, i) },
				"Dgemm":  func(t *testing.T) { testblas.TestDgemm(t, i) },
				"Dsymm":  func(t *testing.T) { testblas.DsymmTest(t, i) },
				"Dtrsm":  func(t *testing.T) { testblas.DtrsmTest(t, i) },
				"Dsyrk":  func(t *testing.T) { testblas.DsyrkTest(t, i) },
				"Dsyr2k": func(t *testing.T) { testblas.Dsyr2kTest(t, i) },
				"Dtrmm":  func(t *testing.T) { testblas.DtrmmTest(t, i) },
				"Zgemm":  func(t *testing.T) { testblas.ZgemmTest(t, i) },
				"Ztrmm":  func(t *testing.T) { testblas.ZtrmmTest(t, i) },
				"Ztrsm":  func(t *testing.T) { testblas.ZtrsmTest(t, i) },
				"Zsymm":  func(t *testing.T) { testblas.ZsymmTest(t, i) },
				"Zhemm":  func(t *testing.T) { testblas.ZhemmTest(t, i) },
				"Zsyrk":  func(t *testing.T) { testblas.ZsyrkTest(t, i) },
				"Zherk":  func(t *testing.T) { testblas.ZherkTest(t, i) },
			} {
				t.Run(name, test)
			}
		})
	}
}
