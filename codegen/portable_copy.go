package codegen

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// transpose writes the function of a kernel that transposes. It reads eight rows of the input side by side, each along its cache
// lines. So it uses no more lines at once than a cache has ways, even if rows are a power of two apart.
func (w *portable) transpose(m *kernel.Micro) error {
	d := m.Type
	w.begin(m)
	w.printf("next, across, line := f.Step[0], %s, f.Step[1]\nc := 0\n", field(m, 0))
	w.printf("for ; c+8 <= f.Cols; c += 8 {\nfrom, to := unsafe.Add(f.Ptr[0], c*next), unsafe.Add(f.Ptr[1], c*%d)\n", d.Size())
	w.printf("for r := range f.Rows {\na, o := unsafe.Add(from, r*across), (*[8]%s)(unsafe.Add(to, r*line))\n", d)
	for i := range 8 {
		w.printf("o[%d] = *(*%s)(unsafe.Add(a, %[1]d*next))\n", i, d)
	}
	w.printf("}\n}\nfor ; c < f.Cols; c++ {\nfrom, to := unsafe.Add(f.Ptr[0], c*next), unsafe.Add(f.Ptr[1], c*%d)\n", d.Size())
	w.printf("for r := range f.Rows {\n*(*%s)(unsafe.Add(to, r*line)) = *(*%[1]s)(unsafe.Add(from, r*across))\n}\n}\n}\n\n", d)
	return nil
}

// pack writes the function of a kernel that copies strided elements, four at a time. No address is past the last element.
func (w *portable) pack(m *kernel.Micro) error {
	d := m.Type
	w.begin(m)
	w.printf("n, across := f.Cols, %s\nif n <= 0 {\nreturn\n}\n", field(m, 0))
	w.printf("for r := range f.Rows {\nrow, from := unsafe.Slice(%s, n), unsafe.Add(f.Ptr[0], r*f.Step[0])\n", address(d, 1))
	w.printf("for len(row) >= 4 {\nfour := (*[4]%s)(row)\nfour[0] = *(*%[1]s)(from)\n", d)
	for i := 1; i < 4; i++ {
		w.printf("four[%d] = *(*%s)(unsafe.Add(from, %[1]d*across))\n", i, d)
	}
	w.printf("if row = row[4:]; len(row) > 0 {\nfrom = unsafe.Add(from, 4*across)\n}\n}\n")
	w.printf("for c := range row {\nrow[c] = *(*%s)(unsafe.Add(from, c*across))\n}\n}\n}\n\n", d)
	return nil
}

// insert writes the function of a kernel that copies rows, with one column from another array.
func (w *portable) insert(m *kernel.Micro) error {
	d := m.Type
	w.begin(m)
	w.printf("n, place := f.Cols, %s\nif n <= 0 {\nreturn\n}\n", field(m, 0))
	w.printf("for r := range f.Rows {\nrow, from := unsafe.Slice(%s, n), unsafe.Slice(%s, n)\n", address(d, 2), address(d, 1))
	w.printf("copy(row[:place], from)\ncopy(row[place+1:], from[place+1:])\nrow[place] = *%s\n}\n}\n\n", address(d, 0))
	return nil
}

// storeNT writes the function that copies rows of bytes, with ordinary stores: Go has no non-temporal ones.
func (w *portable) storeNT(m *kernel.Micro) error {
	w.begin(m)
	w.printf("n := f.Cols\nfor r := range f.Rows {\ncopy(unsafe.Slice(%s, n), unsafe.Slice(%s, n))\n}\n}\n\n", address(m.Type, 1), address(m.Type, 0))
	return nil
}

// prefetch writes the function that does nothing: Go has no prefetch.
func (w *portable) prefetch(m *kernel.Micro) error {
	w.begin(m)
	w.printf("}\n\n")
	return nil
}

// lookup writes the function of a kernel that looks bytes up, eight at a time if they are adjacent. Every byte is a valid index
// of the table, so no index is checked.
func (w *portable) lookup(m *kernel.Micro) error {
	d := m.Type
	w.begin(m)
	w.printf("across, acrossOut := %s, %s\n", field(m, 0), field(m, 1))
	w.printf("for r := range f.Rows {\ntable := (*[%d]%s)(unsafe.Add(f.Ptr[0], r*f.Step[0]))\n", kernel.Bytes, d)
	w.printf("from, to, c := unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2]), 0\n")
	w.printf("for ; across == 1 && acrossOut == %d && c+8 <= f.Cols; c += 8 {\n", d.Size())
	w.printf("x, o := (*[8]uint8)(unsafe.Add(from, c)), (*[8]%s)(unsafe.Add(to, c*%d))\n", d, d.Size())
	var entries, elements []string
	for i := range 8 {
		elements, entries = append(elements, fmt.Sprintf("o[%d]", i)), append(entries, fmt.Sprintf("table[x[%d]]", i))
	}
	w.printf("%s = %s\n}\n", strings.Join(elements, ", "), strings.Join(entries, ", "))
	w.printf("for ; c < f.Cols; c++ {\n*(*%s)(unsafe.Add(to, c*acrossOut)) = table[*(*uint8)(unsafe.Add(from, c*across))]\n}\n}\n}\n\n", d)
	return nil
}
