package page

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPacked unpacks a large page, and finds a small one as it is.
func TestPacked(t *testing.T) {
	p := &Page{Name: "<p>", Graph: &Picture{Name: "g"}}
	write := func() string {
		var b strings.Builder
		require.NoError(t, p.Write(&b))
		return b.String()
	}
	require.Contains(t, write(), "<header><h1>&lt;p&gt;")
	for i := range 40_000 {
		p.Values = append(p.Values, Value{Text: fmt.Sprintf("%%%d = add %%%d : f32[%d]", i, i/2, i)})
	}
	text := write()
	require.NotContains(t, text, "<header>")
	_, text, _ = strings.Cut(text, `id="packed">`)
	text, _, _ = strings.Cut(text, "<")
	body, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))))
	require.NoError(t, err)
	var want bytes.Buffer
	p.body(&want)
	require.Equal(t, want.String(), string(body))
	require.Greater(t, len(body), 3*len(text))
}
