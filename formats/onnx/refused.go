package onnx

// refused maps operators that are not supported to the reason.
var refused = map[string]string{
	mlDomain + "CastMap":        mapElements,
	mlDomain + "DictVectorizer": mapElements,
	"Bernoulli":                 randomNumbers,
	"ImageDecoder":              "files of images: decode them before, as package imaging does",
	"MaxRoiPool":                "bins of as many elements as the data says: RoiAlign is supported",
	"Multinomial":               randomNumbers,
	"RandomNormal":              randomNumbers,
	"RandomNormalLike":          randomNumbers,
	"RandomUniform":             randomNumbers,
	"RandomUniformLike":         randomNumbers,
	"RegexFullMatch":            stringElements,
	"StringConcat":              stringElements,
	"StringNormalizer":          stringElements,
	"StringSplit":               stringElements,
	"TfIdfVectorizer":           stringElements,
}

const (
	randomNumbers  = "random numbers, which ONNX does not define: make them an input"
	stringElements = "strings, which are only compared and selected here: see Program.Encode"
	mapElements    = "maps as inputs: make the features an array"
)
