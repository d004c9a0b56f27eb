package graph

// ChunkElems is runtime.Executor's setting, so that tests get small programs
// shared out to several workers.
func ChunkElems(n int) Option { return func(s *settings) { s.chunkElems = n } }

// Helped returns how many chunks other goroutines than the callers have
// computed for the program.
func (p *Program) Helped() int { return p.executor.Helped() }
