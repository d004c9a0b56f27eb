package onnx

// refused maps operators that are not supported to the reason.
var refused = map[string]string{
	"Bernoulli":         randomNumbers,
	"ImageDecoder":      "files of images: decode them before, as package imaging does",
	"MaxRoiPool":        "bins of as many elements as the data says: RoiAlign is supported",
	"Multinomial":       randomNumbers,
	"RandomNormal":      randomNumbers,
	"RandomNormalLike":  randomNumbers,
	"RandomUniform":     randomNumbers,
	"RandomUniformLike": randomNumbers,
	"RegexFullMatch":    stringElements,
	"StringConcat":      stringElements,
	"StringNormalizer":  stringElements,
	"StringSplit":       stringElements,
	"TfIdfVectorizer":   stringElements,
}

const (
	randomNumbers  = "random numbers, which ONNX does not define: make them an input"
	stringElements = "strings, which are no tensors here"
)
