//go:build unix

package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// Structural mutation of a plan or a schedule: a few numbers, lists and kernels are changed in place. Reflection finds
// every exported field, so a new field is attacked without an edit here.

// number matches numbers in a text that are not part of a name.
var number = regexp.MustCompile(`(^|[^\w.%$])-?[0-9]+\b`)

// changeNumbers changes up to three numbers of a text.
func changeNumbers(random *rand.Rand, text string) string {
	for range 1 + random.IntN(3) {
		all := number.FindAllStringIndex(text, -1)
		at := all[random.IntN(len(all))]
		choices := []string{"0", "1", "-1", "2", "37", "53", "64", "9223372036854775807", "-9223372036854775808", "4294967296", "2147483647"}
		text = text[:at[0]+1] + choices[random.IntN(len(choices))] + text[at[1]:]
	}
	return text
}

// mutator changes one structure.
type mutator struct {
	random  *rand.Rand
	numbers []reflect.Value // settable ints and small enumerations
	lists   []reflect.Value
	codes   []reflect.Value // pointers and interfaces: kernels and layouts
}

// mutate changes a structure in up to four places.
func mutate(random *rand.Rand, structure any) {
	for range 1 + random.IntN(4) {
		m := &mutator{random: random}
		m.find(reflect.ValueOf(structure).Elem(), 0)
		switch n := random.IntN(16); {
		case n == 0 && len(m.lists) > 0:
			m.changeList(m.lists[random.IntN(len(m.lists))])
		case n == 1 && len(m.codes) > 0:
			m.exchange(m.codes[random.IntN(len(m.codes))])
		case len(m.numbers) > 0:
			m.changeNumber(m.numbers[random.IntN(len(m.numbers))])
		}
	}
}

// find collects everything that can be changed below a value.
func (m *mutator) find(v reflect.Value, depth int) {
	if depth > 40 {
		return
	}
	switch v.Kind() {
	case reflect.Int, reflect.Uint8, reflect.Uint64, reflect.Float64:
		if v.CanSet() {
			m.numbers = append(m.numbers, v)
		}
	case reflect.Slice:
		m.lists = append(m.lists, v)
		for i := range v.Len() {
			m.find(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				m.find(v.Field(i), depth+1)
			}
		}
	case reflect.Pointer, reflect.Interface:
		if v.CanSet() && v.Type() != reflect.TypeFor[*nest.Nest]() { // a nest could become part of itself
			m.codes = append(m.codes, v)
		}
		if !v.IsNil() {
			m.find(v.Elem(), depth+1)
		}
	}
}

// changeNumber sets a number to a close one, to another number of the structure, or to an end of the ints.
func (m *mutator) changeNumber(v reflect.Value) {
	near := func(n int64) int64 {
		other := n
		if o := m.numbers[m.random.IntN(len(m.numbers))]; o.Kind() == reflect.Int {
			other = o.Int()
		}
		choices := []int64{0, 1, -1, 2, 63, 64, n - 1, n + 1, n / 2, 2 * n, -n, n + 64, other, other, n + other, n * other,
			math.MaxInt, math.MaxInt - 1, math.MinInt, math.MaxInt / 4, 1 << 31, 1<<31 - 1, math.MaxInt - other, int64(m.random.IntN(4096))}
		return choices[m.random.IntN(len(choices))]
	}
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(near(v.Int()))
	case reflect.Uint8:
		v.SetUint(uint64(uint8(near(int64(v.Uint())))) % 64)
	case reflect.Uint64:
		v.SetUint(uint64(near(int64(v.Uint()))))
	case reflect.Float64:
		v.SetFloat([]float64{0, -1, math.NaN(), math.Inf(1), 1e300, v.Float() * 2}[m.random.IntN(6)])
	}
}

// changeList removes, repeats or exchanges items.
func (m *mutator) changeList(v reflect.Value) {
	n := v.Len()
	if n == 0 || !v.CanSet() {
		return
	}
	i, j := m.random.IntN(n), m.random.IntN(n)
	out := reflect.MakeSlice(v.Type(), 0, n+1)
	switch m.random.IntN(3) {
	case 0: // removes item i
		out = reflect.AppendSlice(reflect.AppendSlice(out, v.Slice(0, i)), v.Slice(i+1, n))
	case 1: // repeats item i
		out = reflect.Append(reflect.AppendSlice(out, v), v.Index(i))
	case 2:
		out = reflect.AppendSlice(out, v)
		out.Index(i).Set(v.Index(j))
		out.Index(j).Set(v.Index(i))
	}
	v.Set(out)
}

// exchange sets a pointer or interface to nil, or to another of its type.
func (m *mutator) exchange(v reflect.Value) {
	if m.random.IntN(8) == 0 {
		v.SetZero()
		return
	}
	if o := m.codes[m.random.IntN(len(m.codes))]; o.Type() == v.Type() {
		v.Set(o)
	}
}
