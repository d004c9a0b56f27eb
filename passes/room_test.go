package passes

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes/form"
)

// TestStatesAreEmpty checks that reused memory contains nothing of the last graph, and that a plan does not refer to
// it.
func TestStatesAreEmpty(t *testing.T) {
	texts := []string{
		`func f(%x: f32[1000], %y: f32[1000]) {
  %0 = mul %x, %y : f32[1000]
  %1 = add %0, %x : f32[1000]
  return %1
}`, `func f(%x: f32[64,128]) {
  %0 = sum %x axes=[1]       : f32[64]
  %1 = unsqueeze %0 axes=[1] : f32[64,1]
  %2 = sub %x, %1            : f32[64,128]
  return %2
}`, `func f(%x: f32[100,50]) {
  %0 = cumsum %x axis=1 : f32[100,50]
  %1 = neg %0           : f32[100,50]
  return %1
}`,
	}
	plans := make([]string, len(texts))
	for range 3 {
		for i, text := range texts {
			f := parse(t, text)
			p, err := Lower(f, Options{Verify: true})
			require.NoError(t, err)
			if plans[i] == "" {
				plans[i] = p.String()
			}
			require.Equal(t, plans[i], p.String())
			s := form.NewState()
			for _, of := range []string{"Pass", "Whole", "groupLists", "made"} {
				requireZeros(t, reflect.ValueOf(s).Elem().FieldByName(of), of)
			}
			require.Nil(t, s.Func)
			require.Nil(t, s.Plan)
			requireZeros(t, reflect.ValueOf(s).Elem().FieldByName("space").FieldByName("all"), "space")
			require.Equal(t, plans[i], p.String(), "the plan has memory that was left")
			s.Func = &ir.Func{}
			s.Leave()
		}
	}
}

// requireZeros requires that all lists in a value are zero up to their capacity.
func requireZeros(t *testing.T, v reflect.Value, of string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			requireZeros(t, v.Field(i), of+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		list := v.Slice(0, v.Cap())
		for i := range list.Len() {
			require.True(t, list.Index(i).IsZero(), "%s: element %d", of, i)
		}
	}
}

// TestLargeStatesGo checks that the memory of a large graph is not reused.
func TestLargeStatesGo(t *testing.T) {
	f := &ir.Func{}
	x := f.Param("x", ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(10)}, nil)
	for range form.MostKept {
		y, err := f.Add(ir.OpAdd, ir.Attr{}, ir.Pos{}, x, x)
		require.NoError(t, err)
		x = y
	}
	f.Results = []*ir.Value{x}
	s := newState(f, Options{})
	s.Whole.Ints.Take(1)
	s.Leave()
	require.NotSame(t, s, form.NewState(), "the next graph has its memory")
}
