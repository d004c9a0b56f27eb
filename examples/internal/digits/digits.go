// Package digits has 1,797 handwritten digits for the examples. make.py wrote its files and names their source.
package digits

import (
	"embed"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// Images are four files with the pixels of the digits: uint8 [n,64], from 0 to 16, by rows.
//
//go:embed digits0.npy digits1.npy digits2.npy digits3.npy
var Images embed.FS

//go:embed labels.npy
var labels embed.FS

// All returns all digits as constants: the images, uint8 [1797,8,8], and what they are, uint8 [1797].
func All() (images, classes graph.Node, err error) {
	files, err := Images.ReadDir(".")
	if err != nil {
		return images, classes, err
	}
	var parts []graph.Node
	for _, f := range files {
		file, err := Images.Open(f.Name())
		if err != nil {
			return images, classes, err
		}
		part, err := npy.Read(file)
		if err != nil {
			return images, classes, err
		}
		parts = append(parts, graph.Const(part))
	}
	file, err := labels.Open("labels.npy")
	if err != nil {
		return images, classes, err
	}
	what, err := npy.Read(file)
	return graph.Concat(0, parts...).Reshape(-1, 8, 8), graph.Const(what), err
}
