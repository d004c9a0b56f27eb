package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Write writes tensors and texts. Tensors are ordered by decreasing element size and then by name: this aligns all
// elements, and makes the bytes depend only on the arguments. Views that are not row-major are copied first.
func Write(w io.Writer, tensors map[string]*graph.Tensor, metadata map[string]string) error {
	names := slices.Collect(maps.Keys(tensors))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(tensors[b].DType().Size()-tensors[a].DType().Size(), cmp.Compare(a, b))
	})
	head, err := headerOf(names, tensors, metadata)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, name := range names {
		if err := binfile.Write(w, tensors[name]); err != nil {
			return err
		}
	}
	return nil
}

// headerOf returns the bytes before the data, a multiple of 8.
func headerOf(names []string, tensors map[string]*graph.Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	end := 0
	put := func(name string, v any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", key, text)
		return nil
	}
	if len(metadata) > 0 {
		if err := put(metadataKey, metadata); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		t := tensors[name]
		if err := t.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		dtype, ok := nameOf(t.DType())
		if !ok || name == metadataKey {
			return nil, fmt.Errorf("%q: a tensor of %s can't be written under that name", name, t.DType())
		}
		start := end
		end += t.Bytes()
		if err := put(name, entry{dtype, t.Shape(), []int{start, end}}); err != nil {
			return nil, err
		}
	}
	text := "{" + b.String() + "}"
	text += strings.Repeat(" ", -len(text)&7)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), nil
}

// nameOf returns the format's name of an element type.
func nameOf(dt graph.DType) (string, bool) {
	for name, d := range dtypes {
		if d == dt {
			return name, true
		}
	}
	return "", false
}

// WriteFile writes a file. An existing file stays until the new one is complete, so the tensors may come from it.
func WriteFile(name string, tensors map[string]*graph.Tensor, metadata map[string]string) error {
	return binfile.Save(name, func(w io.Writer) error { return Write(w, tensors, metadata) })
}
