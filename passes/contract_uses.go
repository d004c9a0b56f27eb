package passes

import "github.com/stridefuse/stridefuse/ir"

// uses sets what reads products say of them: pooled, depthwise and joined.
func (c *contractor) uses() {
	of, depthwise := newValueMap[*ir.Value](c.r.f), c.s.ofTaps() // of: the product that a value is computed of
	for _, v := range c.r.f.Body {
		switch {
		case v.Op.IsProduct():
			*of.at(v) = v
		case v.Op.IsView():
			*of.at(v) = *of.at(v.Args[0])
		case v.Op == ir.OpConcat: // of a value and what is padded to it
			for _, a := range v.Args {
				if p := *of.at(a); p != nil {
					*of.at(v) = p
				}
			}
		case v.Op.IsElementwise() || isConv(v):
			for _, a := range v.Args {
				p := *of.at(a)
				if p == nil || size(a.Type.Shape) < size(v.Type.Shape) && !isConv(v) {
					continue
				}
				if q := *of.at(v); q != nil && q != p {
					c.joined[p], c.joined[q] = append(c.joined[p], q), append(c.joined[q], p)
				}
				*of.at(v) = p
				fewer := 4*size(v.Type.Shape) <= size(p.Type.Shape)
				switch {
				case *depthwise.at(v):
					c.depthwise[p] = c.depthwise[p] || fewer || size(v.Type.Shape) <= swappedWindows*dotOf(p).rows
				case fewer:
					c.pooled[p] = true
				}
			}
		}
	}
}
