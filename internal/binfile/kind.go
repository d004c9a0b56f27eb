package binfile

// What a file is that a reader did not expect.

import "bytes"

// kinds are beginnings of files that people pass to readers of other formats, with what to say of them.
var kinds = []struct {
	begins string // with letters in lower case if it is text, whose case and white space before it do not count
	text   bool
	says   string
}{
	{"version https://git-lfs.github.com", true, "a pointer of git-lfs, not the data: run git lfs pull"},
	{"<!doctype html", true, "an HTML page: a download ended at a page, such as a login"},
	{"<html", true, "an HTML page: a download ended at a page, such as a login"},
	{"\x93NUMPY", false, "an array of NumPy: npy.Read reads it"},
	{"PK\x03\x04", false, "a zip archive (.npz, .zip, .xlsx, a PyTorch model): unpack it; package npy reads .npz"},
	{"\x1f\x8b", false, "compressed by gzip: decompress it, as with compress/gzip"},
	{"\x28\xb5\x2f\xfd", false, "compressed by zstd: decompress it"},
	{"PAR1", false, "a Parquet file: module x/arrow reads it"},
	{"ARROW1", false, "an Arrow file: module x/arrow reads it"},
	{"\x89HDF\r\n", false, "an HDF5 file: convert it, as with h5py and numpy.save"},
	{"CDF\x01", false, "a NetCDF file: convert it, as with xarray and to_zarr"},
	{"CDF\x02", false, "a NetCDF file: convert it, as with xarray and to_zarr"},
	{"%PDF-", false, "a PDF document"},
	{"\x80\x02", false, "a pickle of Python, which can run code: convert it, as with numpy.save or safetensors"},
	{"\x80\x03", false, "a pickle of Python, which can run code: convert it, as with numpy.save or safetensors"},
	{"\x80\x04", false, "a pickle of Python, which can run code: convert it, as with numpy.save or safetensors"},
	{"\x80\x05", false, "a pickle of Python, which can run code: convert it, as with numpy.save or safetensors"},
	{"\xff\xfe", false, "text in UTF-16: convert it to UTF-8"},
	{"\xfe\xff", false, "text in UTF-16: convert it to UTF-8"},
}

// KindBytes is how many bytes Kind looks at.
const KindBytes = 512

// Kind says what a file is from how it begins, and what to do about it. It returns "" for what it does not know. A
// reader asks for files that are not of its own format.
func Kind(head []byte) string {
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, k := range kinds {
		if k.text && bytes.HasPrefix(text, []byte(k.begins)) || !k.text && bytes.HasPrefix(head, []byte(k.begins)) {
			return k.says
		}
	}
	return ""
}
