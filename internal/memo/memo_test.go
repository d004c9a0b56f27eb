package memo

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMap loads and stores from several goroutines.
func TestMap(t *testing.T) {
	var m Map
	_, ok := m.Load(1)
	require.False(t, ok)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 100 {
				m.Store(i, -i)
				if value, ok := m.Load(i); !ok || value != -i {
					t.Errorf("goroutine %d: key %d has %v", g, i, value)
				}
			}
		})
	}
	all.Wait()
}
