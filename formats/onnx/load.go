package onnx

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// Load reads a model from a file and compiles it. The error lists all operators that are not supported (see
// UnsupportedError), and all nodes that can't be built.
func Load(path string, options ...Option) (*Program, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := load(data, path, options)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", path, err)
	}
	return p, nil
}

// Parse compiles the model in data, such as an embedded file. The program keeps data, which must not be changed. A
// tensor in another file is an error.
func Parse(data []byte, options ...Option) (*Program, error) {
	p, err := load(data, "", options)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return p, nil
}

// load compiles the model in data; path is its file, or empty.
func load(data []byte, path string, options []Option) (*Program, error) {
	folder := ""
	if path != "" {
		folder = filepath.Dir(path)
	}
	m, err := parse(data, folder)
	if err != nil {
		return nil, err
	}
	m.file = filepath.Base(cmp.Or(path, "model"))
	return compile(m, newSettings(options))
}

// parse reads a model, whose inputs must be tensors of known types and numbers of axes.
func parse(data []byte, folder string) (*model, error) {
	d := decoder{externalFiles{folder}, newVocabulary()}
	m, err := d.model(data)
	if err != nil {
		return nil, err
	}
	for i, in := range m.body.inputs {
		switch {
		case in.dtype == 0:
			return nil, fmt.Errorf("input %q: its type is no tensor or has elements of type %s, which is not supported", in.name, codeText(in.code))
		case !in.shaped:
			return nil, fmt.Errorf("input %q: the number of its axes is not known", in.name)
		}
		for k, dim := range in.dims {
			if n, ok := dim.(int); ok && n < 0 {
				m.body.inputs[i].dims[k] = ""
			}
		}
	}
	return m, nil
}
