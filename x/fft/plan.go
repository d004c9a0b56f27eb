package fft

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// This file transforms lines of any length, wherever they lie.

// plan transforms lines of n numbers: by a matrix, or as columns of a tile if n is small, or by Bluestein's algorithm if
// n has a large prime factor.
type plan[T kernel.Element] struct {
	n            int
	matrix       *matrix[T]
	columns      *stages[T]
	chirp        *chirp[T]
	mirror       func() *mirror[T]      // for transforms of 2n real numbers
	pack, unpack [2]func(*kernel.Frame) // forward and inverse
}

// longestColumns is the length up to which lines side by side are transformed as columns. A call of a kernel with more
// numbers would take too long, and a tile would not fit into a cache.
const longestColumns = 4096

func newPlan[T kernel.Element](n int, find func(radix int, form kernel.Form) func(*kernel.Frame)) (*plan[T], error) {
	p := &plan[T]{n: n}
	p.mirror = sync.OnceValue(func() *mirror[T] { return newMirror[T](n, find) })
	p.pack = [2]func(*kernel.Frame){find(0, kernel.Pack), find(0, kernel.PackSwapped)}
	p.unpack = [2]func(*kernel.Frame){find(0, kernel.Unpack), find(0, kernel.UnpackSwapped)}
	if radices(n) == nil {
		var err error
		p.chirp, err = newChirp[T](n, find)
		return p, err
	}
	p.matrix = newMatrix[T](n, find)
	if n <= longestColumns || p.matrix == nil {
		p.columns = newStages[T](n, find)
	}
	return p, nil
}

// elements returns about the number of elements of a plan's tables.
func (p *plan[T]) elements() int {
	sum := p.n // of the mirror
	if p.chirp != nil {
		sum += 2*p.n + len(p.chirp.filter) + p.chirp.plan.elements()
	}
	if p.matrix != nil {
		sum += len(p.matrix.table) + len(p.matrix.second) + 2*(p.matrix.rows+p.matrix.cols)
	}
	if p.columns != nil {
		sum += 2 * p.n
	}
	return sum
}

// plans keeps plans of transforms that ran lately, for one element type.
type plans[T kernel.Element] struct {
	sync.Mutex
	kept []*plan[T] // the latest first
}

// mostKept bounds the elements of the tables that are kept, for each element type.
const mostKept = 1 << 23

var (
	plans32 plans[float32]
	plans64 plans[float64]
)

// planOf returns the plan for n numbers.
func planOf[T kernel.Element](n int) (*plan[T], error) {
	var all any = &plans64
	if unsafe.Sizeof(*new(T)) == 4 {
		all = &plans32
	}
	return all.(*plans[T]).of(n)
}

// find returns the plan for n numbers, which becomes the latest, or nil. The mutex is held.
func (l *plans[T]) find(n int) *plan[T] {
	i := slices.IndexFunc(l.kept, func(p *plan[T]) bool { return p.n == n })
	if i < 0 {
		return nil
	}
	p := l.kept[i]
	copy(l.kept[1:i+1], l.kept[:i])
	l.kept[0] = p
	return p
}

func (l *plans[T]) of(n int) (*plan[T], error) {
	l.Lock()
	p := l.find(n)
	l.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := newPlan[T](n, kernel.Of[T])
	if err != nil {
		return nil, err
	}
	l.Lock()
	defer l.Unlock()
	if other := l.find(n); other != nil { // another goroutine was faster
		return other, nil
	}
	if p.elements() > mostKept {
		return p, nil
	}
	l.kept = slices.Insert(l.kept, 0, p)
	sum := 0
	for i, p := range l.kept {
		if sum += p.elements(); sum > mostKept || i == 256 {
			clear(l.kept[i:])
			l.kept = l.kept[:i]
			break
		}
	}
	return p, nil
}

// lines are the lines along an axis of an array of interleaved numbers: outer*inner lines of n numbers, inner numbers
// apart.
type lines[T kernel.Element] struct {
	dst, src         []T // may be the same
	dstStep, srcStep int // elements from one of the outer arrays to the next
	outer, n, inner  int
	inverse          bool
	scale            T
	real             *mirror[T] // nil unless the lines are pairs of real numbers: dst, or for the inverse src, is their transform
}

// transform transforms all lines.
func (p *plan[T]) transform(ctx context.Context, l lines[T]) error {
	w := getWork[T]()
	defer w.put()
	lanes := kernel.Lanes[T]()
	workers := workersFor(l.outer * l.n * l.inner)
	if &l.dst[0] != &l.src[0] && len(l.dst) > mostIdle {
		if err := touch(ctx, l.dst, w, workers); err != nil {
			return err
		}
	}
	switch {
	case l.inner == 1 && p.columns != nil && (p.matrix == nil || p.n < mostGathered && l.outer >= lanes):
		group := lanes * max(1, 512/(lanes*p.n))
		return each(ctx, workers, (l.outer-1)/group+1, w, func(i int, w *work[T]) error {
			first, count := i*group, min(group, l.outer-i*group)
			own := l
			if l.real != nil && l.inverse {
				own.src, own.srcStep = w.joined.take(2*count*p.n), 2*p.n
				own.dst = l.dst[first*l.dstStep:]
				for q := range count {
					if err := l.real.run(ctx, own.src[q*2*p.n:][:2*p.n], l.src[(first+q)*l.srcStep:], true, w, 1); err != nil {
						return err
					}
				}
				p.gathered(own, 0, count, w)
				return nil
			}
			p.gathered(l, first, count, w)
			for q := 0; l.real != nil && q < count; q++ {
				z := l.dst[(first+q)*l.dstStep:][:l.dstStep]
				if err := l.real.run(ctx, z, z, false, w, 1); err != nil {
					return err
				}
			}
			return nil
		})
	case l.inner == 1 && (l.outer >= workers || p.n < parallelFrom):
		return each(ctx, workers, l.outer, w, func(i int, w *work[T]) error { return p.whole(ctx, l, i, w, 1) })
	case l.inner == 1:
		for i := range l.outer {
			if err := p.whole(ctx, l, i, w, workers); err != nil {
				return err
			}
		}
	default:
		if l.real != nil && l.inverse {
			joined, err := newArray[T](2 * l.outer * l.n * l.inner)
			if err != nil {
				return err
			}
			defer joined.release()
			if err := l.real.rows(ctx, joined.data, l.src, l, 2*l.n*l.inner, l.srcStep, true, w, workers); err != nil {
				return err
			}
			l.src, l.srcStep = joined.data, 2*l.n*l.inner
		}
		if err := p.columnwise(ctx, l, w, workers); err != nil {
			return err
		}
		if l.real != nil && !l.inverse {
			return l.real.rows(ctx, l.dst, l.dst, l, l.dstStep, l.dstStep, false, w, workers)
		}
	}
	return ctx.Err()
}

// mostGathered is the length below which lines side by side are faster than lines of their own as matrices.
const mostGathered = 64

// side is the number of lines that are not contiguous and are copied together: whole cache lines.
const side = 8

// columnwise transforms lines that are not contiguous.
func (p *plan[T]) columnwise(ctx context.Context, l lines[T], w *work[T], workers int) error {
	if p.columns == nil {
		blocks := (l.inner-1)/side + 1
		return each(ctx, workers, l.outer*blocks, w, func(i int, w *work[T]) error {
			at := i % blocks * side
			return p.apart(ctx, l, i/blocks, at, min(side, l.inner-at), w)
		})
	}
	width := kernel.Lanes[T]()
	for 2*width <= l.inner && 4*width*p.n*int(unsafe.Sizeof(l.scale)) <= tileBytes {
		width *= 2
	}
	tiles := l.inner / width
	rest := l.inner - tiles*width
	err := each(ctx, workers, l.outer*tiles, w, func(i int, w *work[T]) error {
		p.tile(l, i/tiles, i%tiles*width, width, w)
		return nil
	})
	if err != nil || rest == 0 {
		return err
	}
	return each(ctx, workers, l.outer, w, func(i int, w *work[T]) error {
		p.gathered(l, (i+1)*l.inner-rest, rest, w)
		return nil
	})
}

// whole transforms line i of contiguous ones.
func (p *plan[T]) whole(ctx context.Context, l lines[T], i int, w *work[T], workers int) error {
	src := l.src[i*l.srcStep:]
	if l.real != nil && l.inverse {
		joined, err := w.joined.borrow(2 * l.n)
		if err != nil {
			return err
		}
		defer joined.release()
		if err := l.real.run(ctx, joined.data, src, true, w, workers); err != nil {
			return err
		}
		src = joined.data
	}
	if err := p.line(ctx, l.dst[i*l.dstStep:][:2*l.n], src[:2*l.n], l.inverse, l.scale, w, workers); err != nil {
		return err
	}
	if l.real != nil && !l.inverse {
		z := l.dst[i*l.dstStep:][:l.dstStep]
		return l.real.run(ctx, z, z, false, w, workers)
	}
	return nil
}

// line transforms a line.
func (p *plan[T]) line(ctx context.Context, dst, src []T, inverse bool, scale T, w *work[T], workers int) error {
	switch {
	case p.chirp != nil:
		return p.chirp.run(ctx, dst, src, inverse, scale, w, workers)
	case p.matrix == nil:
		p.gathered(lines[T]{dst: dst, src: src, outer: 1, n: p.n, inner: 1, inverse: inverse, scale: scale}, 0, 1, w)
	case p.matrix.copies():
		borrowed, err := w.line.borrow(2 * (p.n + p.matrix.lanes))
		if err != nil {
			return err
		}
		defer borrowed.release()
		room := borrowed.data
		if err := move(ctx, room, src, w, workers); err != nil {
			return err
		}
		if err := p.matrix.run(ctx, unsafe.Pointer(&room[0]), unsafe.Pointer(&room[0]), inverse, &w.scaled(scale)[0], w, workers); err != nil {
			return err
		}
		return move(ctx, dst, room[:2*p.n], w, workers)
	default:
		return p.matrix.run(ctx, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), inverse, &w.scaled(scale)[0], w, workers)
	}
	return nil
}

// scaled returns memory for a scale.
func (w *work[T]) scaled(scale T) []T {
	s := w.scale.take(1)
	s[0] = scale
	return s
}

// tile transforms columns of one of the outer arrays.
func (p *plan[T]) tile(l lines[T], outer, column, width int, w *work[T]) {
	row := 2 * l.inner * int(unsafe.Sizeof(l.scale))
	from := memory{re: unsafe.Pointer(&l.src[outer*l.srcStep+2*column]), row: row, form: pairs}
	to := memory{re: unsafe.Pointer(&l.dst[outer*l.dstStep+2*column]), row: row, form: pairs}
	if l.inverse {
		from.form, to.form = swapped, swapped
	}
	p.columns.run(to, from, width, &w.scaled(l.scale)[0], w)
}

// gathered transforms count lines, from line first on, as columns of a tile that has whole vectors of them.
func (p *plan[T]) gathered(l lines[T], first, count int, w *work[T]) {
	lanes := kernel.Lanes[T]()
	width, n := padded(count, lanes), l.n
	room := w.line.take(4 * n * width)
	in, out := buffer(room, n, width), buffer(room[2*n*width:], n, width)
	direction := 0
	if l.inverse {
		direction = 1
	}
	whole := 0 // lines that kernels transpose
	if l.inner == 1 && n%lanes == 0 {
		whole = count / lanes * lanes
	}
	size := int(unsafe.Sizeof(l.scale))
	if whole > 0 {
		w.frame = kernel.Frame{
			Rows: whole / lanes, Cols: n,
			In: unsafe.Pointer(&l.src[first*l.srcStep]), InLeg: l.srcStep * size, InRow: lanes * l.srcStep * size,
			Out: in.re, OutIm: in.im, OutLeg: in.row, OutRow: lanes * size,
		}
		p.pack[direction](&w.frame)
	}
	re, im := room[:n*width], room[n*width:2*n*width]
	back, backIm := room[2*n*width:3*n*width], room[3*n*width:4*n*width]
	if l.inverse {
		re, im = im, re
		back, backIm = backIm, back
	}
	for q := whole; q < width; q++ {
		if q >= count {
			for k := range n {
				re[k*width+q], im[k*width+q] = 0, 0
			}
			continue
		}
		at := l.first(first+q, l.srcStep)
		for k := range n {
			re[k*width+q], im[k*width+q] = l.src[at], l.src[at+1]
			at += 2 * l.inner
		}
	}
	p.columns.run(out, in, width, nil, w)
	if whole > 0 {
		w.frame = kernel.Frame{
			Rows: n / lanes, Cols: whole,
			In: out.re, InIm: out.im, InLeg: out.row, InRow: lanes * out.row,
			Out: unsafe.Pointer(&l.dst[first*l.dstStep]), OutLeg: l.dstStep * size, OutRow: 2 * lanes * size,
			Second: unsafe.Pointer(&w.scaled(l.scale)[0]),
		}
		p.unpack[direction](&w.frame)
	}
	for q := whole; q < count; q++ {
		at := l.first(first+q, l.dstStep)
		for k := range n {
			l.dst[at], l.dst[at+1] = back[k*width+q]*l.scale, backIm[k*width+q]*l.scale
			at += 2 * l.inner
		}
	}
}

// first returns the index of the first element of a line, in arrays that are some elements apart.
func (l lines[T]) first(line, step int) int { return line/l.inner*step + 2*(line%l.inner) }

// apart transforms count lines that are not contiguous, each in memory of its own.
func (p *plan[T]) apart(ctx context.Context, l lines[T], outer, column, count int, w *work[T]) error {
	borrowed, err := w.apart.borrow(2 * l.n * count)
	if err != nil {
		return err
	}
	defer borrowed.release()
	own := borrowed.data
	for k := range l.n {
		at := outer*l.srcStep + 2*(k*l.inner+column)
		for q := range count {
			own[2*(q*l.n+k)], own[2*(q*l.n+k)+1] = l.src[at+2*q], l.src[at+2*q+1]
		}
	}
	for q := range count {
		line := own[2*q*l.n:][:2*l.n]
		if err := p.line(ctx, line, line, l.inverse, l.scale, w, 1); err != nil {
			return err
		}
	}
	for k := range l.n {
		at := outer*l.dstStep + 2*(k*l.inner+column)
		for q := range count {
			l.dst[at+2*q], l.dst[at+2*q+1] = own[2*(q*l.n+k)], own[2*(q*l.n+k)+1]
		}
	}
	return nil
}
