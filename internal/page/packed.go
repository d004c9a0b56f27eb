package page

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
)

// mostPlain is how many bytes of a page are plain text, which people read as source and every
// browser shows. A larger page is compressed: that of 1,000 operations has some megabytes,
// most of which repeat.
const mostPlain = 1_000_000

//go:embed unpack.js
var unpack string

// packed returns a body in base64 of deflate, which unpack.js replaces by what it was.
func packed(body string) string {
	var b bytes.Buffer
	b.WriteString("<p id=\"packed-note\">This page unpacks itself: it needs a browser of 2023 or later, with scripts.</p>\n<script type=\"text/plain\" id=\"packed\">")
	text := base64.NewEncoder(base64.StdEncoding, &b)
	z, err := flate.NewWriter(text, flate.BestCompression)
	if err != nil {
		panic("BUG: page: " + err.Error()) // no such level
	}
	z.Write([]byte(body)) // a bytes.Buffer takes all
	z.Close()
	text.Close()
	b.WriteString("</script>\n")
	return b.String()
}
