package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/internal/progress"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sweeps: all 2^32 inputs of a float32 function on several engines, without measuring errors. Results must have the
// same bits on all engines, and the range and symmetry of the exact function. For a monotone function a sweep counts
// the neighbours in the wrong order, for the table.

// assembly returns the assembly engines of this machine, the best first. If the machine has none, it returns the engine of Go loops.
func assembly() []abi.Engine {
	on := []abi.Engine{abi.Best()}
	for e := abi.Best(); e > abi.AVX2; e-- {
		on = append(on, e-1)
	}
	return on
}

// swept returns the engines that a sweep compares.
func (s *settings) swept() []abi.Engine {
	on := assembly()
	if s.compared != "" && !slices.Contains(on, s.engine) {
		on = append(on, s.engine)
	}
	return on
}

// drops sweeps a function, and returns the number of neighbours in the wrong order, or -1 if it need not be monotone.
func (s *settings) drops(ctx context.Context, f *function, fast bool) (int64, error) {
	on := s.swept()
	names := engineNames(on)
	show := progress.Of(f.name()+" "+tierName(fast), (1<<31-1)/(chunkLen-1)+1)
	n, err := checkShape(ctx, f, fast, on, s.workers, 1, show)
	switch {
	case err != nil:
		return -1, err
	case n.others > 0:
		return -1, fmt.Errorf("%s f32 %s: %d results are beyond the range or not symmetric", f.op, tierName(fast), n.others)
	case n.differ > 0:
		return -1, fmt.Errorf("%s f32 %s: %d results differ between %s", f.op, tierName(fast), n.differ, names)
	}
	drops := int64(-1)
	if shapes[f.op].monotone != 0 {
		drops = int64(n.drops)
	}
	fmt.Printf("%-9s f32 %-7s the same bits on %s, drops %d\n", f.op, tierName(fast), names, drops)
	return drops, nil
}

func engineNames(list []abi.Engine) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.String()
	}
	return strings.Join(names, ",")
}

// sweep sweeps both tiers of a float32 function, and writes the counts into the table and the engines into the record.
// The table's rows must be those of the current function.
func (s *settings) sweep(ctx context.Context, f *function, dt ir.DType) error {
	if !f.sweeps(dt) {
		return nil
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	path := filepath.Join(root, tableFile)
	var rows []row
	for _, fast := range tiers(f.op, dt) {
		t, err := readTable(path)
		if err != nil {
			return err
		}
		r, ok := t.find(f.op, dt, fast)
		quick, err := s.hash(ctx, f, dt, fast, abi.Best(), quickHashed)
		if err != nil {
			return err
		}
		if !ok || quick != r.quick {
			return fmt.Errorf("%s f32 %s has changed: measure it with -update first", f.op, tierName(fast))
		}
		if r.drops, err = s.drops(ctx, f, fast); err != nil {
			return err
		}
		rows = append(rows, r)
		if on := s.swept(); len(on) > 1 {
			all, err := readRecord(root)
			if err != nil {
				return err
			}
			if err := all.with(swept{f.op, fast, quick, engineNames(on), processor()}).write(root); err != nil {
				return err
			}
		}
	}
	return writeTable(root, f.op, dt, rows)
}
