package tensor

import (
	"math"
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/ir"
)

// pcgStream is the second half of PCG's seed: digits of pi after the point.
const pcgStream = 0x243f6a8885a308d3

// Uniform returns a tensor of uniform random numbers in [lo, hi), of a float dtype. A seed gives the same bits on every
// machine and in every release. Narrower dtypes get the float64 numbers, rounded. lo == hi fills with lo.
func Uniform(dt ir.DType, seed uint64, lo, hi float64, shape ...int) *Tensor {
	if err := checkFinite(lo, hi, hi-lo); err != nil {
		return Failf("uniform: %v", err)
	}
	if lo > hi {
		return Failf("uniform: the range [%v, %v) is backwards: swap its ends", lo, hi)
	}
	t := newFloats("uniform", dt, shape)
	if t.err != nil {
		return t
	}
	if _, err := ir.Encode(dt, max(-lo, hi)); err != nil {
		return Failf("uniform: %v", err)
	}
	last := below(dt, hi, lo) // rounding may reach hi
	bits := rand.NewPCG(seed, pcgStream)
	return fillWith("uniform", t, func(int) float64 {
		v := lo + float64((hi-lo)*unitFloat(bits)) // the conversion prevents a fused multiply-add
		return min(rounded(dt, v), last)
	})
}

// rounded returns the number of a float type that is nearest to v.
func rounded(dt ir.DType, v float64) float64 { return ir.ToFloat(dt, ir.FromFloat(dt, v)) }

// below returns the greatest number of a type with fractions below hi, or hi if lo is the same number.
func below(dt ir.DType, hi, lo float64) float64 {
	bits := ir.FromFloat(dt, hi)
	switch v := ir.ToFloat(dt, bits); {
	case v == rounded(dt, lo):
		return v
	case v > 0 || !ir.Floats.Has(dt):
		bits--
	case v == 0:
		bits = ir.SignBit(dt) | 1
	default:
		bits++
	}
	return ir.ToFloat(dt, bits)
}

// Normal returns a tensor of normally distributed numbers with the given mean and standard deviation (>= 0), of a float
// dtype. A seed gives the same bits on every machine and in every release.
func Normal(dt ir.DType, seed uint64, mean, std float64, shape ...int) *Tensor {
	if err := checkFinite(mean, std); err != nil {
		return Failf("normal: %v", err)
	}
	if std < 0 {
		return Failf("normal: the standard deviation %v is negative", std)
	}
	bits := rand.NewPCG(seed, pcgStream)
	var a, b float64
	return fillWith("normal", newFloats("normal", dt, shape), func(i int) float64 {
		if i%2 == 0 {
			a, b = normalPair(bits)
		} else {
			a = b
		}
		return mean + float64(std*a)
	})
}

// newFloats allocates a tensor of a dtype with fractions.
func newFloats(op string, dt ir.DType, shape []int) *Tensor {
	if floats := ir.Reals; !floats.Has(dt) {
		return Failf("%s: dtype %s has no fractions: use one of %s", op, dt, floats)
	}
	return newTensor(op, dt, shape)
}

// unitFloat returns a number in [0, 1), a multiple of 2^-53. It reads PCG's bits itself, because rand.Rand does not
// promise how its methods use them.
func unitFloat(bits *rand.PCG) float64 { return float64(bits.Uint64()>>11) * 0x1p-53 }

// normalPair returns two independent standard normal numbers by Marsaglia's polar method (SIAM Review 6, 1964), which
// needs no sine or cosine.
func normalPair(bits *rand.PCG) (a, b float64) {
	for {
		a, b = 2*unitFloat(bits)-1, 2*unitFloat(bits)-1
		if s := float64(a*a) + float64(b*b); 0 < s && s < 1 {
			f := math.Sqrt(-2 * logarithm(s) / s)
			return a * f, b * f
		}
	}
}

// logarithm returns ln x for a positive normal x, to 1 ULP. math.Log is assembly or fuses multiply-adds on some
// machines, with other bits. This is FreeBSD's e_log.c, the source of Go's, with each product rounded.
func logarithm(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
		l1    = 6.666666666666735130e-01
		l2    = 3.999999999940941908e-01
		l3    = 2.857142874366239149e-01
		l4    = 2.222219843214978396e-01
		l5    = 1.818357216161805012e-01
		l6    = 1.531383769920937332e-01
		l7    = 1.479819860511658591e-01
	)
	f, exponent := math.Frexp(x) // x = f * 2^exponent
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k := float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	t2 := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	half := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+(t1+t2))) + float64(k*ln2Lo))) - f)
}
