package nest

import (
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// ReferenceOf returns the meaning of a kernel or a micro-kernel, or an error if it is
// not valid.
func ReferenceOf(c kernel.Code) (kernel.Reference, error) {
	if err := c.Verify(); err != nil {
		return nil, err
	}
	return kernel.ReferenceOf(c, elementary.Expand), nil
}
