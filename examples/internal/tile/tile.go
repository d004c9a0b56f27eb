// Package tile makes large files from small ones for the examples.
package tile

import (
	"errors"
	"os"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// File writes repeated copies of the rows of a tensor to a .npy file.
func File(name string, x *graph.Tensor, copies int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w, err := npy.NewWriter(f, x.DType(), x.Shape()[1:]...)
	for range copies {
		if err != nil {
			break
		}
		err = w.Append(x)
	}
	if err == nil {
		err = w.Close()
	}
	return errors.Join(err, f.Close())
}
