package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Declared shapes of inputs and ranges of attributes. One check looks at each node before its operator is built. So
// operators can rely on the axes that they index, and on numbers whose sums and products fit int.

// signatures describe the axes of an operator's inputs, if they are restricted:
//
//	n c +, m _ +, m
//
// Commas separate inputs, and | separates alternatives. A letter is an axis; the same letter always has the same
// extent, and 3h is three times that of h. _ is an axis of any extent, 4 an axis of extent 4. + is one or more axes of
// any extent, equally many in each input that has +; * is any number of axes, independently in each input.
var signatures = map[string]string{
	"AffineGrid":                "_ _ _, _",
	"Attention":                 "b h q d, b g k d, b g k e, *, b g p d, b g p e, b | b q _, b k _, b k _, *, b g p d, b g p e, b",
	"AveragePool":               "_ _ +",
	"BatchNormalization":        "_ c *, *, *, *, * | c, c, c, c, c",
	"CausalConvWithState":       "b c _, c 1 _, c, b c _",
	"CenterCropPad":             "*, _",
	"Col2Im":                    "_ _ _, _, _",
	"Compress":                  "*, _",
	"Conv":                      "_ _ +, m _ +, m",
	"ConvInteger":               "_ _ +, _ _ +",
	"ConvTranspose":             "_ c +, c _ +, _",
	"CumProd":                   "_ *, * ",
	"CumSum":                    "_ *, *",
	"DeformConv":                "n _ _ _, m _ _ _, n _ _ _, m, n _ _ _",
	"DepthToSpace":              "_ _ _ _",
	"Det":                       "* r r",
	"EyeLike":                   "_ _",
	"Gather":                    "_ *, *",
	"GatherElements":            "_ *, _ *",
	"GatherND":                  "_ *, * _",
	"Gemm":                      "_ _, _ _, *",
	"GlobalAveragePool":         "_ _ *",
	"GlobalLpPool":              "_ _ +",
	"GlobalMaxPool":             "_ _ *",
	"GridSample":                "n _ +, n + _",
	"GroupNormalization":        "_ _ *, _, _",
	"GRU":                       "_ _ i, d 3h i, d 3h h, d 6h, _, _ _ h",
	"InstanceNormalization":     "_ c *, c, c",
	"LRN":                       "_ _ *",
	"LSTM":                      "_ _ i, d 4h i, d 4h h, d 8h, _, _ _ h, _ _ h, d 3h",
	"LinearAttention":           "b l _, b l _, b l _, b _ _ _, b l _, b l _",
	"LpPool":                    "_ _ +",
	"MaxPool":                   "_ _ +",
	"MaxUnpool":                 "_ _ +, _ _ +, _",
	"MeanVarianceNormalization": "_ *",
	"NegativeLogLikelihoodLoss": "n c *, n *, c",
	"NonMaxSuppression":         "s b 4, s _ b, *, *, *",
	"OneHot":                    "*, *, 2",
	"QLinearConv":               "_ _ +, *, *, _ _ +, *, *, *, *, _",
	"RNN":                       "_ _ i, d h i, d h h, d 2h, _, _ _ h",
	"ReverseSequence":           "_ _ *, _",
	"RoiAlign":                  "_ _ _ _, r 4, r",
	"RotaryEmbedding":           "b _ l _, b l _, b l _ | b l _, b l _, b l _ | b _ l _, p _, p _, b l | b l _, p _, p _, b l",
	"STFT":                      "_ _, *, _, * | _ _ _, *, _, *",
	"Scatter":                   "_ *, _ *, _ *",
	"ScatterElements":           "_ *, _ *, _ *",
	"ScatterND":                 "_ *, * _, *",
	"SoftmaxCrossEntropyLoss":   "n c *, n *, c",
	"SpaceToDepth":              "_ _ _ _",
	"TensorScatter":             "b _ *, b _ *, b",
	"TopK":                      "_ *, *",
	"Trilu":                     "* _ _, *",

	"com.microsoft.Attention":                "_ _ i, i w, w, *, 2 _ _ _ _, _ _ _ _, *",
	"com.microsoft.CDist":                    "_ k, _ k",
	"com.microsoft.DynamicQuantizeLSTM":      "_ _ i, d i 4h, d h 4h, d 8h, _, d _ h, d _ h, d 3h, d *, d *, d *, d *",
	"com.microsoft.EmbedLayerNormalization":  "b s, b s, _ w, _ w, _ w, w, w, b s, _ s",
	"com.microsoft.FusedConv":                "_ _ +, m _ +, m, *",
	"com.microsoft.FusedGemm":                "_ _, _ _, *",
	"com.microsoft.GatherBlockQuantized":     "_ *, *, _ *, _ *",
	"com.microsoft.GatherND":                 "_ *, * _",
	"com.microsoft.GroupNorm":                "_ _ _ _, c, c",
	"com.microsoft.GroupQueryAttention":      "b l _, b l _, b l _, b g _ d, b g _ e, b, *, m k, m k, *, _ _ _ _, h",
	"com.microsoft.NhwcMaxPool":              "_ _ +",
	"com.microsoft.QAttention":               "_ _ i, i w, w, *, *, *, *, *, 2 _ _ _ _",
	"com.microsoft.QGemm":                    "_ _, *, *, _ _",
	"com.microsoft.QLinearAveragePool":       "_ _ +",
	"com.microsoft.QLinearConv":              "_ _ +, *, *, _ _ +, *, *, *, *, _",
	"com.microsoft.QLinearGlobalAveragePool": "_ _ +",
	"com.microsoft.RotaryEmbedding":          "*, *, m k, m k",
	"com.microsoft.SkipGroupNorm":            "_ _ _ _, c, c, *, c",
	"com.microsoft.Trilu":                    "* _ _, *",
	"SimplifiedLayerNormalization":           "_ *, *",
}

// certainError is a mistake that does not depend on sizes.
type certainError struct{ error }

func (e certainError) Unwrap() error { return e.error }

// checkShapes returns an error unless the inputs have the declared axes. Missing inputs, and inputs that the signature
// does not mention, may have any.
func (c *call) checkShapes() error {
	signature := signatures[c.op.name]
	if signature == "" {
		return nil
	}
	var err error
	sure := true
	first := -1 // input of the error: the alternative that fits the most inputs describes it
	for _, alternative := range strings.Split(signature, "|") {
		i, wrong := c.checkAxes(strings.Split(alternative, ","))
		if wrong == nil {
			return nil
		}
		sure = sure && errors.As(wrong, new(certainError))
		if i > first {
			first, err = i, wrong
		}
	}
	if !sure { // it may depend on sizes
		err = errors.New(err.Error())
	}
	return fmt.Errorf("%w: the axes of the inputs are %s, where a letter is one extent, _ any, + one or more axes and * any number", err, signature)
}

// checkAxes checks the inputs against one alternative. An error is about input i.
func (c *call) checkAxes(patterns []string) (i int, err error) {
	extents, more := map[string]graph.Extent{}, 0
	for i, v := range c.in {
		if i >= len(patterns) || !v.isTensor() {
			continue
		}
		shape := v.shape()
		pattern := expanded(strings.Fields(patterns[i]), len(shape), &more)
		if len(pattern) != len(shape) {
			return i, certainError{fmt.Errorf("input %d has the shape %s", i, shape)}
		}
		for k, mark := range pattern {
			if mark == "_" {
				continue
			}
			if want := wanted(mark, shape[k], extents); !shape[k].MayEqual(want) {
				return i, fmt.Errorf("input %d has the shape %s, whose axis %d must have the extent %s", i, shape, k, want)
			}
		}
	}
	return 0, nil
}

// wanted returns the extent that a mark stands for. A new letter takes the extent of the axis, or a part of it.
func wanted(mark string, axis graph.Extent, extents map[string]graph.Extent) graph.Extent {
	letter := strings.TrimLeft(mark, "0123456789")
	times := 1
	if number := strings.TrimSuffix(mark, letter); number != "" {
		times, _ = strconv.Atoi(number)
	}
	if letter == "" {
		return ir.Fixed(times)
	}
	if _, known := extents[letter]; !known {
		extents[letter] = axis.Div(times)
	}
	return extents[letter].Mul(ir.Fixed(times))
}

// expanded returns a pattern with + or * replaced by as many _ as a value of the given rank has there. more is the
// number of axes of +, 0 if it is not known yet.
func expanded(pattern []string, rank int, more *int) []string {
	for k, mark := range pattern {
		count := max(0, rank-len(pattern)+1)
		switch {
		case mark == "+" && *more == 0:
			count = max(1, count)
			*more = count
		case mark == "+":
			count = *more
		case mark != "*":
			continue
		}
		return slices.Concat(pattern[:k], slices.Repeat([]string{"_"}, count), pattern[k+1:])
	}
	return pattern
}

// domain is the range of the numbers of an attribute, which may be a list.
type domain struct{ least, most int }

// The common ranges.
var (
	positive    = domain{1, mostExtent}
	notNegative = domain{0, mostExtent}
	signed      = domain{-mostExtent, mostExtent}
)

// domains has the ranges of attributes whose meaning is the same for all operators. Other attributes are axes, flags
// and codes, which are looked up, or unrestricted numbers.
var domains = map[string]domain{
	"strides": positive, "dilations": positive, "kernel_shape": positive, "group": positive, "offset_group": positive,
	"blocksize": {1, 1 << 15}, "num_groups": positive, "size": positive, "hidden_size": positive, "num_outputs": positive, "num_scan_inputs": positive,
	"q_num_heads": positive, "kv_num_heads": positive, "output_height": positive, "output_width": positive, "chunk_size": positive,
	"num_heads": notNegative, "rotary_embedding_dim": notNegative, "sampling_ratio": notNegative, "block_size": notNegative, "batch_dims": notNegative,
	"output_padding": notNegative, "output_shape": notNegative, "split": notNegative,
	"pads": signed, "paddings": signed, "left_window_size": signed, "right_window_size": signed,
}

// check returns an error for numbers outside of the domain.
func (d domain) check(name string, value any) error {
	var list []int
	switch v := value.(type) {
	case int:
		list = []int{v}
	case []int:
		list = v
	}
	for _, n := range list {
		if n < d.least || n > d.most {
			return fmt.Errorf("attribute %q is %v: it must be %d to %d", name, value, d.least, d.most)
		}
	}
	return nil
}
