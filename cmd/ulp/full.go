package main

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/internal/progress"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The number of random inputs where not all inputs are tried.
const (
	drawnSingle = 1 << 24
	drawnDouble = 1 << 24
)

// sweeps reports whether all inputs are tried.
func (f *function) sweeps(dt ir.DType) bool { return dt == ir.Float32 && f.exact.Arity == 1 }

// measure measures f in all its tiers, completely if s.n is 0.
func (s *settings) measure(ctx context.Context, f *function, dt ir.DType) ([]measurement, error) {
	switch {
	case dt == ir.Float64:
		return measureSample[float64](ctx, s, f, drawnDouble)
	case dt != ir.Float32:
		return nil, fmt.Errorf("functions of %s are not measured: they are float32's, rounded", dt)
	case s.n == 0 && f.sweeps(dt):
		src := everything()
		return measure(ctx, f, src, s.workers, progress.Of(f.name()+" "+dt.Text(), src.chunks))
	}
	return measureSample[float32](ctx, s, f, drawnSingle)
}

// measureSample measures a sample, and searches on from its worst. Every sample contains the worst arguments in the
// table, so a search never finds less than former ones.
func measureSample[T float](ctx context.Context, s *settings, f *function, n int) ([]measurement, error) {
	if s.n > 0 {
		n = s.n
	}
	src := sample[T](f, s.table.worst(f.op, dtypeOf[T]()), n)
	ms, err := measure(ctx, f, src, s.workers, progress.Of(f.name()+" "+dtypeOf[T]().Text(), src.chunks))
	if err != nil || s.subset {
		return ms, err
	}
	return climb[T](ctx, s, f, ms)
}

// rows measures completely and returns the rows for the table.
func (s *settings) rows(ctx context.Context, f *function, dt ir.DType) ([]row, error) {
	ms, err := s.measure(ctx, f, dt)
	if err != nil {
		return nil, err
	}
	var out []row
	for _, m := range ms {
		fmt.Println(m.report(f))
		r := row{op: m.op, dtype: dt, fast: m.fast, max: roundedUp(m.max), at: m.at, tried: m.tried, hash: m.hash, drops: -1}
		if !r.swept() {
			if r.hash, err = s.hash(ctx, f, dt, m.fast, abi.Best(), sampleHashed); err != nil {
				return nil, err
			}
		}
		if r.quick, err = s.hash(ctx, f, dt, m.fast, abi.Best(), quickHashed); err != nil {
			return nil, err
		}
		if s.n == 0 && f.sweeps(dt) {
			if r.drops, err = s.drops(ctx, f, m.fast); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// hash returns the hash of an engine's results, on patterns or, if n is 0, on all inputs.
func (s *settings) hash(ctx context.Context, f *function, dt ir.DType, fast bool, on abi.Engine, n int) (uint64, error) {
	if dt == ir.Float64 {
		return hashResults(ctx, f, fast, on, patterns[float64](n), s.workers, quiet)
	}
	if n > 0 {
		return hashResults(ctx, f, fast, on, patterns[float32](n), s.workers, quiet)
	}
	src := everything()
	return hashResults(ctx, f, fast, on, src, s.workers, progress.Of(f.name()+" "+dt.Text(), src.chunks))
}

// fullHash returns the second hash in the table, beside the quick one.
func (s *settings) fullHash(ctx context.Context, f *function, r row, on abi.Engine) (uint64, error) {
	n := sampleHashed
	if r.swept() {
		n = 0
	}
	return s.hash(ctx, f, r.dtype, r.fast, on, n)
}

// compare compares an engine's results with the hashes in the table.
func (s *settings) compare(ctx context.Context, f *function, dt ir.DType) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	t, err := readTable(root + "/" + tableFile)
	if err != nil {
		return err
	}
	for _, fast := range tiers(f.op, dt) {
		r, ok := t.find(f.op, dt, fast)
		if !ok {
			return fmt.Errorf("%s %s %s is not in the table", f.op, dt.Text(), tierName(fast))
		}
		got, err := s.fullHash(ctx, f, r, s.engine)
		if err != nil {
			return err
		}
		if got != r.hash {
			return fmt.Errorf("%s %s %s: the hash of %s is %016x, the table's %016x", f.op, dt.Text(), tierName(fast), s.engine, got, r.hash)
		}
		fmt.Printf("%-9s %s %-7s hash %016x on %s too\n", f.op, dt.Text(), tierName(fast), got, s.engine)
	}
	return nil
}

// report formats a measurement for people.
func (m measurement) report(f *function) string {
	at := fmt.Sprintf("%x (%g)", m.at[0], m.at[0])
	if f.exact.Arity == 2 {
		at = fmt.Sprintf("%x, %x (%g, %g)", m.at[0], m.at[1], m.at[0], m.at[1])
	}
	return fmt.Sprintf("%-9s %s %-7s max %.4f ULP at %s: got %g, want %s; %d inputs, hash %016x",
		m.op, m.dtype.Text(), tierName(m.fast), m.max, at, m.got, m.want, m.tried, m.hash)
}

func quiet(int) {}
