// Package embed makes vectors of texts with BERT encoders such as MiniLM, BGE, E5 and GTE: in pure Go, from the files
// that these models are published in.
//
//	m, err := embed.Open("all-MiniLM-L6-v2", embed.Options{}) // a folder
//	defer m.Close()
//	vectors, err := m.Embed(ctx, []string{"a cat", "a kitten"}) // Float32 [2,384]
//	rows, err := graph.Rows[float32](vectors)                   // rows[0] is that of "a cat"
//
// The similarity of two texts is the product of their vectors, x.MatMul(y.T()) in a program of package graph, if the
// model normalizes them; most do.
//
// # Models
//
// A model is what its files say: the sizes and the activation of config.json, the pooling (mean or first token) and
// normalization of modules.json, the rules and the vocabulary of tokenizer.json. There is no list of models. Anything
// that the files ask for and this package lacks is an error of Open that names the file: other encoders (RoBERTa,
// MPNet, Nomic), other tokenizers than WordPiece, other modules such as Dense.
//
// Some models expect a prefix, and their vectors are worse without it. Put it before each text:
//
//	E5                 "query: " or "passage: "
//	BGE, English v1.5  "Represent this sentence for searching relevant passages: " before queries only
//	MiniLM, GTE        none
//
// # Numbers
//
// The vectors are those of PyTorch within about 2e-7. A text has the same bits alone and among others, with any number
// of threads and on every machine.
//
// # Memory
//
// The file of weights is mapped. The matrices of the layers are stored a second time, in the order in which the kernels
// read them; the table of words, half of a small model, is read in place. A batch has at most 1,024 tokens or one text.
//
// Options.Int8Weights stores the matrices in 8 bits, a quarter of the memory, in about the same time. For MiniLM the cosine of
// a vector and that of float32 weights is at least 0.999.
package embed
