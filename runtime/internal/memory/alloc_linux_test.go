package memory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGroupRoom(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"memory.max":                         "max\n",
		"app/memory.max":                     "500000\n",
		"app/worker/memory.max":              "700000\n",
		"memory/pod/memory.limit_in_bytes":   "400000\n",
		"memory/memory.limit_in_bytes":       "9223372036854771712\n",
		"memory/pod/a/memory.limit_in_bytes": "not a number\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o644))
	}
	require.EqualValues(t, 500000, groupRoom(root, []byte("0::/app/worker\n")))
	require.EqualValues(t, 400000, groupRoom(root, []byte("4:memory:/pod/a\n0::/\n")))
	require.EqualValues(t, 500000, groupRoom(root, []byte("0::/../app\n")))
	require.Equal(t, unknownMemory, groupRoom(root, []byte("3:cpuset:/app\nnonsense\n\n")))
	require.Equal(t, unknownMemory, groupRoom(root, nil))
}
