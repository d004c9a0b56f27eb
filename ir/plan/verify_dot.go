package plan

import "errors"

// CheckDot returns an error unless the operands of a step with a DotKernel are
// the matrices that its comment says. No other step has panels, and none a kernel
// whose frame has more than a step's.
func (s *FlatStep) CheckDot() error {
	pairs := len(s.Extents) - 3
	switch {
	case s.Kernel.Transposes() || s.Kernel.Down:
		return errors.New("a kernel that transposes or folds down is called within steps, and is none")
	case !s.Kernel.Dots() && s.Panels:
		return errors.New("panels, and no product")
	case !s.Kernel.Dots():
		return nil
	case pairs < 0 || s.Down || s.Scan != NoScan:
		return errors.New("a product has pairs, rows and columns, and folds or scans nothing else")
	case s.Extents[pairs] == 0:
		return errors.New("a product of no pairs")
	}
	rows, cols := pairs+1, pairs+2
	left, right, out := s.Operands[0], s.Operands[1], s.Operands[2]
	across, down := 1, right.Strides[pairs]
	if s.Panels {
		across, down = s.Extents[pairs], 1
	}
	for _, want := range []struct {
		access       Access
		axis, stride int
	}{
		{left, cols, 0}, {right, rows, 0}, {out, pairs, 0}, {right, cols, across}, {right, pairs, down}, {out, cols, 1},
	} {
		if s.Extents[want.axis] > 1 && want.access.Strides[want.axis] != want.stride {
			return errors.New("its operands are not the matrices of a product")
		}
	}
	return nil
}
