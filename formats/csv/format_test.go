package csv_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
)

const prices = `# Preise
Jahr; Preis; Stand
2023; 12,5; 2023-03-01
2024; k. A.; 2024-03-01
`

func ExampleFormat_ReadColumns() {
	german := csv.Format{Delimiter: ';', Decimal: ',', Comment: '#', Missing: []string{"k. A."}}
	t, err := german.ReadColumns(strings.NewReader(prices),
		csv.Column{Name: "Jahr", Type: graph.Int32},
		csv.Column{Name: "Preis", Type: graph.Float64},
		csv.Column{Name: "Stand", Type: graph.Int64, Time: time.DateOnly})
	fmt.Println(t[0], t[1], t[2], err)
	// Output:
	// int32[2]
	// [2023 2024] float64[2]
	// [12.5  nan] int64[2]
	// [1677628800 1709251200] <nil>
}

// TestFormats writes random numbers in a random format, and reads them.
func TestFormats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := csv.Format{
			Delimiter: rapid.SampledFrom([]rune{0, ',', ';', '\t', '|'}).Draw(t, "delimiter"),
			Decimal:   rapid.SampledFrom([]rune{0, '.', ','}).Draw(t, "decimal"),
			Comment:   rapid.SampledFrom([]rune{0, '#', '%'}).Draw(t, "comment"),
			Missing:   rapid.SampledFrom([][]string{nil, {"NA"}, {"-", "k. A."}}).Draw(t, "missing"),
			Unnamed:   rapid.Bool().Draw(t, "unnamed"),
		}
		delimiter, decimal := ",", "."
		if f.Delimiter != 0 {
			delimiter = string(f.Delimiter)
		}
		if f.Decimal != 0 {
			decimal = string(f.Decimal)
		}
		rows, columns := rapid.IntRange(0, 4).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
		var text strings.Builder
		text.WriteString(rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark"))
		if f.Comment != 0 {
			fmt.Fprintf(&text, "%c no %s record\n", f.Comment, delimiter)
		}
		if !f.Unnamed {
			text.WriteString(strings.Join([]string{"a", "b", "c"}[:columns], delimiter) + "\n")
		}
		want := make([][]float64, columns)
		for range rows {
			for c := range columns {
				v := rapid.Float64().Draw(t, "number")
				cell := strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), ".", decimal, 1)
				switch word := rapid.SampledFrom(append(f.Missing, "", `""`, "nan", "-NaN", "+nan")).Draw(t, "word"); {
				case word == "":
				case rapid.Bool().Draw(t, "missing here"):
					v, cell = math.NaN(), word
				}
				if decimal == "," && delimiter == "," {
					cell = strconv.Quote(cell)
				}
				want[c] = append(want[c], v)
				if c > 0 {
					text.WriteString(delimiter)
				}
				text.WriteString(cell)
			}
			text.WriteString("\n")
		}
		list := make([]csv.Column, columns)
		for i := range list {
			list[i] = csv.Column{Name: "abc"[i : i+1], Type: graph.Float64}
			if f.Unnamed {
				list[i].Name = strconv.Itoa(i + 1)
			}
		}
		got, err := f.ReadColumns(strings.NewReader(text.String()), list...)
		if delimiter == decimal {
			require.ErrorContains(t, err, "csv: Delimiter and Decimal are both ','")
			return
		}
		if f.Unnamed && rows == 0 {
			require.ErrorContains(t, err, "csv: no column has the number")
			return
		}
		require.NoError(t, err, text.String())
		for i := range list {
			require.True(t, graph.Equal(graph.Of(want[i], rows), got[i]), "%s\n%v\n%v", text.String(), want[i], got[i])
		}
	})
}

// TestMistakes lists what people meet, with the advice they get.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"a;b\n1;2\n": `csv: line 2, column 1 (a;b): "1;2" is no float32: if ';' is between cells, read the file with csv.Format{Delimiter: ';'}`,
		"a\nNA\n":    `csv: line 2, column 1 (a): "NA" is no float32: a missing number is an empty cell or nan, or with csv.Format{Missing: []string{"NA"}} this word; words are read with encoding/csv, and as keys of GroupBy they are numbers from a map of the words`,
		"# by x\na,b\n1,2\n": "csv: line 2 ends with column 2, which begins at character 3: the record before has 1 columns" +
			": if lines with # are comments, read the file with csv.Format{Comment: '#'}",
		"version https://git-lfs.github.com/spec/v1\n": "csv: the file is a pointer of git-lfs, not the data: run git lfs pull",
		"\n <!DOCTYPE HTML><html>":                     "csv: the file is an HTML page: a download ended at a page, such as a login",
		"PK\x03\x04abc":                                "csv: the file is a zip archive (.npz, .zip, .xlsx, a PyTorch model): unpack it; package npy reads .npz",
		"\xff\xfea\x00":                                "csv: the file is text in UTF-16: convert it to UTF-8",
	} {
		_, err := csv.Read(strings.NewReader(text), graph.Float32)
		require.EqualError(t, err, want)
	}
	x, err := csv.ReadUnnamed(strings.NewReader("\ufeff1,2\n3,-nan\n"), graph.Float32)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float32{1, 2, 3, float32(math.NaN())}, 2, 2), x))
	x, err = csv.ReadUnnamed(strings.NewReader(""), graph.Float32)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, x.Shape())
}

// TestTimes reads times as seconds.
func TestTimes(t *testing.T) {
	const text = "t\n1969-12-31T23:59:59.5Z\n2106-02-07T06:28:16+00:00\n"
	read := func(dt graph.DType) (*graph.Tensor, error) {
		all, err := csv.ReadColumns(strings.NewReader(text), csv.Column{Name: "t", Type: dt, Time: time.RFC3339Nano})
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	x, err := read(graph.Float64)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float64{-.5, 1 << 32}), x), x)
	x, err = read(graph.Int64)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]int64{-1, 1 << 32}), x), x)
	_, err = read(graph.Int32)
	require.EqualError(t, err, `csv: line 3, column 1 (t): "2106-02-07T06:28:16+00:00" is beyond the range of int32`)
	_, err = read(graph.Uint64)
	require.EqualError(t, err, `csv: line 2, column 1 (t): "1969-12-31T23:59:59.5Z" is beyond the range of uint64`)
	_, err = read(graph.Float32)
	require.EqualError(t, err, "csv: column t: times are seconds, which float32 can't hold: read float64, or an integer of 32 or 64 bits")
	_, err = csv.ReadColumns(strings.NewReader("t\n1.3.2024\n"), csv.Column{Name: "t", Type: graph.Int64, Time: time.DateOnly})
	require.EqualError(t, err, `csv: line 2, column 1 (t): "1.3.2024" is no time in the layout "2006-01-02"`)
}

// TestMissingIntegers names the type that has missing numbers.
func TestMissingIntegers(t *testing.T) {
	f := csv.Format{Missing: []string{"NA"}}
	for _, layout := range []string{"", time.DateOnly} {
		for cell, want := range map[string]string{
			`""`: "csv: line 2, column 1 (t) is empty, which no int64 is: read float64, in which it is NaN",
			"NA": `csv: line 2, column 1 (t): "NA" is a missing number, which no int64 is: read float64, in which it is NaN`,
		} {
			_, err := f.ReadColumns(strings.NewReader("t\n"+cell+"\n"), csv.Column{Name: "t", Type: graph.Int64, Time: layout})
			require.EqualError(t, err, want)
		}
	}
	_, err := f.Read(strings.NewReader("t\nNA\n"), graph.Bool)
	require.EqualError(t, err, `csv: line 2, column 1 (t): "NA" is a missing number, which no bool is`)
}

// TestNumerals lists numbers of other formats and of Go, and a reader that is nil.
func TestNumerals(t *testing.T) {
	german := csv.Format{Delimiter: ';', Decimal: ','}
	for _, cell := range []string{"1.234,5", "1.5"} {
		_, err := german.Read(strings.NewReader("a\n"+cell+"\n"), graph.Float64)
		require.EqualError(t, err, `csv: line 2, column 1 (a): "`+cell+`" is no float64: the decimal mark is ',', and thousands separators are not read`)
	}
	for _, cell := range []string{"0x1p3", "-0X1P-2"} {
		_, err := csv.Read(strings.NewReader("a\n"+cell+"\n"), graph.Float64)
		require.ErrorContains(t, err, "is no float64")
	}
	x, err := csv.Read(strings.NewReader("a,b\ninf,-Infinity\n"), graph.Float64)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float64{math.Inf(1), math.Inf(-1)}, 1, 2), x))
	_, err = csv.Read(nil, graph.Float32)
	require.EqualError(t, err, "csv: the reader is nil")
}

// TestZones shows the rule of time.Parse for abbreviations of zones.
func TestZones(t *testing.T) {
	x, err := csv.ReadColumns(strings.NewReader("t\n02 Jan 70 00:00 XYZ\n"), csv.Column{Name: "t", Type: graph.Int64, Time: time.RFC822})
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]int64{86400}), x[0]))
}
