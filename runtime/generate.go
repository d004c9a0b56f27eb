package runtime

//go:generate go run ../cmd/genkernels -builtin
