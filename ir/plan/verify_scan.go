package plan

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// CheckScan returns an error unless the kernel of a step with Scan is what its
// comment says: one operand, which one op folds, and nothing else. Without Scan
// the kernel must not scan.
func (s *FlatStep) CheckScan() error {
	k := s.Kernel
	switch {
	case s.Scan > Exclusive:
		return errors.New("there is no such scan")
	case k.Scans():
		return errors.New("a step says that it scans, its kernel what it folds")
	case s.Scan == NoScan:
		return nil
	case len(k.In) != 1 || k.In[0].Splat || len(k.Body) > 0 || len(k.Out) != 1 || k.FoldOf(0).ScannedBy() == ir.OpInvalid:
		return errors.New("a scan folds one unit operand, and does nothing else")
	}
	return nil
}
