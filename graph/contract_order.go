package graph

import (
	"math"
	"math/bits"
	"slices"
)

// The order in which the terms of a contraction are multiplied, two at a time. It has the fewest multiplications, with
// a fixed choice among equals. For up to exactTerms terms all orders are compared. With more terms, the cheapest pair
// is multiplied again and again until exactTerms terms are left.
const exactTerms = 8

// symbolSize is the extent assumed for a symbolic size.
const symbolSize = 1024

// product returns the product of all terms.
func (c *contraction) product() term {
	if len(c.terms) == 2 { // as in most contractions
		return c.pair(c.terms[0], c.terms[1], c.out)
	}
	weight := map[string]float64{}
	for label, d := range c.sizes {
		sizes := map[string]int{}
		for _, name := range d.Names() {
			sizes[name] = symbolSize
		}
		n, _ := d.Bind(sizes)
		weight[label] = math.Max(1, float64(n))
	}
	for len(c.terms) > exactTerms {
		i, j := c.cheapest(weight)
		p := c.pair(c.terms[i], c.terms[j], c.left(i, j))
		c.terms[i], c.terms = p, slices.Delete(c.terms, j, j+1)
	}
	return c.follow(c.best(weight), 1<<len(c.terms)-1)
}

// left returns the labels that the product of some terms keeps: first those that the two terms share, then the others
// of the first and of the second term.
func (c *contraction) left(terms ...int) []string {
	var shared, own []string
	for _, i := range terms {
		for _, label := range c.terms[i].labels {
			switch {
			case !c.needs(label, terms...) || slices.Contains(shared, label):
			case slices.Contains(own, label):
				own = slices.DeleteFunc(own, func(l string) bool { return l == label })
				shared = append(shared, label)
			default:
				own = append(own, label)
			}
		}
	}
	return slices.Concat(shared, own)
}

// cost returns the number of multiplications of a product.
func cost(weight map[string]float64, x, y []string) float64 {
	n := 1.0
	for _, label := range x {
		n *= weight[label]
	}
	for _, label := range y {
		if !slices.Contains(x, label) {
			n *= weight[label]
		}
	}
	return n
}

// cheapest returns the pair of terms i < j whose product costs least.
func (c *contraction) cheapest(weight map[string]float64) (i, j int) {
	least := 0.0
	for b := range c.terms {
		for a := range b {
			if n := cost(weight, c.terms[a].labels, c.terms[b].labels); j == 0 || n < least {
				least, i, j = n, a, b
			}
		}
	}
	return i, j
}

// split describes the cheapest product of a set of terms, as that of a subset and that of its complement.
type split struct {
	subset uint
	cost   float64
	labels []string
}

// best returns the best split of each set of terms, indexed by the bits of the set.
func (c *contraction) best(weight map[string]float64) []split {
	best := make([]split, 1<<len(c.terms))
	for set := uint(1); set < uint(len(best)); set++ {
		s := split{labels: c.left(members(set)...)}
		for sub := set; sub > 0; sub = (sub - 1) & set {
			if sub == set || sub&set&-set == 0 { // the complement is the same split
				continue
			}
			x, y := best[sub], best[set&^sub]
			if n := x.cost + y.cost + cost(weight, x.labels, y.labels); s.subset == 0 || n < s.cost {
				s.cost, s.subset = n, sub
			}
		}
		best[set] = s
	}
	return best
}

func members(set uint) (out []int) {
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros(set))
	}
	return out
}

// follow multiplies a set of terms in the planned order.
func (c *contraction) follow(best []split, set uint) term {
	s := best[set]
	if s.subset == 0 {
		return c.terms[bits.TrailingZeros(set)]
	}
	x, y := c.follow(best, s.subset), c.follow(best, set&^s.subset)
	out := s.labels
	if set == uint(len(best)-1) {
		out = c.out
	}
	return c.pair(x, y, out)
}
