package amd64

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestForms compares the bytes of every instruction of the tables, in every form of its operands, with those that Go's
// assembler makes: low and high registers, addresses of all shapes, masks and broadcast elements.
func TestForms(t *testing.T) {
	for _, target := range []*Target{AVX2(), AVX512()} {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			p := &Program{Frame: 40, Lines: target.allInstances()}
			t.Logf("%d instructions", len(p.Lines))
			requireSame(t, target, []*Program{p})
		})
	}
}

// TestPrograms compares random programs of random instructions, with jumps, alignment and stack frames of all sizes.
func TestPrograms(t *testing.T) {
	for _, target := range []*Target{AVX2(), AVX512()} {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			pool := target.allInstances()
			rnd := rand.New(rand.NewPCG(5, 6))
			var programs []*Program
			for range 200 {
				programs = append(programs, randomProgram(rnd, pool))
			}
			requireSame(t, target, programs)
		})
	}
}

// randomProgram returns a program of instructions of a pool. Each label is in front of an instruction that is no jump: Go's
// assembler rejects a circle of jumps.
func randomProgram(rnd *rand.Rand, pool []Line) *Program {
	p := &Program{Frame: []int{0, 0, 8, 120, 128, 136, 4096}[rnd.IntN(7)]}
	size := 1 + rnd.IntN(150)
	labels := 1 + rnd.IntN(8)
	at := make([]int, labels) // the instruction behind each label
	for i := range at {
		at[i] = rnd.IntN(size)
	}
	conditions := slices.Sorted(maps.Keys(jumps))
	for i := range size {
		for l := range at {
			if at[l] == i {
				p.here("l" + itoa(l))
			}
		}
		p.Lines = append(p.Lines, pool[rnd.IntN(len(pool))])
		switch rnd.IntN(8) {
		case 0, 1:
			p.do(conditions[rnd.IntN(len(conditions))], label("l"+itoa(rnd.IntN(labels))))
		case 2:
			p.do("PCALIGN", imm(int64(8<<rnd.IntN(4))))
		case 3: // a jump to a jump
			l := p.fresh("by")
			p.do(conditions[rnd.IntN(len(conditions))], label(l))
			p.Lines = append(p.Lines, pool[rnd.IntN(len(pool))])
			p.here(l)
			p.do("JMP", label("l"+itoa(rnd.IntN(labels))))
		case 4:
			if rnd.IntN(10) == 0 {
				p.do("RET")
			}
		}
	}
	p.do("RET")
	return p
}

// TestKernels compares the built-in kernels of composed operations. Among them are all that have large stack frames, which the
// linked functions check (see runtime/builtin).
func TestKernels(t *testing.T) {
	for _, target := range []*Target{AVX2(), AVX512()} {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			var programs []*Program
			large := 0
			for _, k := range codegen.Builtins() {
				body, _, ok := bodyOf(k)
				if !ok || !target.Emits(k) || !slices.ContainsFunc(body.Body, func(i kernel.Inst) bool { return i.Op.Info().Kind == ir.Composed }) {
					continue
				}
				p, err := target.Program(k)
				require.NoError(t, err)
				programs = append(programs, p)
				if p.Frame > 512 {
					large++
				}
			}
			t.Logf("%d kernels, %d with large stack frames", len(programs), large)
			require.Greater(t, large, 30)
			requireSame(t, target, programs)
		})
	}
}

// allInstances returns every instruction of the tables with operands of every form.
func (t *Target) allInstances() (out []Line) {
	for _, rows := range [...][]encodingRow{generalRows, vectorRows, vector512Rows} {
		for i := range rows {
			rows[i].each(func(name string, e encoding) { out = append(out, t.instances(name, &e)...) })
		}
	}
	return out
}

// instances returns an instruction with the operands that an encoding takes: first registers and constants that are easy and
// hard to encode, each in turn with the others easy and then all together, then addresses of every shape.
func (t *Target) instances(name string, e *encoding) (out []Line) {
	if e.vex == noEncoding && e.evex != noEncoding && t.m.Masks == 0 || e.element && t.m.Masks == 0 {
		return nil
	}
	for _, length := range t.lengths(e) {
		var choices [][]Arg
		for _, s := range e.form {
			choices = append(choices, t.choices(e, &s, length))
		}
		if missing(choices) {
			continue
		}
		for _, args := range combined(choices) {
			out = append(out, Line{Op: name, Args: args})
		}
	}
	return out
}

func missing(choices [][]Arg) bool {
	for _, c := range choices {
		if len(c) == 0 {
			return true
		}
	}
	return false
}

// combined returns lists of one choice for each operand: the first of all but one, which takes every one; then the last of all.
func combined(choices [][]Arg) [][]Arg {
	pick := func(at, choice int) []Arg {
		args := make([]Arg, len(choices))
		for i, c := range choices {
			args[i] = c[0]
			if at == i {
				args[i] = c[choice]
			}
		}
		return args
	}
	out := [][]Arg{pick(-1, 0)}
	last := make([]Arg, len(choices))
	for i, c := range choices {
		for j := 1; j < len(c); j++ {
			out = append(out, pick(i, j))
		}
		last[i] = c[len(c)-1]
	}
	return append(out, last)
}

// lengths returns the lengths of vectors for which a row has instructions.
func (t *Target) lengths(r *encoding) []int {
	if r.vector != ofOperands {
		if int(r.vector) > t.m.Width {
			return nil
		}
		return []int{int(r.vector)}
	}
	var out []int
	for _, length := range []int{16, t.m.Width / 2, t.m.Width} {
		if length == 16 && r.flags&no128 != 0 || length == 64 && r.evex == noEncoding || len(out) > 0 && out[len(out)-1] == length {
			continue
		}
		out = append(out, length)
	}
	if r.vex == noEncoding && r.evex == noEncoding {
		return out[:1]
	}
	return out
}

// choices returns operands that a slot takes.
func (t *Target) choices(r *encoding, s *slot, length int) []Arg {
	var out []Arg
	if s.kinds&aReg != 0 && !(s.role == inRM && r.element) {
		bytes := 16
		if s.part > 0 {
			bytes = max(16, length/int(s.part))
		}
		kind, ok := map[int]ArgKind{t.m.Width / 2: ArgHalf, t.m.Width: ArgY, 16: ArgX}[bytes]
		if !ok {
			return nil
		}
		for _, reg := range []int{1, 7, 8, 15, 16, 23, 24, 31} {
			if reg < 16 || r.evex != noEncoding && t.m.Masks > 0 {
				out = append(out, Arg{Kind: kind, Reg: int8(reg)})
			}
		}
	}
	general := []int{cx, ax, dx, 3, 4, 5, 6, 10, 13}
	add := func(kind kinds, x func(int) Arg, from []int) {
		if s.kinds&kind != 0 {
			for _, r := range from {
				out = append(out, x(r))
			}
		}
	}
	add(aGP64, gp, general)
	add(aGP32, lowOf, general)
	add(aGP16, wordOf, general)
	add(aGP8, byteOf, general)
	if t.m.Masks > 0 {
		add(aMask, mask, []int{1, 2, 7})
	}
	if s.kinds&aHigh != 0 && length == 0 {
		add(aHigh, highOf, []int{ax, cx, dx, 3})
	}
	add(anAX, gp, []int{ax})
	constant := func(v int) Arg { return imm(int64(v)) }
	add(aByte, constant, []int{1, 2, 0, 127})
	add(anInt8, constant, []int{1, 0, -1, -128, 127})
	add(anInt, constant, []int{1000, 128, -129, 1<<31 - 1, -1 << 31})
	add(aOne, constant, []int{1})
	if s.kinds&aMem != 0 {
		if strings.HasPrefix(r.names, "ADDQ") || strings.HasPrefix(r.names, "VADDPS") || strings.HasPrefix(r.names, "VMOVUPS") {
			return append(out, addresses...)
		}
		out = append(out, nearAddresses...)
	}
	return out
}

// addresses have every base and index, whose encodings differ. nearAddresses are enough for instructions that share the code
// that encodes addresses: their displacements are around the limits of one byte, which AVX-512 multiplies.
var addresses, nearAddresses = func() (all, near []Arg) {
	for base := range GeneralRegisters {
		all = append(all, mem(at(base, 0)), mem(at(base, 64)))
	}
	for index := range GeneralRegisters {
		for i, scale := range []int{1, 2, 4, 8} {
			all = append(all, mem(at((index+i)%GeneralRegisters, 64*i).indexed(index, scale)))
		}
	}
	for _, disp := range []int{0, 8, 64, 1 << 10} {
		all = append(all, mem(stack(disp)), mem(stack(disp).indexed(9, 8)))
	}
	for _, disp := range []int{1, -8, 127, 128, -129, 508, 512, 1016, 1024, 2032, 4064, 8128, 8192, -8192, -8256, -1 << 31} {
		near = append(near, mem(at(7, disp)))
	}
	near = append(near, mem(at(11, 0)), mem(at(10, 64).indexed(5, 4)), mem(symbol(constant(constBytes, 1))), mem(symbol(Constant{kind: constMasks}).at(64)), frameArg())
	return append(all, near...), near
}()

// requireSame assembles programs and compares the bytes with those of Go's assembler.
func requireSame(t *testing.T, target *Target, programs []*Program) {
	want, offsets := goAssembled(t, target, programs)
	for i, p := range programs {
		code, err := target.encode(p, InOwnFrame)
		require.NoError(t, err)
		got := code.Bytes[:code.Text]
		for _, r := range code.refs {
			copy(got[r.at:], []byte{0, 0, 0, 0})
		}
		if string(got) == string(want[i]) {
			continue
		}
		at := 0
		for at < min(len(got), len(want[i])) && got[at] == want[i][at] {
			at++
		}
		line, from := 0, -1
		for l, offset := range offsets[i] {
			if offset <= at && offset > from {
				line, from = l, offset
			}
		}
		text := strings.Split(goText(target, i, p), "\n")
		t.Fatalf("program %d, line %d, %s at %#x:\n\t% x, not\n\t% x", i, line, text[line], from,
			got[from:min(from+16, len(got))], want[i][from:min(from+16, len(want[i]))])
	}
}
