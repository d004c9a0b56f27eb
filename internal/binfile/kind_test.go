package binfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/internal/binfile"
)

// TestKind names files by their beginnings, and no others.
func TestKind(t *testing.T) {
	for head, want := range map[string]string{
		"": "", "a,b\n1,2\n": "", "PK": "", "<": "", "version 2": "", "\x80\x06": "",
		"\x80\x04\x95": "a pickle of Python", "PK\x03\x04": "a zip archive", "\xef\xbb\xbf\n<HTML>": "an HTML page",
		"version https://git-lfs.github.com/spec/v1\noid": "a pointer of git-lfs", "\x1f\x8b\x08": "compressed by gzip", "PAR1\x15": "a Parquet file",
	} {
		got := binfile.Kind([]byte(head))
		require.True(t, strings.HasPrefix(got, want) && (got == "") == (want == ""), "%q: %q", head, got)
	}
}
