package gonum

// Nonlinear least squares with Jacobians from graphs. Input: programs of residuals and of their Jacobian, and a start.
// Output: the variables with the least sum of squares that the method finds, and how uncertain they are.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/stridefuse/stridefuse/graph"
)

// LeastSquares has the programs of residuals whose sum of squares is to be minimized. Each has the variables as its first input: float64, of
// a fixed shape, whose elements in row-major order are the variables. The other inputs are Data.
type LeastSquares struct {
	Residuals *graph.Program  // its output is float64 [n]
	Jacobian  *graph.Program  // its output is float64 [n,k]: a column for each variable
	Data      []*graph.Tensor // the same at each evaluation, and read in place
	Tolerance float64         // relative, of the variables; 0 is 1e-8
	Most      int             // evaluations of the residuals; 0 is 1000 for each variable and 1000 more
}

// NewLeastSquares compiles residuals and their Jacobian. residuals, of any shape, variables and data are Nodes of one graph: variables is the
// input that is varied, of a fixed shape, and each of data an input that Data then has a tensor for. The Jacobian is made of graph.JVP for
// each variable, or of graph.Grad for each residual if there are fewer residuals than variables.
//
//	problem, err := gonum.NewLeastSquares(model.Sub(y), p, x, y)
//	problem.Data = []*graph.Tensor{points, targets}
//	fit, err := problem.Solve(ctx, start)
func NewLeastSquares(residuals, variables graph.Node, data ...graph.Node) (LeastSquares, error) {
	inputs := graph.WithInputs(append([]graph.Node{variables}, data...)...)
	r := residuals.Reshape(-1)
	values, err := graph.Compile(r, inputs)
	if err != nil {
		return LeastSquares{}, err
	}
	k, err := count(variables)
	if err != nil {
		return LeastSquares{}, err
	}
	if r.DType() != graph.Float64 {
		return LeastSquares{}, fail(leastSquares, "the residuals are %v: they must be float64", residuals)
	}
	var lines graph.Nodes
	axis := 1
	if n, known := r.Shape()[0].Int(); known && n > 0 && n < k {
		axis = 0
		for i := range n {
			lines = append(lines, graph.Grad(r.At(i), variables)[0].Reshape(-1))
		}
	} else {
		for i := range k {
			lines = append(lines, graph.JVP(r, []graph.Node{variables}, []graph.Node{unit(variables, i, k)}))
		}
	}
	jacobian, err := graph.Compile(graph.Stack(axis, lines...), inputs)
	return LeastSquares{Residuals: values, Jacobian: jacobian}, err
}

// leastSquares is the call in errors.
const leastSquares = "least squares"

// Fit is the result of LeastSquares.Solve.
type Fit struct {
	X           []float64     // the variables
	Residuals   []float64     // at X
	Cost        float64       // the sum of the squares of the residuals
	Covariance  *mat.SymDense // of the variables: the inverse of J'J, times Cost/(n-k); nil if J has not full rank or n <= k
	Evaluations int           // of the residuals
}

// Errors returns the standard errors of the variables: the roots of the diagonal of Covariance, or NaN without one.
func (f *Fit) Errors() []float64 {
	out := make([]float64, len(f.X))
	for i := range out {
		out[i] = math.NaN()
		if f.Covariance != nil {
			out[i] = math.Sqrt(f.Covariance.At(i, i))
		}
	}
	return out
}

// ErrNotConverged is the error of a search that ends at LeastSquares.Most evaluations.
var ErrNotConverged = errors.New("least squares: no minimum was found within the evaluations allowed")

// Solve searches for the least sum of squares from a start, by the method of Levenberg and Marquardt as Moré gives it (The
// Levenberg-Marquardt algorithm: implementation and theory, 1978). Each step is the best one of the linearized residuals within an
// ellipsoid. The ellipsoid grows or shrinks with the success of the steps, and its axes are scaled by the greatest norms of the Jacobian's
// columns so far. The constants are those of MINPACK's lmder, but the first ellipsoid is as large as the start. A step to residuals that are
// not finite fails.
//
// The search ends when the ellipsoid is Tolerance times the variables, or when the sum of squares decreases, and is expected to decrease, by
// Tolerance squared at most. An error of a run, sizes that do not fit, no residuals, and a start whose residuals are not finite are errors. With
// ErrNotConverged the Fit has the best variables so far.
func (l LeastSquares) Solve(ctx context.Context, start []float64) (*Fit, error) {
	s, err := l.begin(ctx, start)
	if err != nil {
		return nil, err
	}
	for done := s.norm == 0; !done; {
		if s.evaluations >= s.Most {
			fit, err := s.fit()
			return fit, cmp.Or(err, ErrNotConverged)
		}
		if err := s.differentiate(); err != nil {
			return nil, err
		}
		if done, err = s.improve(); err != nil {
			return nil, err
		}
	}
	return s.fit()
}

// search is a search in progress.
type search struct {
	LeastSquares
	ctx         context.Context
	evaluations int

	x, r  []float64 // the best variables so far, and their residuals
	norm  float64   // of r
	scale []float64 // of each variable

	singular, rotated []float64 // of the scaled Jacobian, U*diag(singular)*V': its singular values, and U'r
	v                 mat.Dense
	radius, damping   float64 // of the ellipsoid, and of the last step within it
}

// begin checks the programs and evaluates the start.
func (l LeastSquares) begin(ctx context.Context, start []float64) (*search, error) {
	for _, p := range []*graph.Program{l.Residuals, l.Jacobian} {
		if p == nil {
			return nil, fail(leastSquares, "a program is nil: NewLeastSquares makes both")
		}
		ins, outs := p.Inputs(), p.Outputs()
		switch {
		case len(l.Data) == 0 && len(ins) > 1:
			return nil, fail(leastSquares, "Data is empty: set it to the tensors of %v", ins[1:])
		case len(outs) != 1 || len(ins) != 1+len(l.Data):
			return nil, fail(leastSquares, "a program has the inputs %v and outputs %v: it takes the variables and %d tensors of data", ins, outs, len(l.Data))
		case ins[0].DType != graph.Float64 || outs[0].DType != graph.Float64:
			return nil, fail(leastSquares, "a program takes %v and returns %v: both must be float64", ins[0], outs[0])
		}
	}
	s := &search{LeastSquares: l, ctx: ctx, x: slices.Clone(start), scale: make([]float64, len(start))}
	s.Tolerance, s.Most = cmp.Or(s.Tolerance, 1e-8), cmp.Or(s.Most, 1000*(len(start)+1))
	var err error
	if s.r, err = s.residuals(s.x); err != nil {
		return nil, err
	}
	if len(s.r) == 0 {
		return nil, fail(leastSquares, "there are no residuals: Data has no elements")
	}
	if s.norm = floats.Norm(s.r, 2); math.IsNaN(s.norm) || math.IsInf(s.norm, 0) {
		return nil, fail(leastSquares, "the residuals at the start %v have the norm %v: it must be finite", start, s.norm)
	}
	return s, nil
}

// run computes a program for variables.
func (s *search) run(p *graph.Program, x []float64) (*graph.Tensor, error) {
	shape, fixed := p.Inputs()[0].Shape.Ints()
	if !fixed {
		shape = []int{len(x)}
	}
	return p.Run(s.ctx, append([]*graph.Tensor{graph.Of(x, shape...)}, s.Data...)...)
}

// residuals returns the residuals of variables.
func (s *search) residuals(x []float64) ([]float64, error) {
	s.evaluations++
	out, err := s.run(s.Residuals, x)
	if err != nil {
		return nil, err
	}
	return graph.Data[float64](out.Reshape(-1))
}

// differentiate decomposes the Jacobian of the best variables, scaled. (R of the decomposition of J, beside which r becomes the head of Q'r,
// has J's singular values, and is small.)
func (s *search) differentiate() error {
	out, err := s.run(s.Jacobian, s.x)
	if err != nil {
		return err
	}
	n, k := len(s.r), len(s.x)
	if !slices.Equal(out.Shape(), []int{n, k}) {
		return fail(leastSquares, "the Jacobian has shape %v: there are %d residuals and %d variables", out.Shape(), n, k)
	}
	j, err := Dense(out)
	if err != nil {
		return err
	}
	if norm := mat.Norm(j, 2); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return fail(leastSquares, "the Jacobian at %v has the norm %v: it must be finite", s.x, norm)
	}
	first := s.radius == 0
	for i := range k {
		s.scale[i] = max(s.scale[i], mat.Norm(j.ColView(i), 2))
		if first && s.scale[i] == 0 {
			s.scale[i] = 1
		}
	}
	both := mat.NewDense(n, k+1, nil)
	both.Augment(j, mat.NewVecDense(n, s.r))
	both.Apply(func(_, c int, v float64) float64 {
		if c < k {
			v /= s.scale[c]
		}
		return v
	}, both)
	if n > k+1 {
		var qr mat.QR
		qr.Factorize(both)
		var r mat.Dense
		qr.RTo(&r)
		both = r.Slice(0, k+1, 0, k+1).(*mat.Dense)
	}
	rows, _ := both.Dims()
	var svd mat.SVD
	if !svd.Factorize(both.Slice(0, rows, 0, k), mat.SVDThin) {
		return fail(leastSquares, "the singular values of the Jacobian at %v are not found", s.x)
	}
	var u mat.Dense
	var rotated mat.VecDense
	svd.UTo(&u)
	s.v.Reset()
	svd.VTo(&s.v)
	rotated.MulVec(u.T(), both.ColView(k))
	s.singular, s.rotated = svd.Values(nil), rotated.RawVector().Data
	if first {
		s.radius = cmp.Or(s.length(s.x), 1)
	}
	return nil
}

// length returns the norm of variables, scaled.
func (s *search) length(x []float64) float64 {
	scaled := slices.Clone(x)
	floats.Mul(scaled, s.scale)
	return floats.Norm(scaled, 2)
}

// step returns the step that the damping makes, along the right singular vectors: the solution of (S'S + damping) q = -S'U'r. Singular values
// that are rounding errors count as 0.
func (s *search) step(damping float64) []float64 {
	q := make([]float64, len(s.singular))
	for i, v := range s.singular {
		if v > s.singular[0]*epsilon*float64(len(s.r)) {
			q[i] = -v * s.rotated[i] / (v*v + damping)
		}
	}
	return q
}

// epsilon is the distance of 1 from the next number.
const epsilon = 0x1p-52

// within returns the step for which the damping is 0, or whose norm is that of the radius to a tenth. The damping is found by Newton's method
// for 1/norm, which is nearly linear, between bounds (Moré 1978, section 5).
func (s *search) within() (q []float64, norm float64) {
	q = s.step(0)
	if norm = floats.Norm(q, 2); norm <= 1.1*s.radius {
		s.damping = 0
		return q, norm
	}
	slope := func() (sum float64) { // of the norm, by the damping
		for i, v := range s.singular {
			sum -= q[i] * q[i] / (v*v + s.damping)
		}
		return sum / norm
	}
	steepest := 0.0
	for i, v := range s.singular {
		steepest = math.Hypot(steepest, v*s.rotated[i])
	}
	low, high := 0.0, steepest/s.radius
	if s.singular[len(s.singular)-1] > s.singular[0]*epsilon*float64(len(s.r)) {
		at := s.damping
		s.damping = 0
		low = (norm - s.radius) / -slope()
		s.damping = at
	}
	for range 10 {
		if s.damping <= low || s.damping >= high {
			s.damping = max(0.001*high, math.Sqrt(low*high))
		}
		q = s.step(s.damping)
		if norm = floats.Norm(q, 2); math.Abs(norm-s.radius) <= 0.1*s.radius {
			break
		}
		if norm > s.radius {
			low = max(low, s.damping)
		} else {
			high = min(high, s.damping)
		}
		s.damping -= norm / s.radius * (norm - s.radius) / slope()
	}
	return q, norm
}

// improve tries steps until one decreases the sum of squares enough. It returns true if the search ends with this step.
func (s *search) improve() (done bool, err error) {
	least := max(s.Tolerance*s.Tolerance, epsilon)
	for s.evaluations < s.Most {
		q, norm := s.within()
		if s.evaluations == 1 {
			s.radius = min(s.radius, norm)
		}
		var p mat.VecDense
		p.MulVec(&s.v, mat.NewVecDense(len(q), q))
		x := p.RawVector().Data
		floats.Div(x, s.scale)
		floats.Add(x, s.x)
		r, err := s.residuals(x)
		if err != nil {
			return false, err
		}
		after := floats.Norm(r, 2)

		actual := -1.0 // decreases of the sum of squares, relative
		if 0.1*after < s.norm {
			actual = 1 - (after/s.norm)*(after/s.norm)
		}
		linear := 0.0 // the square of the norm of J*step, relative
		for i, v := range s.singular {
			linear += v * q[i] / s.norm * (v * q[i] / s.norm)
		}
		damped := s.damping * (norm / s.norm) * (norm / s.norm)
		expected, ratio := linear+2*damped, 0.0
		if expected > 0 {
			ratio = actual / expected
		}
		switch {
		case ratio <= 0.25:
			by := 0.5
			if actual < 0 {
				by = 0.5 * (linear + damped) / (linear + damped - 0.5*actual)
			}
			if 0.1*after >= s.norm || !(by >= 0.1) {
				by = 0.1
			}
			s.radius = by * min(s.radius, 10*norm)
			s.damping /= by
		case s.damping == 0 || ratio >= 0.75:
			s.radius = 2 * norm
			s.damping /= 2
		}
		better := ratio >= 1e-4
		if better {
			s.x, s.r, s.norm = x, r, after
		}
		done = math.Abs(actual) <= least && expected <= least && ratio <= 2 || s.radius <= s.Tolerance*s.length(s.x)
		if done || better {
			return done || s.norm == 0, nil
		}
	}
	return false, nil
}

// fit returns the best variables, with their uncertainties.
func (s *search) fit() (*Fit, error) {
	f := &Fit{X: s.x, Residuals: s.r, Cost: s.norm * s.norm, Evaluations: s.evaluations}
	n, k := len(s.r), len(s.x)
	if n <= k {
		return f, nil
	}
	if err := s.differentiate(); err != nil {
		return nil, err
	}
	if s.singular[k-1] <= s.singular[0]*epsilon*float64(n) {
		return f, nil
	}
	f.Covariance = mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			sum := 0.0
			for c, v := range s.singular {
				sum += s.v.At(i, c) / v * (s.v.At(j, c) / v)
			}
			f.Covariance.SetSym(i, j, sum/s.scale[i]/s.scale[j]*f.Cost/float64(n-k))
		}
	}
	return f, nil
}
