package main

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	var out strings.Builder
	var picture bytes.Buffer
	require.NoError(t, run(&out, &picture))
	require.Equal(t, `196 of 200 digits are read right
digit 6 is read as 6, with scores 6: 100%
digit 1 is read as 1, with scores 1: 100%
digit 4 is read as 4, with scores 4: 100%
digit 9 is read as 9, with scores 9: 100%
digit 1 is read as 1, with scores 1: 100%
digit 3 is read as 3, with scores 3: 100%
digit 8 is read as 8, with scores 3: 2%, 8: 97%
digit 2 is read as 2, with scores 2: 100%
`, out.String())
	img, err := png.Decode(&picture)
	require.NoError(t, err)
	require.Equal(t, 800, img.Bounds().Dx())
	require.Equal(t, 200, img.Bounds().Dy())
}
