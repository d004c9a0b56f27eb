package page

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
)

// mostPlain is the most bytes of a page that stay plain text, readable as source and shown by every browser. A larger
// page is compressed: 1,000 operations take some megabytes of mostly repeated text.
const mostPlain = 1_000_000

//go:embed unpack.js
var unpack string

// packed returns a body as base64 of deflate, which unpack.js restores.
func packed(body string) string {
	var b bytes.Buffer
	b.WriteString("<p id=\"packed-note\">This page unpacks itself: it needs a browser of 2023 or later, with scripts.</p>\n<script type=\"text/plain\" id=\"packed\">")
	text := base64.NewEncoder(base64.StdEncoding, &b)
	z, err := flate.NewWriter(text, flate.BestCompression)
	if err != nil {
		panic("BUG: page: " + err.Error()) // only for an invalid level
	}
	z.Write([]byte(body)) // a bytes.Buffer never fails
	z.Close()
	text.Close()
	b.WriteString("</script>\n")
	return b.String()
}
