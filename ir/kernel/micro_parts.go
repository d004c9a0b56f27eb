package kernel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

func copyArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Bits: SameSize, Outer: Rows, Inner: Cols}, {DType: m.Type, Bits: SameSize, Out: true, Outer: Rows, Inner: Cols}}
}

func storeNTArgs(m *Micro) []Arg {
	args := copyArgs(m)
	args[0].Bits, args[1].Bits = AnySize, AnySize
	return args
}

func prefetchArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Bits: AnySize, Outer: None, Inner: None}}
}

func packArgs(m *Micro) []Arg {
	args := copyArgs(m)
	args[0].Across = Field0
	return args
}

func transposeArgs(m *Micro) []Arg {
	args := packArgs(m)
	args[0].Outer, args[0].Inner = Cols, Rows
	return args
}

func insertArgs(m *Micro) []Arg {
	return append([]Arg{{DType: m.Type, Bits: SameSize, Outer: Rows, Inner: One}}, copyArgs(m)...)
}

func insertFit(_, cols int, fields []int) bool { return fields[0] >= 0 && fields[0] < max(1, cols) }

func dotArgs(m *Micro) []Arg { // rows x pairs, pairs x columns
	return []Arg{{DType: m.Type, Outer: Rows, Inner: Field0 + DotPairs, Across: Field0 + DotAcross},
		{DType: m.Type, Outer: Field0 + DotPairs, Inner: Cols}, {DType: m.Type, Out: true, Outer: Rows, Inner: Cols}}
}

func dotLimits(m *Micro) []Limit {
	return []Limit{{Extent: Cols, Most: 2 * DotColumns(m.Type)}, {Field0 + DotPairs, 1, ir.DotChunk, true}}
}

func scanArgs(m *Micro) []Arg {
	args := []Arg{{DType: m.Type, Outer: Rows, Inner: Cols}, {DType: ir.RunType(m.Op, m.Type), Outer: Rows, Inner: One}}
	if m.Carry {
		args = append(args, Arg{DType: ir.PartialType(m.Op, m.Type), Outer: Rows, Inner: One})
	}
	for _, a := range slices.Clone(args) {
		a.Out = true
		args = append(args, a)
	}
	return args
}

func reduceArgs(m *Micro) []Arg {
	args := m.Body.Args()
	for i := range m.Body.Out {
		if a := &args[len(m.Body.In)+i]; m.Combine[i] != ir.OpInvalid {
			a.DType, a.Inner = m.OutType(i), One
		}
	}
	return args
}

func checkScan(m *Micro) error {
	if m.Carry && ir.ScansInOrder(m.Op, m.Type) {
		return errors.New("products of floats have no carry")
	}
	return nil
}

// scanLimits requires a column: without one a call stores no state.
func scanLimits(*Micro) []Limit { return []Limit{{Extent: Cols, Least: 1, Most: ir.ReduceChunk}} }

// reduceLimits requires a column: without one nothing is combined, and a call stores no result.
func reduceLimits(*Micro) []Limit { return []Limit{{Cols, 1, ir.ReduceChunk, true}} }

// Verify returns an error unless the micro-kernel has the fields that its row requires, of supported types and combiners.
func (m *Micro) Verify() error {
	if m.Kind == NoMicro || m.Kind >= numMicros {
		return errors.New("there is no such micro-kernel")
	}
	info := &micros[m.Kind]
	if got := (microParts{m.Combine != nil, m.Op != ir.OpInvalid, m.Type != ir.Invalid, info.has.carry, m.Body != nil}); got != info.has || m.Carry && !info.has.carry {
		return fmt.Errorf("%s lacks a part, or has one too many", m.Kind)
	}
	if info.has.dtype && !info.types.Has(m.Type) {
		return fmt.Errorf("%s is not made for %s", m.Kind, m.Type)
	}
	if info.has.op && !slices.Contains(info.ops, m.Op) {
		return fmt.Errorf("%s does not combine by %s", m.Kind, m.Op)
	}
	if m.Body != nil {
		if err := m.Body.Verify(); err != nil {
			return err
		}
		if m.Body.Interleaved() {
			return fmt.Errorf("%s takes no interleaved operands", m.Kind)
		}
	}
	if info.check != nil {
		return info.check(m)
	}
	return nil
}

// checkReduce returns an error unless each output has no combiner or one that takes its type, and at least one output has a
// combiner.
func checkReduce(m *Micro) error {
	if len(m.Combine) != len(m.Body.Out) {
		return fmt.Errorf("%d combiners for %d outputs", len(m.Combine), len(m.Body.Out))
	}
	combined := false
	for i, by := range m.Combine {
		if by == ir.OpInvalid {
			continue
		}
		combined = true
		d := m.Body.OutType(i)
		if !d.Native() {
			return fmt.Errorf("output %d: %s is computed in %s: cast it before", i, d, d.Compute())
		}
		if err := ir.CheckReduce(by, d); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	if !combined {
		return errors.New("reduce combines at least one output")
	}
	return nil
}

// BitsType returns the integer type by which elements of a type are copied: unsigned for up to four bytes, otherwise int64.
func BitsType(d ir.DType) ir.DType {
	switch d.Size() {
	case 1:
		return ir.Uint8
	case 2:
		return ir.Uint16
	case 4:
		return ir.Uint32
	case 8:
		return ir.Int64
	}
	panic(fmt.Sprintf("BUG: kernel: elements of %s have %d bytes", d, d.Size()))
}
