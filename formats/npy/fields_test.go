package npy_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// TestFields reads NumPy's records: aligned, with a title, an array, a record and an empty array as fields.
func TestFields(t *testing.T) {
	want := map[string]*graph.Tensor{
		"a":    graph.Of([]bool{false, true, false, true, false, true}, 2, 3),
		"b":    counted(graph.Int32),
		"pair": graph.Of([]float32{0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3, 4, 0, 0, 4, 5, 0, 0, 5}, 2, 3, 2, 2),
		"at.x": graph.Of([]float32{.5, 1.5, 2.5, 3.5, 4.5, 5.5}, 2, 3),
		"at.y": graph.Of([]float64{-0, -1, -2, -3, -4, -5}, 2, 3),
		"none": graph.New(graph.Float32, 2, 3, 0),
	}
	for _, name := range []string{"record", "record_fortran"} {
		data, err := os.ReadFile(file(name))
		require.NoError(t, err)
		got, err := npy.ReadFields(bytes.NewReader(data))
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for field, w := range want {
			require.True(t, graph.Equal(w, got[field]), "%s: %s\n%s", name, field, got[field])
		}
	}
}

// TestFieldErrors lists the messages for records that can't be read.
func TestFieldErrors(t *testing.T) {
	_, err := npy.ReadFile(file("record"))
	require.EqualError(t, err, "npy: testdata/record.npy: the elements are records: read the fields by ReadFields")
	_, err = npy.Open(file("record"))
	require.EqualError(t, err, "npy: testdata/record.npy: the elements are records: read the fields by ReadFields")
	for fields, want := range map[string]string{
		"'<f4'":                        "the elements are float32, not records: use Read",
		"[]":                           "",
		"[('a', '<U3')]":               `elements of type "<U3" are not read`,
		"[('a', '|O')]":                `elements of type "|O" are not read`,
		"[('a', '<f4'), ('a', '<f4')]": `two fields have the name "a"`,
		"[('a', '<f4', (1048576,))]":   "a record of more than 1048576 bytes",
		"[('a', '<f4', (99999999999999999999,))]":             "the extent 99999999999999999999 passes int",
		fmt.Sprintf("[('a', '<f8', (4, %d))]", math.MaxInt/4): `the field "a" has the shape`,
		"[('', '|V-1')]":                "a field without a name",
		"[('', '|V4xyz')]":              `a field without a name of type "|V4xyz"`,
		"[('', '|V+4')]":                "a field without a name",
		"[('', 'V4')]":                  "a field without a name",
		"[('a', [('b', '<f4')], (2,))]": `the field "a" is an array of records`,
		"[('a', '<f4') ('b', '<f4')]":   `"]" expected`,
		"[('a', [('a', [('a', [('a', [('a', [('a', [('a', [('a', [('a', '<f4')])])])])])])])])]": "at most 8 are read",
	} {
		for _, shape := range []string{"(2,)", "(268435455,)"} {
			got, err := npy.ReadFields(bytes.NewReader(withHeader("{'descr': " + fields + ", 'fortran_order': False, 'shape': " + shape + ", }")))
			if want == "" {
				require.NoError(t, err)
				require.Empty(t, got)
				continue
			}
			require.ErrorContains(t, err, want, fields)
		}
	}
	_, err = npy.ReadFields(bytes.NewReader(withHeader(fmt.Sprintf("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (%d,), }", math.MaxInt/4))))
	require.ErrorContains(t, err, "pass")
	got, err := npy.ReadFields(bytes.NewReader(withHeader("{'descr': [('a', '<f8', (0,))], 'fortran_order': False, 'shape': (1073741824,), }")))
	require.NoError(t, err)
	require.Equal(t, []int{1 << 30, 0}, got["a"].Shape())
}
