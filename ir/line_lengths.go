package ir

import "fmt"

// CheckLengths returns an error unless an op on lines computes n elements from operands with lengths in along the axis. Kernels take
// the number of elements of each operand from the other lengths.
func CheckLengths(op Op, n int, in []int) error {
	ok, info := false, op.Info()
	switch {
	case info.Sorts:
		ok = n <= in[0]
	case info.Ragged:
		ok = in[1] > 0 && n == in[1]-1 && (!info.Weighted || in[2] == in[3])
	case info.Searches():
		ok = n == in[1]
	case info.Gathers() && info.By != OpInvalid:
		ok = n == 1 && in[1] > 0 && (!info.Weighted || in[1] == in[2])
	case info.Gathers():
		ok = n == in[1]
	case info.Indexed: // with updates
		ok = n == in[0] && in[1] == in[2]
	default:
		ok = n == in[0] && n == in[1]
	}
	if !ok {
		return fmt.Errorf("%s makes no %d elements of operands of %v along the axis", op, n, in)
	}
	return nil
}
