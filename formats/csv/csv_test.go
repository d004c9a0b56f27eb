package csv_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
)

const people = `name, height, weight
Ada, 1.65, 55
"Ben, junior", 1.8, 80
Cem, , 70
`

func ExampleRead() {
	x, err := csv.Read(strings.NewReader(people), graph.Float32, "weight", "height")
	fmt.Println(x, err)
	_, err = csv.Read(strings.NewReader(people), graph.Int32, "height")
	fmt.Println(err)
	// Output:
	// float32[3,2]
	// [[55.    1.65]
	//  [80.    1.8 ]
	//  [70.     nan]] <nil>
	// csv: line 2, column 2 (height): " 1.65" is no int32: read float64
}

// TestTypes reads the greatest number of each type, and the one after it.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		dt             graph.DType
		greatest, next string
	}{
		{graph.Bool, "true", "2"},
		{graph.Uint8, "255", "256"},
		{graph.Uint16, "65535", "65536"},
		{graph.Uint32, "4294967295", "4294967296"},
		{graph.Uint64, "18446744073709551615", "18446744073709551616"},
		{graph.Int8, "127", "128"},
		{graph.Int16, "32767", "32768"},
		{graph.Int32, "2147483647", "2147483648"},
		{graph.Int64, "9223372036854775807", "9223372036854775808"},
		{graph.Float32, "3.4028235e38", "3.5e38"},
		{graph.Float64, fmt.Sprint(math.MaxFloat64), "2e308"},
	} {
		x, err := csv.ReadUnnamed(strings.NewReader("1,0\n"+c.greatest+",1\n"), c.dt)
		require.NoError(t, err)
		require.Equal(t, c.dt, x.DType())
		require.Equal(t, []int{2, 2}, x.Shape())
		v, err := x.At(1, 0)
		require.NoError(t, err)
		require.Equal(t, c.greatest, strings.ReplaceAll(fmt.Sprint(v), "e+38", "e38"))
		_, err = csv.ReadUnnamed(strings.NewReader("1,0\n1,"+c.next+"\n"), c.dt)
		require.ErrorContains(t, err, "csv: line 2, column 2: \""+c.next+"\" is ")
	}
}

// TestErrors lists messages.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                "csv: the file is empty: it has no record with the names of columns",
		"a,a\n1,2\n":      `csv: several columns are called "a": read all columns, and take some`,
		"b\n1\n":          `csv: no column is called "a": there are ["b"]`,
		"a,b\n1\n":        "csv: line 2 ends with column 1, which begins at character 1: the record before has 2 columns",
		"a,b\n1,2\n,2\n":  "csv: line 3, column 1 (a) is empty, which no int64 is: read float64, in which it is NaN",
		"a\n\"\nx\"\n":    `csv: line 2, column 1 (a): "\nx" is no int64: words are read with encoding/csv, and as keys of GroupBy they are numbers from a map of the words`,
		"a\n1\n\n\nx y\n": `csv: line 5, column 1 (a): "x y" is no int64: words are read with encoding/csv, and as keys of GroupBy they are numbers from a map of the words`,
	} {
		_, err := csv.Read(strings.NewReader(text), graph.Int64, "a")
		require.EqualError(t, err, want, text)
	}
	_, err := csv.Read(strings.NewReader("a\n1_000\n"), graph.Float32)
	require.EqualError(t, err, `csv: line 2, column 1 (a): "1_000" is no float32: a cell has one number, without a unit, such as -1.5e3`)
	for cell, hint := range map[string]string{
		`"12,5"`:    ": if a comma is the decimal mark, read the file with csv.Format{Decimal: ','}, and if it separates thousands, remove it",
		`"1,234.5"`: ": the decimal mark is '.', and thousands separators are not read",
		"12 kg":     ": a cell has one number, without a unit, such as -1.5e3",
		"none":      `: a missing number is an empty cell or nan, or with csv.Format{Missing: []string{"none"}} this word; words are read with encoding/csv, and as keys of GroupBy they are numbers from a map of the words`,
	} {
		_, err := csv.Read(strings.NewReader("a\n"+cell+"\n"), graph.Float64)
		require.EqualError(t, err, fmt.Sprintf("csv: line 2, column 1 (a): %q is no float64%s", strings.Trim(cell, `"`), hint))
	}
	_, err = csv.Read(strings.NewReader("a\n1.5\n"), graph.Int32)
	require.EqualError(t, err, `csv: line 2, column 1 (a): "1.5" is no int32: read float64`)
	_, err = csv.Read(strings.NewReader("a\nyes\n"), graph.Bool)
	require.EqualError(t, err, `csv: line 2, column 1 (a): "yes" is no bool: a bool is true, t, 1, false, f or 0`)
	_, err = csv.Read(strings.NewReader("1,2\n3,4\n"), graph.Float64, "a")
	require.EqualError(t, err, `csv: no column is called "a": there are ["1" "2"]: if these are numbers, not names, read the file with csv.Format{Unnamed: true}`)
	_, err = csv.Read(strings.NewReader("a\n1\n"), graph.Float16)
	require.EqualError(t, err, "csv: columns of float16 are not read: read another type, and Cast it")
	_, err = csv.ReadColumns(strings.NewReader("a\n1\n"), csv.Column{Name: "a"})
	require.EqualError(t, err, "csv: column a has no Type")
	x, err := csv.Read(strings.NewReader("\ufeffa,b\n"), graph.Float32)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, x.Shape())
}
