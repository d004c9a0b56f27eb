package progress

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPhases reads the line of the phase that runs when the first one is due.
func TestPhases(t *testing.T) {
	r, w := io.Pipe()
	p := begin(w, "one", time.Hour)
	p.Phase("%d kernels", 3)
	require.NotPanics(t, p.Stop)
	q := begin(w, "two", time.Nanosecond)
	line := make([]byte, 100)
	n, err := r.Read(line)
	require.NoError(t, err)
	require.Equal(t, "two, 0s so far\n", string(line[:n]))
	q.Stop()
}
