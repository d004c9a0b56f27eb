package main

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// reductions are the statistics, sorts and searches.
var reductions = map[string]func(c *call) []value{
	"all": reduction(graph.Node.All, false),
	"any": reduction(graph.Node.Any, false),
	"max": reduction(graph.Node.Max, false),
	"min": reduction(graph.Node.Min, false),
	"sum": func(c *call) []value {
		x, options := c.total(c.x("x"))
		if x.complex {
			return []value{complexOf(x.z.Sum(c.axes(len(x.shape()))...))}
		}
		return []value{realOf(x.re.Sum(c.axes(x.re.Rank(), options)...))}
	},
	"prod": func(c *call) []value {
		x, options := c.total(c.x("x"))
		if !x.complex {
			return []value{realOf(x.re.Prod(c.axes(x.re.Rank(), options)...))}
		}
		axes := c.axes(len(x.shape()))[0].([]int)
		z, rank := x.z, len(x.shape())
		dropped := make([]bool, rank)
		for _, k := range axes {
			dropped[(k+rank)%rank] = true
		}
		for k := rank - 1; k >= 0; k-- {
			if !dropped[k] {
				continue
			}
			z = z.Prod(k)
			if c.flag("keepdims") {
				z = z.View(func(x graph.Node) graph.Node { return x.Unsqueeze(k) })
			}
		}
		return []value{complexOf(z)}
	},
	"mean": func(c *call) []value {
		x := c.x("x")
		if x.complex {
			return []value{complexOf(x.z.Mean(c.axes(len(x.shape()))...))}
		}
		return []value{realOf(x.re.Mean(c.axes(x.re.Rank())...))}
	},
	"var": reduction(graph.Node.Var, true),
	"std": reduction(graph.Node.Std, true),
	"cumulative_sum": func(c *call) []value {
		x, options := c.total(c.x("x"))
		if x.complex {
			return []value{complexOf(x.z.CumSum(c.along(x), c.initial()...))}
		}
		return []value{realOf(x.re.CumSum(c.along(x), append(c.initial(), options)...))}
	},
	"cumulative_prod": func(c *call) []value {
		x, options := c.total(c.x("x"))
		if x.complex {
			panic("no running product of complex numbers")
		}
		return []value{realOf(x.re.CumProd(c.along(x), append(c.initial(), options)...))}
	},
	"argmax": arg(graph.Node.ArgMax),
	"argmin": arg(graph.Node.ArgMin),
	"count_nonzero": func(c *call) []value {
		x := truth(c.x("x"))
		return []value{realOf(x.Cast(graph.Int64).Sum(c.axes(x.Rank())...))}
	},
	"searchsorted": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		if c.given("sorter") {
			x.re = x.re.Take(0, c.x("sorter").re)
		}
		return []value{realOf(x.re.SearchSorted(y.re, c.text("side") == "right"))}
	},
	"where": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		cond := c.x("condition").re
		if !x.complex {
			return []value{realOf(graph.Where(cond, x.re, y.re))}
		}
		return []value{complexOf(cmplx.Make(graph.Where(cond, x.z.Real(), y.z.Real()), graph.Where(cond, x.z.Imag(), y.z.Imag())))}
	},
	"clip": func(c *call) []value {
		x := c.x("x").re
		bound := func(name string) graph.Node { return c.x(name).re.Cast(x.DType()) }
		switch low, high := c.given("min"), c.given("max"); {
		case low && high:
			x = x.Clip(bound("min"), bound("max"))
		case low:
			x = x.Maximum(bound("min"))
		case high:
			x = x.Minimum(bound("max"))
		}
		return []value{realOf(x)}
	},
	"isin": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		if x.complex {
			w := y.view(graph.Node.Flatten).z
			z := x.view(func(x graph.Node) graph.Node { return x.Unsqueeze(-1) }).z
			return []value{realOf(z.Eq(w).Any(-1).Xor(c.flag("invert")))}
		}
		return []value{realOf(x.re.IsIn(y.re).Xor(c.flag("invert")))}
	},
	"sort": func(c *call) []value {
		return []value{realOf(ordered(c, graph.Node.Sort, graph.Node.SortDescending))}
	},
	"argsort": func(c *call) []value {
		return []value{realOf(ordered(c, graph.Node.ArgSort, graph.Node.ArgSortDescending))}
	},
	"diff": func(c *call) []value {
		x, axis := c.x("x"), c.int("axis")
		list := []value{x}
		if c.given("prepend") {
			list = append([]value{c.x("prepend")}, list...)
		}
		if c.given("append") {
			list = append(list, c.x("append"))
		}
		x = joined(common(list...), func(x ...graph.Node) graph.Node { return graph.Concat(axis, x...) })
		return []value{x.view(func(x graph.Node) graph.Node { return x.Diff(axis, c.int("n")) })}
	},
	"trace": func(c *call) []value {
		x, options := c.total(c.x("x").view(func(x graph.Node) graph.Node { return x.Diagonal(c.int("offset"), -2, -1) }))
		if x.complex {
			return []value{complexOf(x.z.Sum(-1))}
		}
		return []value{realOf(x.re.Sum(-1, options))}
	},
	"vector_norm": func(c *call) []value {
		x := c.x("x")
		y := x.re
		if x.complex {
			y = x.z.Abs()
		}
		axes := c.axes(y.Rank())
		switch p := c.float("ord"); {
		case p == 2:
			return []value{realOf(y.Norm2(axes...))}
		case p == 1:
			return []value{realOf(y.Norm1(axes...))}
		case p == 0:
			return []value{realOf(y.Ne(0).Cast(y.DType()).Sum(axes...))}
		case math.IsInf(p, 1):
			return []value{realOf(y.Abs().Max(axes...))}
		case math.IsInf(p, -1):
			return []value{realOf(y.Abs().Min(axes...))}
		default:
			return []value{realOf(y.Abs().Pow(p).Sum(axes...).Pow(1 / p))}
		}
	},
}

// reduction is a reduction of real numbers; those with ddof have a correction.
func reduction(f func(x graph.Node, axes ...any) graph.Node, ddof bool) func(c *call) []value {
	return func(c *call) []value {
		v := c.x("x")
		x := v.re
		if v.complex {
			x = truth(v)
		}
		axes := c.axes(x.Rank())
		if ddof {
			axes = append(axes, graph.DDOF(c.int("correction")))
		}
		return []value{realOf(f(x, axes...))}
	}
}

// truth reports which elements are not 0.
func truth(v value) graph.Node {
	switch {
	case v.complex:
		return v.z.Real().Ne(0).Or(v.z.Imag().Ne(0))
	case v.dtype() == graph.Bool:
		return v.re
	}
	return v.re.Ne(0)
}

// total returns the operand and the type of a sum: by default that of an index for integers.
func (c *call) total(x value) (value, graph.ReduceOption) {
	dt := x.dtype()
	switch {
	case c.given("dtype"):
		d, isComplex := c.dtype("dtype", "")
		return x.cast(d, isComplex), graph.InType(d)
	case graph.UnsignedIntegers.Has(dt):
		dt = graph.Uint64
	case graph.SignedIntegers.Has(dt) || dt == graph.Bool:
		dt = graph.Int64
	}
	return x, graph.InType(dt)
}

// along returns the axis of a running sum, which a vector needs not name.
func (c *call) along(x value) int {
	if !c.given("axis") && len(x.shape()) == 1 {
		return 0
	}
	return c.int("axis")
}

func (c *call) initial() []graph.ReduceOption {
	if c.flag("include_initial") {
		return []graph.ReduceOption{graph.Initial}
	}
	return nil
}

func arg(f func(x graph.Node, axis ...any) graph.Node) func(c *call) []value {
	return func(c *call) []value {
		x := c.x("x").re
		args := []any{}
		if c.given("axis") {
			args = append(args, c.int("axis"))
		}
		if c.flag("keepdims") {
			args = append(args, graph.KeepDims)
		}
		return []value{realOf(f(x, args...))}
	}
}

func ordered(c *call, up, down func(x graph.Node, axis any) graph.Node) graph.Node {
	if c.flag("descending") {
		return down(c.x("x").re, c.int("axis"))
	}
	return up(c.x("x").re, c.int("axis"))
}
