package layout

import "fmt"

// WindowCount returns the number of windows along an axis of n elements that begin at 0, step, 2*step, ... and end inside it. A
// window has size elements, dilation apart. WindowCount returns an error if size, step or dilation is not positive, or if the
// axis is shorter than one window.
func WindowCount(n, size, step, dilation int) (int, error) {
	if err := CheckWindow(size, step, dilation); err != nil {
		return 0, err
	}
	reach, ok := MulInt(size-1, dilation)
	if !ok || reach >= n {
		return 0, fmt.Errorf("a window of %d elements %d apart does not fit into %d elements", size, dilation, n)
	}
	return (n-1-reach)/step + 1, nil
}

// CheckWindow returns an error unless size, step and dilation are positive.
func CheckWindow(size, step, dilation int) error {
	for _, p := range []struct {
		name string
		n    int
	}{{"size", size}, {"step", step}, {"dilation", dilation}} {
		if p.n < 1 {
			return fmt.Errorf("the %s of a window is %d: it must be 1 or more", p.name, p.n)
		}
	}
	return nil
}

// Window returns the windows of an axis, as numpy.lib.stride_tricks.sliding_window_view with a step and a dilation: element (w, j)
// of the axis and of a new last axis of extent size is element w*step + j*dilation of the axis of l. If windows overlap, several
// indices share a location.
func (l Layout) Window(axis, size, step, dilation int) (Layout, error) {
	picked, err := l.pick("window", []int{axis}, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	k := picked[0]
	count, err := WindowCount(l.Shape[k], size, step, dilation)
	if err != nil {
		return Layout{}, fmt.Errorf("window: axis %d of shape %v: %w", k, l.Shape, err)
	}
	v := blank(l.Rank()+1, l.Offset)
	last := copy(v.Shape, l.Shape)
	copy(v.Strides, l.Strides)
	v.Shape[k], v.Shape[last] = count, size
	v.Strides[k], v.Strides[last] = l.Strides[k]*step, l.Strides[k]*dilation
	return v, nil
}
