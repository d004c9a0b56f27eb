package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	got, err := Read(strings.NewReader("a,b,kind\n1,2.5,x\n3,-4,y\n"), "t.csv")
	require.NoError(t, err)
	require.Equal(t, &Table{Header: []string{"a", "b"}, Rows: 2, Cols: 2, Data: []float32{1, 2.5, 3, -4}}, got)
	got, err = Read(strings.NewReader("1,2\n3,4\n"), "t.csv")
	require.NoError(t, err)
	require.Nil(t, got.Header)
	require.Equal(t, 2, got.Rows)
}

func TestReadErrors(t *testing.T) {
	cases := map[string]string{
		"":                     "t.csv: no rows of numbers",
		"a,b\n":                "t.csv: no rows of numbers",
		"1,2\n3,\n":            "t.csv:2: column 2: a hole: fill the value in or drop the row",
		"1,,2\n3,4,5\n":        "t.csv:1: column 2: a hole: fill the value in or drop the row",
		"a,b\n1,2\nNA,3\n":     "t.csv:3: column 1: a hole: fill the value in or drop the row",
		"1,2\n3\n":             "t.csv:2: 1 fields, the lines before have 2",
		"1,2\nx,3\n":           `t.csv:2: column 1: "x" is no number`,
		"1,\"2\n":              `t.csv: parse error on line 1, column 6: extraneous or missing " in quoted-field`,
		"1,2\n1e999,3\n":       `t.csv:2: column 1: 1e999 is past float32`,
		"h\n\"unterminated,\n": "t.csv: parse error on line 2",
	}
	cases["\ufeff1,2\n3,x\n"] = `t.csv:2: column 2: "x" is no number`
	cases["1,x,2\n3,4,5\n"] = `t.csv:1: column 2: "x" is no number`
	cases["1;2\n3;4\n"] = "no column holds a number: fields are separated by commas"
	cases["1,2\n\n\n3,\n"] = "t.csv:4: column 2: a hole"
	cases["1,nan\n3,4\n"] = "t.csv:1: column 2: nan is no finite number"
	for text, want := range cases {
		_, err := Read(strings.NewReader(text), "t.csv")
		require.ErrorContains(t, err, want, "%q", text)
	}
}
