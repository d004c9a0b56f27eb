//go:build !unix

package binfile

// SyncFolder does nothing: on this system a name is on disk when its file is.
func SyncFolder(string) error { return nil }
