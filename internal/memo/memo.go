// Package memo remembers values that were computed once, for all goroutines.
package memo

import "sync"

// Map has values by key. It is not a sync.Map, in which is a generic type that the compiler makes anew for
// each package with such a variable, 15 KB each time.
type Map struct {
	mutex  sync.RWMutex
	values map[any]any
}

// Load returns the value of a key, if there is one.
func (m *Map) Load(key any) (value any, ok bool) {
	m.mutex.RLock()
	value, ok = m.values[key]
	m.mutex.RUnlock()
	return value, ok
}

// Store sets the value of a key.
func (m *Map) Store(key, value any) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.values == nil {
		m.values = map[any]any{}
	}
	m.values[key] = value
}
