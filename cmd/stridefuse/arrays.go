package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Arrays from files, made-up arrays, and arrays in the form of the definitions.

// isZarr reports whether a name is that of a Zarr array.
func isZarr(name string) bool { return filepath.Ext(name) == ".zarr" }

// readArray reads a .npy file or a Zarr folder.
func readArray(name string) (*graph.Tensor, error) {
	if isZarr(name) {
		return zarr.ReadArray(name)
	}
	return npy.ReadFile(name)
}

// writeArray writes a .npy file or a Zarr folder.
func writeArray(name string, x *graph.Tensor) error {
	if isZarr(name) {
		return zarr.WriteArray(name, x, zarr.Options{})
	}
	return npy.WriteFile(name, x)
}

// checkOut returns an error for an output of a kind of file that is not written.
func (t *tool) checkOut() error {
	for _, name := range t.out {
		switch ext := filepath.Ext(name); ext {
		case "", ".npy", ".zarr":
		default:
			return fmt.Errorf("-out %s: arrays are written as .npy or .zarr, not as %s", name, ext)
		}
	}
	return nil
}

// checkReal returns an error for a .npy file of complex numbers, which readArray reads as pairs of floats.
func checkReal(name string) error {
	if isZarr(name) {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := npy.ReadInfo(f); err == nil && info.Complex {
		return fmt.Errorf("%s has complex numbers, and formulas take real ones: save its .real and .imag as two arrays", name)
	}
	return nil
}

// given returns the tensors of inputs, from the files of the command line. If allowed, inputs without a file are made
// up.
func (t *tool) given(inputs []graph.Port, madeUp bool) ([]*graph.Tensor, error) {
	out := make([]*graph.Tensor, len(inputs))
	for _, in := range t.in {
		i := slices.IndexFunc(inputs, func(p graph.Port) bool { return p.Name == in.name })
		if i < 0 && t.captured[in.name].tensor != nil {
			continue // the program has it already
		}
		if i < 0 {
			return nil, fmt.Errorf("there is no input %s: the program has %s", in.name, portList(inputs))
		}
		x, err := readArray(in.file)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	for i, p := range inputs {
		if out[i] == nil {
			out[i] = t.captured[p.Name].tensor
		}
		switch {
		case out[i] != nil:
			if err := fits(p, out[i]); err != nil {
				return nil, err
			}
		case !madeUp:
			return nil, fmt.Errorf("the input %s is missing: add -in %s=file.npy", p, p.Name)
		default:
			x, err := makeUp(p, uint64(i)+1)
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
	}
	return out, nil
}

func portList(ports []graph.Port) string {
	if len(ports) == 0 {
		return "none"
	}
	text := make([]string, len(ports))
	for i, p := range ports {
		text[i] = p.String()
	}
	return strings.Join(text, ", ")
}

// fits checks the type and the known extents of a tensor.
func fits(p graph.Port, x *graph.Tensor) error {
	if x.DType() != p.DType || x.Rank() != len(p.Shape) {
		return fmt.Errorf("input %s is %s, and the file has %s%v", p.Name, typeText(p), x.DType(), x.Shape())
	}
	for k, d := range p.Shape {
		if n, known := d.Int(); known && n != x.Extent(k) {
			return fmt.Errorf("input %s is %s, and the file has %s%v", p.Name, typeText(p), x.DType(), x.Shape())
		}
	}
	return nil
}

// makeUp returns numbers for an input: floats from -1 to 1, integers from 0 to 9, the same in each run.
func makeUp(p graph.Port, seed uint64) (*graph.Tensor, error) {
	shape := make([]int, len(p.Shape))
	for k, d := range p.Shape {
		n, known := d.Int()
		if !known {
			return nil, fmt.Errorf("the input %s has sizes of its own: add -size name=n for each, or -in %s=file.npy", p, p.Name)
		}
		shape[k] = n
	}
	if ir.Floats.Has(p.DType) {
		x := graph.Uniform(p.DType, seed, -1, 1, shape...)
		return x, x.Err()
	}
	x := graph.New(p.DType, shape...)
	if err := x.Err(); err != nil {
		return nil, err
	}
	a := eval.Array{DType: p.DType, Shape: shape, Data: make([]uint64, x.Size())}
	for i := range a.Data {
		a.Data[i] = ir.Mix(seed, uint64(i)) % 10
		if p.DType == ir.Bool {
			a.Data[i] %= 2
		}
	}
	return tensorOf(a), nil
}

// stored returns the bytes of a row-major tensor.
func stored(x *graph.Tensor) []byte {
	return unsafe.Slice((*byte)(x.Pointer()), x.Size()*x.DType().Size())
}

// arrays converts tensors to the form of the definitions.
func arrays(tensors []*graph.Tensor) []eval.Array {
	out := make([]eval.Array, len(tensors))
	for i, x := range tensors {
		out[i] = arrayOf(x)
	}
	return out
}

func arrayOf(x *graph.Tensor) eval.Array {
	return eval.Array{DType: x.DType(), Shape: x.Shape(), Data: slices.Collect(tensor.Words(x))}
}

func tensorOf(a eval.Array) *graph.Tensor { return tensor.OfWords(a.DType, a.Data, a.Shape...) }

// sameArrays reports whether two lists of results have the same bits. All NaNs are equal.
func sameArrays(a, b []eval.Array) bool {
	return slices.EqualFunc(a, b, func(x, y eval.Array) bool {
		return x.DType == y.DType && slices.Equal(x.Shape, y.Shape) && slices.EqualFunc(x.Data, y.Data, func(e, f uint64) bool {
			return e == f || ir.Floats.Has(x.DType) && math.IsNaN(ir.ToFloat(x.DType, e)) && math.IsNaN(ir.ToFloat(x.DType, f))
		})
	})
}
