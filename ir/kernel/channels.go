package kernel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Interleaved channels: operands whose elements alternate in memory, such as the parts of complex
// numbers and the channels of pixels. Those of one array are adjacent among the inputs, or among the
// outputs, and are one argument of a call, which has an element of each channel in every column. In
// text they are in parentheses:
//
//	kernel ((u0 u1):f32, s2:f32) { t0 = mul u0 s2; t1 = mul u1 s2; store (t0 t1) }
//
// The kernel of such a body loads and stores whole vectors, and takes elements apart in registers.

// Channel says which of some interleaved channels an operand is: number At of Of. The zero value is
// an operand that is an array of its own.
type Channel struct{ At, Of uint8 }

// MaxChannels is how many channels are interleaved at most.
const MaxChannels = 4

// ChannelTypes are the element types that channels have: the elements are as wide as lanes, or bytes
// without a sign.
var ChannelTypes = ir.SetOf(ir.Float32, ir.Int32, ir.Uint32, ir.Float64, ir.Int64, ir.Uint64, ir.Uint8)

// OutChannelOf returns which channel output i is.
func (k *Kernel) OutChannelOf(i int) Channel {
	if k.OutChannel == nil {
		return Channel{}
	}
	return k.OutChannel[i]
}

// HasChannels reports whether operands of the kernel are interleaved.
func (k *Kernel) HasChannels() bool {
	return k.OutChannel != nil || slices.ContainsFunc(k.In, func(in Operand) bool { return in.Channel.Of > 0 })
}

// channel returns which channel an operand is, of the inputs and then the outputs.
func (k *Kernel) channel(operand int) Channel {
	if operand < len(k.In) {
		return k.In[operand].Channel
	}
	return k.OutChannelOf(operand - len(k.In))
}

// ArgsOf returns the argument that each operand is in, the inputs first.
func (k *Kernel) ArgsOf() []int {
	args := make([]int, len(k.In)+len(k.Out))
	n := -1
	for i := range args {
		if k.channel(i).At == 0 {
			n++
		}
		args[i] = n
	}
	return args
}

// checkChannels returns an error unless the channels of each array are complete, in order, and of one type.
func (k *Kernel) checkChannels() error {
	if n := len(k.OutChannel); n > 0 && n != len(k.Out) {
		return fmt.Errorf("%d channels of %d outputs", n, len(k.Out))
	}
	left := Channel{}
	for i := range len(k.In) + len(k.Out) {
		c, d := k.channel(i), k.operandType(i)
		switch {
		case i == len(k.In) && left.Of > 0 || c != left && (left.Of > 0 || c.At > 0) || c.Of == 1 || c.Of > MaxChannels:
			return fmt.Errorf("operand %d is not the next channel of an array", i)
		case c.Of == 0:
			continue
		case i < len(k.In) && k.In[i].Splat || !ChannelTypes.Has(d) || c.At > 0 && d != k.operandType(i-1):
			return fmt.Errorf("operand %d cannot be a channel: a splat, or of %s", i, d)
		}
		if left = (Channel{c.At + 1, c.Of}); left.At == c.Of {
			left = Channel{}
		}
	}
	if left.Of > 0 {
		return errors.New("the last array lacks channels")
	}
	return nil
}

// operandType returns the element type of an operand, of the inputs and then the outputs.
func (k *Kernel) operandType(operand int) ir.DType {
	if operand < len(k.In) {
		return k.In[operand].DType
	}
	return k.OutType(operand - len(k.In))
}

// WithChannels returns the canonical kernel in which operands are interleaved, and which input of k each of its
// inputs is, -1 for none. arrays lists the channels of each array, in order: of inputs, where -1 is a channel that k does
// not have, or of outputs behind them, which then are in that order in k too.
func (k *Kernel) WithChannels(arrays ...[]int) (canon *Kernel, order []int) {
	out := &Kernel{In: make([]Operand, 0, len(k.In)), Body: slices.Clone(k.Body), Out: slices.Clone(k.Out), Fast: k.Fast}
	at := make([]Ref, len(k.In)) // of each input
	add := func(i int, o Operand) {
		if i >= 0 {
			at[i] = Ref(len(out.In))
		}
		out.In, order = append(out.In, o), append(order, i)
	}
	apart := make([]bool, len(k.In))
	for _, array := range arrays {
		for n, i := range array {
			if c := (Channel{uint8(n), uint8(len(array))}); i < len(k.In) {
				if i >= 0 {
					apart[i] = true
				}
				add(i, Operand{DType: k.operandType(slices.Max(array)), Channel: c})
			} else {
				if out.OutChannel == nil {
					out.OutChannel = make([]Channel, len(k.Out))
				}
				out.OutChannel[i-len(k.In)] = c
			}
		}
	}
	for i := range k.In {
		if !apart[i] {
			add(i, k.In[i])
		}
	}
	renumber := func(r *Ref) {
		if int(*r) < len(at) {
			*r = at[*r]
		} else {
			*r += Ref(len(out.In) - len(at)) // channels that k does not have
		}
	}
	for j := range out.Body {
		for i := range out.Body[j].Arity() {
			renumber(&out.Body[j].Args[i])
		}
	}
	for i := range out.Out {
		renumber(&out.Out[i])
	}
	canon, from := out.Canonical()
	for i, old := range from {
		from[i] = order[old]
	}
	return canon, from
}
