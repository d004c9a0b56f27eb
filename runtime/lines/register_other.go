//go:build !amd64 || purego

package lines

func registerAssembly() {}
