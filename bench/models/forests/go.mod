module github.com/stridefuse/stridefuse/bench/models/forests

go 1.26.0

replace github.com/stridefuse/stridefuse => ../../..

require (
	github.com/dmitryikh/leaves v0.0.0-20230708180554-25d19a787328
	github.com/stridefuse/stridefuse v0.0.0-00010101000000-000000000000
)

require golang.org/x/sys v0.49.0 // indirect
