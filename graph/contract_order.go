package graph

import (
	"math"
	"math/bits"
	"slices"
)

// The order in which the terms of a contraction are multiplied, two at a time, is
// one with the fewest multiplications, always the same of several. All orders of up to exactTerms terms are compared. Of more, the two
// whose product costs least are multiplied first, until so many are left.
const exactTerms = 8

// symbolSize is what a symbolic size counts as.
const symbolSize = 1024

// product returns the product of all terms.
func (c *contraction) product() term {
	if len(c.terms) == 2 { // as most have
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

// left returns the labels that the product of some terms keeps: first those that
// several of two terms share, then the others of one after the other.
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

// cheapest returns the two terms whose product costs least, i < j.
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

// split is how the product of a set of terms is made best: from that of a subset
// and that of the others.
type split struct {
	subset uint
	cost   float64
	labels []string
}

// best returns the best split of every set of terms, whose bits index it.
func (c *contraction) best(weight map[string]float64) []split {
	best := make([]split, 1<<len(c.terms))
	for set := uint(1); set < uint(len(best)); set++ {
		s := split{labels: c.left(members(set)...)}
		for sub := set; sub > 0; sub = (sub - 1) & set {
			if sub == set || sub&set&-set == 0 { // as good as its complement
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

// follow multiplies a set of terms as planned.
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
