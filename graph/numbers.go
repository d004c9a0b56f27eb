package graph

// numbers maps the nodes of a graph to consecutive numbers. Nodes made one after the other share a page, so that most
// lookups need neither a hash nor much memory.
type numbers struct {
	few [4]struct {
		at   uint64
		page *numberPage
	}
	pages  map[uint64]*numberPage // those after few, by node.order / pageNodes
	last   *numberPage            // the page looked up last
	at     uint64                 // its key
	others map[*node]int32        // nodes whose place is taken by another node: copies
	unused []numberPage
}

const pageNodes = 16

type numberPage [pageNodes]struct {
	node   *node
	number int32
}

// page returns the page of a node.
func (t *numbers) page(n *node) *numberPage {
	at := n.order / pageNodes
	if t.last != nil && t.at == at {
		return t.last
	}
	p := t.find(at)
	t.last, t.at = p, at
	return p
}

// find returns the page of a key. The first ones are found without a hash.
func (t *numbers) find(at uint64) *numberPage {
	for i := range t.few {
		switch f := &t.few[i]; {
		case f.page == nil:
			f.page, f.at = t.add(), at
			return f.page
		case f.at == at:
			return f.page
		}
	}
	p := t.pages[at]
	if p == nil {
		if t.pages == nil {
			t.pages = map[uint64]*numberPage{}
		}
		p = t.add()
		t.pages[at] = p
	}
	return p
}

// add returns an unused page.
func (t *numbers) add() (p *numberPage) {
	if len(t.unused) == 0 {
		t.unused = make([]numberPage, 1)
	}
	p, t.unused = &t.unused[0], t.unused[1:]
	return p
}

// of returns the number of a node, if it has one.
func (t *numbers) of(n *node) (number int32, ok bool) {
	e := &t.page(n)[n.order%pageNodes]
	switch e.node {
	case n:
		return e.number, true
	case nil:
		return 0, false
	}
	number, ok = t.others[n]
	return number, ok
}

// give returns the number of a node, after assigning the next one if it has none.
func (t *numbers) give(n *node, next int32) (number int32, had bool) {
	e := &t.page(n)[n.order%pageNodes]
	switch e.node {
	case n:
		return e.number, true
	case nil:
		e.node, e.number = n, next
		return next, false
	}
	if number, had = t.others[n]; had {
		return number, true
	}
	if t.others == nil {
		t.others = map[*node]int32{}
	}
	t.others[n] = next
	return next, false
}
