//go:build !unix

package binfile

// SyncFolder does nothing: here names are on the disk when a file is.
func SyncFolder(string) error { return nil }
