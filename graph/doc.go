// Package graph is the front door of Stridefuse: build a formula over n-d arrays, compile it once, run it on any number
// of tensors of any size.
//
//	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3) // n rows, any n
//	w := graph.Input("w", graph.Float32, 3)
//	z := x.Sub(w).Div(w.Abs().Add(1e-6)).Tanh() // nothing runs yet
//
//	p, err := graph.Compile(z) // every mistake above comes out here, with its line
//	out, err := p.Run(ctx, graph.Of(data, 2, 3), graph.Of(weights))
//	fmt.Println(out)        // dtype, shape, aligned rows
//	fmt.Print(p.Explain())  // kernels, what fused, what is copied and why
//
// # Nodes
//
// A [Node] is a value that a program will compute: an n-d array whose element type and shape are known, but not its
// elements. [Input] makes a Node that is given at each run, [Const] one of a tensor that never changes, [Variable] one
// of a tensor that the caller writes between runs, [Scalar] and [Fill] constants. Every op returns a new Node. Nodes
// are small immutable values. There is no graph object to pass along, and goroutines and programs may share nodes.
//
// An operand of an op is a Node, a [*Tensor] (as Const would take it), a Go number or bool, or a Dim. A number takes
// the element type of the operand beside it and must fit: 1.5 beside an Int32 is an error. Nothing else is converted:
// Float32 combines with Float64 only after a Cast. To put a number on the left write x.Scalar(1).Sub(x).
//
// [Compile] makes a [Program] of the nodes to compute. Views (Reshape, Permute, Slice, Flip, Diagonal, broadcasting)
// become strides, and a chain of elementwise ops becomes one loop without intermediate arrays. A program is immutable
// and safe for concurrent use.
//
// # Shapes and symbolic sizes
//
// An extent is an int or a [Dim], a size that is known when the program runs. Inputs that share a Dim must agree on it.
// Views of symbolic axes have symbolic extents: x.Slice("1:-1") of n has n-2 elements. Each run checks them against its
// numbers; what does not fit is an error with the line of the op. Ops are checked when the graph is built: n does not
// fit m or 3, though a run may give them the same number.
//
// A plan for a set of sizes and input layouts is made at their first run, in about the time of Compile, or earlier by
// [Program.Prepare]. If the first axis of inputs and outputs is a batch of independent rows, the plan of another number
// of rows is resized instead, in a quarter of that time. A program keeps the last 1024 plans; [WithPlans] changes that
// number and [Program.Plans] counts them. A run finds a kept plan in about 20 ns and allocates nothing, whatever sizes
// ran before.
//
// Shapes broadcast as in NumPy: aligned at the last axis, extents of 1 and missing axes repeat. The option
// [WithoutBroadcast] forbids that, for formulas in which unequal shapes are mistakes.
//
// An axis of an operand is an int, negative from the end, or a name. Reductions take any number of them, none for all.
// What keeps its shape along the axis, such as Softmax, CumSum and Sort, asks for one. An axis that the result adds
// (Unsqueeze, Stack, OneHot) is an int, the number it has there.
//
// Axes get names from [Axis] or [Node.WithAxes]. Adding "height" to "width" is an error. Results keep the names that still
// make sense.
//
// # Errors
//
// Building a graph returns no errors: a mistake sticks to the Node, and to all Nodes built on it. [Compile] returns
// every mistake below its nodes, each an [*Error] with the line of the call:
//
//	main.go:9: sub: shapes [n,3] and [4] do not broadcast: axis 1 is 3 and 4
//
// [Node.Err] returns the mistake earlier. Run returns errors of tensors that do not fit the program, of sizes that do
// not fit the graph, with the line of the input or op, and of memory that is not there. Nothing a caller does makes
// this package panic; a panic is a bug in it, and carries the pass and the graph.
//
// # Memory
//
// A Program only reads its inputs and captured tensors. They may be views of any layout, and concurrent runs may share
// them. Run returns tensors with memory that nothing else refers to. RunInto writes to given tensors. These may have the
// memory of inputs: the output is then computed in place if possible, and otherwise computed elsewhere and copied.
//
// Results of Run are garbage like other Go values once nothing refers to them. A loop that makes many should call
// Release on each when it is done with it: the next run then uses its memory, and takes about as long as RunInto. After
// Release the tensor and its views fail, and slices of Data must not be used. [KeptBytes] returns how much released
// memory waits for later runs.
//
// A Const must not change from Compile on: values that depend only on constants are computed once, and the right matrix
// of a product is packed once, for all sizes. A [Variable] is read at each run. A loop that computes small things on
// the same tensors can bind them once: Bind returns a Call, whose Run repeats no checks.
//
// # Numbers
//
// A program gives the same bits fused or not, on every CPU and number of threads, in assembly and in Go. Results follow
// the graph: the compiler never reassociates, and never contracts Mul and Add. FMA is a separate op. Products of
// matrices with at least two rows and two columns also accumulate with it.
//
// Add, Sub, Mul, Div, Sqrt, FMA and Reciprocal are correctly rounded; the table at the end has the accuracy of
// elementary functions. Subnormals are kept, -0 is not +0, and the bits of a NaN are not specified. A program compiled
// with [WithFast] uses faster, less exact forms of the elementary functions. Integers wrap, and x/0 is 0. A float
// becomes an integer by truncation and saturation, NaN becomes 0. Round is half to even; Minimum, Maximum, Min and Max
// are Go's min and max.
//
// # Coming from NumPy
//
//	NumPy                           graph
//	np.array([[1, 2]], np.float32)  graph.Of([]float32{1, 2}, 1, 2)
//	np.copyto(a, b), np.array_equal graph.Copy(a, b), graph.Equal(a, b)
//	np.zeros((2, 3)), np.ones(3)    graph.Zeros(dt, 2, 3), graph.Ones(dt, 3)
//	np.full((2, 3), v)              graph.Full(dt, v, 2, 3); as a Node graph.Fill
//	np.eye(n), np.arange(b, e, s)   graph.Eye(dt, n), graph.Arange(dt, b, e, s)
//	np.linspace(a, b, n)            graph.Linspace(dt, a, b, n); without the end LinspaceOpen
//	np.finfo(t), np.iinfo(t)        t.FloatLimits(), t.IntLimits()
//	np.result_type(t, u)            graph.ResultType(t, u); np.can_cast is graph.CanCast(t, u)
//	np.float64(2)                   graph.Scalar(graph.Float64, 2)
//	a.dtype, a.shape, a.ndim        a.DType(), a.Shape(), a.Rank()
//	a + b, a - b, a * b, a / b      a.Add(b), a.Sub(b), a.Mul(b), a.Div(b)
//	1 - a                           a.Scalar(1).Sub(a)
//	a // b, a % b                   a.FloorDiv(b), a.Mod(b)
//	np.fmod(a, b)                   a.Rem(b)
//	-a, abs(a), np.sign(a)          a.Neg(), a.Abs(), a.Sign()
//	np.sqrt(a), np.square(a)        a.Sqrt(), a.Square()
//	1 / a, np.reciprocal(a)         a.Reciprocal()
//	np.minimum(a, b)                a.Minimum(b)
//	np.maximum(a, b)                a.Maximum(b)
//	np.clip(a, lo, hi)              a.Clip(lo, hi)
//	np.floor, np.ceil, np.trunc     a.Floor(), a.Ceil(), a.Trunc()
//	np.rint(a), np.round(a)         a.Round()
//	np.exp(a), np.log1p(a)          a.Exp(), a.Log1p(); Accuracy lists all of them
//	a ** b, np.arctan2(a, b)        a.Pow(b), a.Atan2(b)
//	scipy.special.expit, erf        a.Sigmoid(), a.Erf(); SiLU, GELU, Softplus and their kin
//	a.sum(), a.sum(0), a.prod(-1)   a.Sum(), a.Sum(0), a.Prod(-1)
//	a.sum(dtype=np.float64)         a.Sum(graph.InType(graph.Float64))
//	a.min(0), a.max((0, 2))         a.Min(0), a.Max(0, 2)
//	a.mean(0, keepdims=True)        a.Mean(0, graph.KeepDims)
//	a.var(0), a.std(0, ddof=1)      a.Var(0), a.Std(0, graph.DDOF(1))
//	np.nansum(a, 0), np.nanmean(a)  a.NanSum(0), a.NanMean(); NanMin, NanMax, NanCount
//	a.argmin(0), a.argmax(-1)       a.ArgMin(0), a.ArgMax(-1), of type Int64
//	a.all(), a.any(0)               a.All(), a.Any(0)
//	np.linalg.norm(a, axis=0)       a.Norm2(0); a.Norm1(0)
//	np.cumsum(a, 0), a.cumprod(1)   a.CumSum(0), a.CumProd(1)
//	np.maximum.accumulate(a, 0)     a.CumMax(0)
//	a @ b, np.matmul(a, b)          a.MatMul(b)
//	np.dot(a, b), np.outer(a, b)    a.Dot(b), a.Outer(b)
//	np.inner(a, b)                  a.Tensordot(b, -1, -1)
//	np.tensordot(a, b, 2)           a.Tensordot(b, 2)
//	np.tensordot(a, b, ([1], [0]))  a.Tensordot(b, []int{1}, []int{0})
//	np.einsum("ij,jk->ik", a, b)    graph.Einsum("ij,jk->ik", a, b)
//	np.trace(a)                     a.Diagonal(0, 0, 1).Sum(-1)
//	scipy.special.logsumexp         a.LogSumExp(0)
//	scipy.special.softmax(a, -1)    a.Softmax(-1); LogSoftmax, LayerNorm and their kin
//	a == b, a != b                  a.Eq(b), a.Ne(b)
//	a < b, a <= b, a > b, a >= b    a.Lt(b), a.Le(b), a.Gt(b), a.Ge(b)
//	a & b, a | b, a ^ b, ~a         a.And(b), a.Or(b), a.Xor(b), a.Not()
//	np.logical_and(p, q) of bools   p.And(q)
//	a << b, a >> b                  a.Shl(b), a.Shr(b)
//	np.ldexp(a, k)                  a.Ldexp(k), all of float64
//	np.isnan, np.isinf, np.isfinite a.IsNaN(), a.IsInf(), a.IsFinite()
//	np.where(c, a, b)               graph.Where(c, a, b)
//	a.astype(np.int32)              a.Cast(graph.Int32)
//	a.view(np.int32)                a.Bitcast(graph.Int32), also of another size
//	a.reshape(2, -1)                a.Reshape(2, -1)
//	a.ravel(), a.flatten()          a.Ravel(), a.Flatten()
//	a.T, np.transpose(a, (1, 0, 2)) a.T(), a.Permute(1, 0, 2)
//	np.swapaxes(a, 0, 1)            a.SwapAxes(0, 1)
//	np.moveaxis(a, 0, -1)           a.MoveAxis(0, -1)
//	a[2:, 3, ::-1], a[..., None]    a.Slice("2:, 3, ::-1"), a.Slice("..., None")
//	np.take(a, 3, axis=1)           a.Index(1, 3)
//	np.flip(a), np.flip(a, 0)       a.Flip(), a.Flip(0)
//	np.broadcast_to(a, (4, 3))      a.BroadcastTo(4, 3)
//	np.expand_dims(a, 0)            a.ExpandDims(0), or Unsqueeze
//	np.squeeze(a), np.squeeze(a, 0) a.Squeeze(), a.Squeeze(0)
//	np.diagonal(a, 1)               a.Diagonal(1, 0, 1)
//	sliding_window_view(a, 3, 0)    a.Window(0, 3, 1, 1)
//	np.concatenate((a, b), 0)       graph.Concat(0, a, b); graph.Stack(0, a, b)
//	np.pad(a, ((1, 1), (0, 2)))     a.Pad([]int{1, 0}, []int{1, 2}, graph.PadConstant)
//	np.roll(a, 1, axis=0)           a.Roll(0, 1)
//	np.take(a, i, 0), a[i]          a.Take(0, i); np.take_along_axis is a.TakeAlong(0, i)
//	np.add.at(a, i, v)              a.Scatter(0, i, v, graph.ScatterAdd)
//	b = a.copy(); b[1:3] = v        a.Set("1:3", v)
//	np.average(a, 0, w)             a.WeightedMean(w, 0); np.cov and np.corrcoef of columns are a.Cov(nil), a.Corr(nil)
//	lfilter([1], [1, -a], x)        x.Recurrence(-1, a)
//	s.rolling(n).mean(), median()   x.Rolling(0, n).Mean(), x.Rolling(0, n).Median(); NaNs by MinPeriods
//	s.ewm(alpha=c).mean()           x.ExpWeighted(0, c).Mean(); with adjust=False and no NaN x.ExpAverage(0, c)
//	df.groupby(["a", "b"]).mean()   graph.Factorize(ctx, a, b), of tensors; x.GroupBy(codes, count).Mean()
//	np.sort(a), np.argsort(a)       a.Sort(-1), a.ArgSort(-1); np.partition is TopK
//	np.median(a, 0), np.quantile    a.Median(0), a.Quantile(q, 0)
//	np.quantile(a, [p, q], 0)       a.Quantiles([]float64{p, q}, 0); methods by graph.QuantileMethod
//	np.percentile(a, p, 0)          a.Quantile(p/100, 0)
//	np.nanmedian(a, 0)              a.NanMedian(0), a.NanQuantile(q, 0), a.NanStd(0)
//	np.nan_to_num(a)                a.NanToNum(0, greatest, least)
//	np.interp(a, xp, fp)            a.Interp(xp, fp)
//	np.cross(a, b), np.isin(a, v)   a.Cross(b, -1), a.IsIn(v)
//	np.searchsorted(a, v)           a.SearchSorted(v, false)
//	np.bincount(a, minlength=n)     a.BinCount(n)
//	np.histogram(a, edges)[0]       a.Histogram(edges)
//	np.nonzero(a), np.unique(a)     graph.NonZero(ctx, t), graph.Unique(ctx, t), of tensors
//	np.correlate, torch.conv2d      x.Conv(w, options), for pictures too; a.Window(0, k, 1, 1).Mul(v).Sum(-1)
//	torch.max_pool2d, avg_pool2d    x.MaxPool(options), x.AvgPool(options)
//	np.tile(a, (2, 1))              a.Tile(2, 1)
//	np.repeat(a, 2, axis=0)         a.Repeat(0, 2), or a.Repeat(0, []int{2, 0, 1})
//	np.split(a, 2), np.unstack(a)   a.Chunk(0, 2), a.Split(0, sizes...); a.Unstack(0)
//	np.meshgrid(a, b, indexing="ij") graph.Meshgrid(a, b)
//	np.triu(a, 1), np.tril(a)       a.Triu(1), a.Tril(0)
//	np.eye(*a.shape), np.arange     a.EyeLike(dt, 0), graph.Range(dt, b, e, s)
//	out=                            p.RunInto(ctx, outs, ins...)
//	session.run(None, {"x": a})     p.RunNamed(ctx, graph.Feeds{"x": a}); outputs named by Output
//
// Differences:
//
//   - Types are never promoted, and a number that an integer type does not have is an error. Sums and running sums of 8 and 16 bits are
//     int64 or uint64; sums of 32 bits stay 32 bits and wrap, so Cast to Int64 first if they may overflow.
//   - A float that is converted to an integer saturates, and NaN gives 0.
//   - An index below 0 in a tensor of indices is an error of the run, unless FromEnd makes it count from the end.
//   - A slice such as ":10" or "-3:" of an axis whose extent is known only at run time must fit: it is not clipped.
//   - Chunk and Unstack need the extent of their axis as a number.
//   - Flatten is a view. Softmax needs its axis. Minimum, Maximum and the numbers above hold everywhere alike.
//   - Compile computes values that depend only on constants, and Run all others: data belongs into inputs, not into Const.
package graph
