package formula

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Functions that rearrange elements, and functions that create arrays.

// arrangements has views, joins, and functions that take elements by index.
var arrangements = map[string]function{
	"reshape":          {"a, *shape", of(func(c *call, x graph.Node) graph.Node { return x.Reshape(c.ints("shape")) })},
	"broadcast_to":     {"a, shape", of(func(c *call, x graph.Node) graph.Node { return x.BroadcastTo(c.ints("shape")) })},
	"ravel":            {"a", of(func(_ *call, x graph.Node) graph.Node { return x.Ravel() })},
	"flatten":          {"a", of(func(_ *call, x graph.Node) graph.Node { return x.Flatten() })},
	"transpose":        {"a, *axes", of(transpose)},
	"permute_dims":     {"a, axes", of(transpose)},
	"matrix_transpose": {"a", of(func(_ *call, x graph.Node) graph.Node { return x.SwapAxes(-2, -1) })},
	"swapaxes":         {"a, axis1, axis2", of(func(c *call, x graph.Node) graph.Node { return x.SwapAxes(c.int("axis1"), c.int("axis2")) })},
	"moveaxis":         {"a, source, destination", of(func(c *call, x graph.Node) graph.Node { return x.MoveAxis(c.int("source"), c.int("destination")) })},
	"expand_dims":      {"a, axis", of(func(c *call, x graph.Node) graph.Node { return x.Unsqueeze(c.ints("axis")) })},
	"squeeze":          {"a, axis=None", of(func(c *call, x graph.Node) graph.Node { return x.Squeeze(someAxes(c)...) })},
	"flip":             {"a, axis=None", of(flip)},
	"fliplr":           {"a", of(func(_ *call, x graph.Node) graph.Node { return x.Flip(1) })},
	"flipud":           {"a", of(func(_ *call, x graph.Node) graph.Node { return x.Flip(0) })},
	"roll":             {"a, shift, axis=None", of(roll)},
	"tile":             {"a, *reps", of(func(c *call, x graph.Node) graph.Node { return x.Tile(c.ints("reps")...) })},
	"repeat":           {"a, repeats, axis=None", of(repeat)},
	"diagonal":         {"a, offset=0, axis1=0, axis2=1", of(diagonal)},
	"trace":            {"a, offset=0, axis1=0, axis2=1", of(func(c *call, x graph.Node) graph.Node { return c.widened(diagonal(c, x)).Sum(-1) })},
	"triu":             {"a, k=0", of(func(c *call, x graph.Node) graph.Node { return x.Triu(c.int("k")) })},
	"tril":             {"a, k=0", of(func(c *call, x graph.Node) graph.Node { return x.Tril(c.int("k")) })},
	"pad":              {"array, pad_width, mode='constant', constant_values=0", pad},
	"concatenate":      {"arrays, axis=0", concatenate},
	"concat":           {"arrays, axis=0", concatenate},
	"stack":            {"arrays, axis=0", stack},
	"hstack":           {"*arrays", func(c *call) graph.Node { return joined(c, 1, func(x graph.Node) int { return min(1, x.Rank()-1) }) }},
	"vstack":           {"*arrays", func(c *call) graph.Node { return joined(c, 2, func(graph.Node) int { return 0 }) }},
	"column_stack":     {"*arrays", columnStack},
	"take":             {"a, indices, axis=None", of(take)},
	"take_along_axis":  {"a, indices, axis=-1", of(takeAlong)},
	"materialize":      {"a", of(func(_ *call, x graph.Node) graph.Node { return x.Materialize() })},
}

// of returns a function of an array a that keeps its type.
func of(f func(c *call, x graph.Node) graph.Node) func(*call) graph.Node {
	return func(c *call) graph.Node {
		return safe(c, c.operands(same, "a"), func(x []graph.Node) graph.Node { return f(c, x[0]) })
	}
}

// widened returns an array in the type of its sums.
func (c *call) widened(x graph.Node) graph.Node { return x.Cast(sumOf(x.DType())) }

// someAxes returns the given axes, or none for None.
func someAxes(c *call) []any {
	if !c.given("axis") {
		return nil
	}
	return []any{c.ints("axis")}
}

func transpose(c *call, x graph.Node) graph.Node {
	axes := c.ints("axes")
	if len(axes) == 0 {
		axes = reversed(x.Rank())
	}
	return x.Permute(axes)
}

func flip(c *call, x graph.Node) graph.Node {
	if !c.given("axis") {
		return x.Flip(reversed(x.Rank()))
	}
	return x.Flip(c.ints("axis"))
}

// flattened returns x and an axis. Without an axis argument it returns x flattened, and axis 0.
func flattened(c *call, x graph.Node) (y graph.Node, axis int) {
	if !c.given("axis") {
		return x.Flatten(), 0
	}
	return x, c.int("axis")
}

func roll(c *call, x graph.Node) graph.Node {
	y, axis := flattened(c, x)
	y = y.Roll(axis, c.int("shift"))
	if c.given("axis") || y.Err() != nil {
		return y
	}
	return y.Reshape(x.Shape())
}

func repeat(c *call, x graph.Node) graph.Node {
	y, axis := flattened(c, x)
	return y.Repeat(axis, c.int("repeats"))
}

func diagonal(c *call, x graph.Node) graph.Node {
	return x.Diagonal(c.int("offset"), c.int("axis1"), c.int("axis2"))
}

// padModes are the modes of pad, by NumPy's names.
var padModes = map[string]graph.PadMode{"constant": graph.PadConstant, "edge": graph.PadEdge, "reflect": graph.PadReflect, "symmetric": graph.PadSymmetric, "wrap": graph.PadWrap}

// pad adds elements before and after each axis: pad_width is one number, a pair for all axes, or a pair for each.
func pad(c *call) graph.Node {
	mode, ok := padModes[c.values["mode"].text]
	if !ok || c.values["mode"].kind != text {
		c.p.fail(c.values["mode"].at, "mode must be one of 'constant', 'edge', 'reflect', 'symmetric', 'wrap'")
	}
	return safe(c, c.operands(same, "array"), func(x []graph.Node) graph.Node {
		before, after := c.widths(x[0].Rank())
		return safe(c, x, func(x []graph.Node) graph.Node {
			if mode == graph.PadConstant {
				return x[0].PadWith(before, after, c.repeated(x[0].DType(), c.operand("constant_values")))
			}
			return x[0].Pad(before, after, mode)
		})
	})
}

// widths returns the argument pad_width for each axis.
func (c *call) widths(rank int) (before, after []int) {
	width := c.values["pad_width"]
	one := func(v value) []int {
		return (&call{c.p, map[string]value{"pad_width": v}}).ints("pad_width")
	}
	var pairs [][]int
	if width.kind == sequence && len(width.list) > 0 && width.list[0].kind == sequence {
		for _, v := range width.list {
			pairs = append(pairs, one(v))
		}
	} else {
		pairs = [][]int{one(width)}
	}
	if len(pairs) != 1 && len(pairs) != rank {
		c.p.fail(width.at, "pad_width has %d pairs, and the array %d axes", len(pairs), rank)
		return nil, nil
	}
	for k := range rank {
		pair := pairs[min(k, len(pairs)-1)]
		if len(pair) != 1 && len(pair) != 2 {
			c.p.fail(width.at, "pad_width is a number, a pair (before, after), or a pair for each axis")
			return nil, nil
		}
		before, after = append(before, pair[0]), append(after, pair[len(pair)-1])
	}
	return before, after
}

func concatenate(c *call) graph.Node {
	axis := c.int("axis")
	return safe(c, c.arrays("arrays"), func(x []graph.Node) graph.Node { return graph.Concat(axis, x...) })
}

func stack(c *call) graph.Node {
	axis := c.int("axis")
	return safe(c, c.arrays("arrays"), func(x []graph.Node) graph.Node { return graph.Stack(axis, x...) })
}

// joined joins arrays along an axis, each with at least some axes: those that are missing come first.
func joined(c *call, rank int, axis func(graph.Node) int) graph.Node {
	return safe(c, c.arrays("arrays"), func(x []graph.Node) graph.Node {
		for i := range x {
			for x[i].Rank() < rank {
				x[i] = x[i].Unsqueeze(0)
			}
		}
		return graph.Concat(axis(x[0]), x...)
	})
}

// columnStack joins columns: vectors, or matrices of them.
func columnStack(c *call) graph.Node {
	return safe(c, c.arrays("arrays"), func(x []graph.Node) graph.Node {
		for i := range x {
			for x[i].Rank() < 2 {
				x[i] = x[i].Unsqueeze(-1)
			}
		}
		return graph.Concat(1, x...)
	})
}

// indices returns the argument indices for an axis, with negative ones counted from its end.
func (c *call) indices(x graph.Node, axis int) graph.Node {
	i := c.x(same, "indices")
	if axis < 0 {
		axis += x.Rank()
	}
	if c.p.err != nil || axis < 0 || axis >= x.Rank() {
		return i
	}
	return i.FromEnd(x.Shape()[axis])
}

func take(c *call, x graph.Node) graph.Node {
	y, axis := flattened(c, x)
	indices := c.indices(y, axis)
	return safe(c, nil, func([]graph.Node) graph.Node { return y.Take(axis, indices) })
}

func takeAlong(c *call, x graph.Node) graph.Node {
	axis := c.int("axis")
	indices := c.indices(x, axis)
	return safe(c, nil, func([]graph.Node) graph.Node { return x.TakeAlong(axis, indices) })
}

// sources has functions that create arrays. These take no memory: the loop that reads them computes them.
var sources = map[string]function{
	"arange":     {"*bounds", arange},
	"linspace":   {"start, stop, num=50", linspace},
	"zeros":      {"shape, dtype=float", func(c *call) graph.Node { return filled(c, 0) }},
	"ones":       {"shape, dtype=float", func(c *call) graph.Node { return filled(c, 1) }},
	"full":       {"shape, fill_value", full},
	"eye":        {"N, M=None, k=0, dtype=float", eye},
	"array":      {"object, dtype=None", asArray},
	"asarray":    {"object, dtype=None", asArray},
	"zeros_like": {"a", of(func(c *call, x graph.Node) graph.Node { return like(c, x, numberValue(intNumber(0), 0)) })},
	"ones_like":  {"a", of(func(c *call, x graph.Node) graph.Node { return like(c, x, numberValue(intNumber(1), 0)) })},
	"full_like":  {"a, fill_value", of(func(c *call, x graph.Node) graph.Node { return like(c, x, c.operand("fill_value")) })},
}

// arange takes an end, a start and an end, or a start, an end and a step.
func arange(c *call) graph.Node {
	list := c.values["bounds"].list
	dt := graph.Int64
	var bounds []float64
	for _, v := range list {
		if v.kind != numeric {
			c.p.fail(v.at, "a bound must be a number, not %s", v.what())
		}
		if v.num.class == graph.Float64 {
			dt = graph.Float64
		}
		bounds = append(bounds, v.num.float())
	}
	switch len(bounds) {
	case 1:
		return graph.Range(dt, 0, bounds[0], 1)
	case 2:
		return graph.Range(dt, bounds[0], bounds[1], 1)
	case 3:
		return graph.Range(dt, bounds[0], bounds[1], bounds[2])
	}
	c.p.fail(c.values["bounds"].at, "arange takes an end, a beginning and an end, or those and a step")
	return graph.Node{}
}

func linspace(c *call) graph.Node {
	begin, end, n := c.float("start"), c.float("stop"), c.int("num")
	if n < 0 || n > math.MaxInt32 {
		c.p.fail(c.values["num"].at, "num must be 0 or more, and an int32")
		return graph.Node{}
	}
	i := graph.Iota(graph.Int32, n)
	if n < 2 {
		return i.Cast(graph.Float64).Add(begin)
	}
	return graph.Where(i.Eq(n-1), end, i.Cast(graph.Float64).Mul((end-begin)/float64(n-1)).Add(begin))
}

// filled returns an array of one number.
func filled(c *call, n int64) graph.Node {
	return c.repeated(c.dtype("dtype"), numberValue(intNumber(n), 0)).BroadcastTo(c.ints("shape"))
}

func full(c *call) graph.Node {
	return c.x(same, "fill_value").BroadcastTo(c.ints("shape"))
}

func eye(c *call) graph.Node {
	rows, k, dt := c.int("N"), c.int("k"), c.dtype("dtype")
	cols := rows
	if c.given("M") {
		cols = c.int("M")
	}
	return graph.Fill(dt, 0, rows, cols).EyeLike(dt, k)
}

// asArray returns a list, a number or an array as an array.
func asArray(c *call) graph.Node {
	if c.given("dtype") {
		return c.x(fixed(c.dtype("dtype")), "object")
	}
	return c.x(same, "object")
}

// like returns an array of one number with x's type and shape.
func like(c *call, x graph.Node, v value) graph.Node {
	return c.repeated(x.DType(), v).BroadcastTo(x.Shape())
}

// repeated converts a value to one element of a type.
func (c *call) repeated(dt graph.DType, v value) graph.Node {
	return c.nodes(fixed(dt), []value{v})[0]
}
