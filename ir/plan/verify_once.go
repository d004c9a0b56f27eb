package plan

// Steps that run once for all runs of a program. Their outputs are kept between runs.

// findOnce finds the buffers that steps marked once write, and those of them that are kept: other steps read them.
func (v *planVerifier) findOnce() {
	v.once, v.kept = make([]bool, len(v.p.Buffers)), make([]bool, len(v.p.Buffers))
	known := func(buffer int) bool { return 0 <= buffer && buffer < len(v.p.Buffers) }
	for i := range v.p.Steps {
		for _, o := range v.p.Steps[i].Out {
			if v.p.Steps[i].Once && known(o.Buffer) {
				v.once[o.Buffer] = true
			}
		}
	}
	for i := range v.p.Steps {
		for _, a := range v.p.Steps[i].In {
			if !v.p.Steps[i].Once && known(a.Buffer) && v.once[a.Buffer] {
				v.kept[a.Buffer] = true
			}
		}
	}
}

// runsOnce checks that steps that run once and other steps store different buffers, and that the former read nothing
// that the latter store.
func (v *planVerifier) runsOnce(i int) {
	s, at := &v.p.Steps[i], step(i)
	if s.Once && v.group[i] != nil {
		v.fail(at, "it runs once, and the others of its row group in each run")
	}
	for k, a := range s.In {
		if s.Once && !v.once[a.Buffer] && !v.p.Buffers[a.Buffer].Kind.ReadOnly() {
			v.fail(at.in(k), "input %s: the step runs once, and the buffer is written in each run", a)
		}
	}
	for k, o := range s.Out {
		switch {
		case !s.Once && v.once[o.Buffer]:
			v.fail(at.out(k), "output %s: the buffer is written by a step that runs once", o.Access)
		case s.Once && v.p.Buffers[o.Buffer].Kind != TempBuffer:
			v.fail(at.out(k), "output %s: a step that runs once stores temporaries", o.Access)
		}
	}
}
