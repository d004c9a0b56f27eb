package linalg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/linalg"
)

// TestNumPy compares with what numpy.linalg of NumPy 2.4.6 returns for two matrices. The second
// one is nearly singular: its condition number is 88.
func TestNumPy(t *testing.T) {
	a := graph.Of([]float64{4, -2, 1, 3, 6, -4, 2, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 10}, 2, 3, 3)
	b := graph.Of([]float64{12, -25, 32, 1, 2, 3}, 2, 3, 1)
	symmetric := product(a, transposed(a))
	equal := func(got *graph.Tensor, err error, want ...float64) {
		t.Helper()
		require.NoError(t, err)
		near(t, graph.Of(want, got.Shape()...), got, 1e-12)
	}
	x, err := linalg.Solve(ctx, a, b)
	equal(x, err, 1, -2, 4, -0.3333333333333333, 0.6666666666666666, 0)
	inverse, err := linalg.Inv(ctx, a)
	equal(inverse, err, 0.19771863117870722, 0.06463878326996197, 0.00760456273764259,
		-0.12167300380228137, 0.11406844106463877, 0.07224334600760458,
		-0.03422053231939164, -0.03041825095057035, 0.1140684410646388,
		-0.6666666666666661, -1.333333333333333, 0.9999999999999997,
		-0.6666666666666676, 3.6666666666666665, -1.9999999999999996, 1, -2, 1)
	det, err := linalg.Det(ctx, a)
	equal(det, err, 263, -3)
	l, err := linalg.Cholesky(ctx, symmetric)
	equal(l, err, 4.58257569495584, 0, 0, -0.8728715609439696, 7.761320457119087, 0,
		3.0550504633038935, -2.2332969536690492, 7.3945284760692624,
		3.7416573867739413, 0, 0, 8.55235974119758, 1.9639610121239288, 0,
		14.164845821358494, 3.4914862437758702, 0.4082482904638514)
	_, r, err := linalg.QR(ctx, a)
	equal(r, err, -5.385164807134504, -2.2283440581246223, -1.4855627054164153,
		0, -6.002872875433952, 3.5500243416441943, 0, 0, 8.13575015730016,
		-8.124038404635959, -9.601136296387955, -11.939874624995277,
		0, 0.9045340337332926, 1.50755672288882, 0, 0, 0.40824829046386224)
	_, s, _, err := linalg.SVD(ctx, a)
	equal(s, err, 9.38554950696028, 6.763656077603527, 4.142996127960354,
		17.412505166808593, 0.8751613501104364, 0.19686652111743)
	w, _, err := linalg.Eigh(ctx, symmetric)
	equal(w, err, 17.164416916294485, 45.747043536103114, 88.0885395475476,
		0.03875642713684367, 0.7659073887271325, 303.19533618413595)
}
