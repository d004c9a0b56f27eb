module github.com/stridefuse/stridefuse/bench/imaging

go 1.26.0

replace github.com/stridefuse/stridefuse => ../..

require (
	github.com/disintegration/imaging v1.6.2
	github.com/stridefuse/stridefuse v0.0.0-00010101000000-000000000000
	golang.org/x/image v0.30.0
)

require golang.org/x/sys v0.49.0 // indirect
