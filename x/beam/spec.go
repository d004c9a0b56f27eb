package beam

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/stream"
)

// Spec is a job in the form that is sent to workers: plain data.
type Spec struct {
	Program   string            // text of the program's function
	Inputs    map[string]Ref    // arrays, by the names of inputs
	Constants map[string][]byte // captured tensors, as .npy
	Outputs   map[string]Ref    // arrays for all outputs, by their names
	Size      string            // as in stream.Job
	Rows      int
	Memory    int
}

// Kind is the kind of array that a Ref names.
type Kind string

// The kinds of arrays.
const (
	File   Kind = "npy"    // a .npy file
	Folder Kind = "folder" // a folder of .npy files
	Zarr   Kind = "zarr"
)

// Ref names an array. Chunks and Gzip say how a new Zarr array is stored.
type Ref struct {
	Kind   Kind
	Path   string
	Chunks []int
	Gzip   int // level; 0 means not compressed
}

// NewSpec returns the job of a program on arrays, by the names of its inputs and outputs. It may be changed before it
// runs.
func NewSpec(p *graph.Program, inputs, outputs map[string]Ref) (*Spec, error) {
	f, captured := p.Func()
	if f == nil {
		return nil, fmt.Errorf("beam: there is no program")
	}
	s := &Spec{Program: f.String(), Inputs: maps.Clone(inputs), Constants: map[string][]byte{}, Outputs: map[string]Ref{}}
	for i, t := range captured {
		var b bytes.Buffer
		if err := npy.Write(&b, t); err != nil {
			return nil, fmt.Errorf("beam: %w", err)
		}
		s.Constants[f.Params[len(f.Params)-len(captured)+i].Name()] = b.Bytes()
	}
	for _, out := range p.Outputs() {
		r, ok := outputs[out.Name]
		if !ok {
			return nil, fmt.Errorf("beam: output %s has no Ref", out)
		}
		s.Outputs[out.Name] = r
	}
	return s, nil
}

// tasks verifies the program and returns the job on this machine.
func (s *Spec) tasks(ctx context.Context) (*stream.Tasks, error) {
	f, err := ir.Parse(s.Program)
	if err != nil {
		return nil, fmt.Errorf("beam: the program: %w", err)
	}
	p, err := graph.CompileFunc(f)
	if err != nil {
		return nil, fmt.Errorf("beam: the program: %w", err)
	}
	j := stream.Job{
		Program: p, Inputs: map[string]stream.Source{}, Outputs: map[string]stream.Sink{},
		Size: s.Size, Rows: s.Rows, Memory: s.Memory,
	}
	for name, r := range s.Inputs {
		if j.Inputs[name], err = r.source(); err != nil {
			return nil, fmt.Errorf("beam: input %s: %w", name, err)
		}
	}
	for name, data := range s.Constants {
		t, err := npy.Read(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("beam: constant %s: %w", name, err)
		}
		j.Inputs[name] = stream.Memory(t)
	}
	for name, r := range s.Outputs {
		if j.Outputs[name], err = r.sink(); err != nil {
			return nil, fmt.Errorf("beam: output %s: %w", name, err)
		}
	}
	return j.Tasks(ctx)
}

func (r Ref) source() (stream.Source, error) {
	switch r.Kind {
	case File:
		return stream.File(r.Path), nil
	case Folder:
		return stream.Folder(r.Path), nil
	case Zarr:
		return zarr.From(r.Path), nil
	}
	return nil, r.unknown()
}

func (r Ref) sink() (stream.Sink, error) {
	switch r.Kind {
	case File:
		return stream.NewFile(r.Path), nil
	case Folder:
		return stream.NewFolder(r.Path), nil
	case Zarr:
		o := zarr.Options{Chunks: r.Chunks}
		if r.Gzip > 0 {
			o.Codecs = []zarr.Codec{zarr.Gzip(r.Gzip)}
		}
		return zarr.To(r.Path, o), nil
	}
	return nil, r.unknown()
}

func (r Ref) unknown() error {
	return fmt.Errorf("arrays of kind %q are not known: %v are", r.Kind, slices.Sorted(slices.Values([]Kind{File, Folder, Zarr})))
}

// Rechunk returns a job that copies an array, to chunks of another shape or to another kind.
func Rechunk(from, to Ref) (*Spec, error) {
	src, err := from.source()
	if err != nil {
		return nil, fmt.Errorf("beam: %w", err)
	}
	defer src.Close()
	dt, shape, err := src.Open()
	if err != nil {
		return nil, fmt.Errorf("beam: %w", err)
	}
	if len(shape) == 0 {
		return nil, fmt.Errorf("beam: %s: a scalar has no rows", from.Path)
	}
	extents := []any{graph.Dim("n")}
	for _, n := range shape[1:] {
		extents = append(extents, n)
	}
	p, err := graph.Compile(graph.Output("copy", graph.Input("x", dt, extents...)))
	if err != nil {
		return nil, fmt.Errorf("beam: %w", err)
	}
	return NewSpec(p, map[string]Ref{"x": from}, map[string]Ref{"copy": to})
}
