//go:build amd64 && !purego && noavx512

package lines

var searchersAVX512 map[searchKey]searcher // none
