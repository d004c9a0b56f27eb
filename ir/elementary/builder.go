package elementary

import "github.com/stridefuse/stridefuse/ir/kernel"

// builder writes lane operations, and the steps that several expansions share.
type builder struct{ *kernel.Builder }
