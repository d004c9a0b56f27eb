package onnx

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/graph"
)

// cache keeps the parts that were used last, by key. Its zero value is empty. Any number of goroutines may use it.
type cache struct {
	mu   sync.Mutex
	kept []*kept // the latest one last
	most int     // the number of parts to keep, 0 for mostKept
}

// mostFor returns the number of parts to keep of a model.
func mostFor(m *model) int {
	bytes := 1
	for _, t := range m.body.constants {
		bytes = min(bytes+t.Bytes(), mostKeptBytes)
	}
	return min(max(mostKeptBytes/bytes, 2), mostKept)
}

// kept is a part that one goroutine builds, while others wait.
type kept struct {
	key   string
	mu    sync.Mutex // of the goroutine that builds
	part  *part      // nil until it is built
	built bool       // part is set; the cache's mutex guards this
}

// mostKept is the number of parts that a cache keeps, if their weights are small. Each part has its own layout of the
// weights, and together they may have mostKeptBytes, but always two parts are kept.
const (
	mostKept      = 16
	mostKeptBytes = 1 << 30
)

// get returns the part of a key, and builds it if necessary. Nothing is kept of an error or a panic.
func (c *cache) get(key string, build func() (*part, error)) (*part, error) {
	c.mu.Lock()
	k := &kept{key: key}
	if i := c.index(key); i >= 0 {
		k = c.kept[i]
		c.kept = slices.Delete(c.kept, i, i+1)
	}
	c.kept = append(c.kept, k)
	if len(c.kept) > cmp.Or(c.most, mostKept) {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
	c.mu.Unlock()
	built := false // stays false if build panics
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if k.built = built; !built {
			c.kept = slices.DeleteFunc(c.kept, func(other *kept) bool { return other == k })
		}
	}()
	p, err := k.get(build)
	built = err == nil
	return p, err
}

// get returns the part, and builds it if no goroutine has. It is not a sync.Once, whose frame would hide the line that
// runs the model.
func (k *kept) get(build func() (*part, error)) (p *part, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.part == nil {
		k.part, err = build()
	}
	return k.part, err
}

func (c *cache) index(key string) int {
	return slices.IndexFunc(c.kept, func(k *kept) bool { return k.key == key })
}

// hasShapes reports whether the cache has a part for the shapes of tensors, or one is being built.
func (c *cache) hasShapes(ins []*graph.Tensor) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept) > 0 && c.index(shapesKey(ins)) >= 0
}

// latest returns the part that was used last, or nil.
func (c *cache) latest() *part {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range slices.Backward(c.kept) {
		if k.built {
			return k.part
		}
	}
	return nil
}

// shapesKey is a key for the shapes of tensors.
func shapesKey(ins []*graph.Tensor) string {
	var key []byte
	for _, t := range ins {
		key = binary.AppendUvarint(key, uint64(t.Rank()))
		for k := range t.Rank() {
			key = binary.AppendUvarint(key, uint64(t.Extent(k)))
		}
	}
	return string(key)
}

// answersKey is a key for the types, shapes and elements of tensors.
func answersKey(answers []*graph.Tensor) (string, error) {
	key := []byte(shapesKey(answers))
	for _, t := range answers {
		bytes, err := graph.Data[uint8](t.Flatten().Contiguous().Bitcast(graph.Uint8))
		if err != nil {
			return "", err
		}
		key = append(append(key, byte(t.DType())), bytes...)
	}
	return string(key), nil
}
