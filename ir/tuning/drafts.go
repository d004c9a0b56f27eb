package tuning

// DraftSizes has the sizes of what the scheduler keeps of plans for the next ones. When one is full it begins anew. The values bound
// memory, and are not measured.
type DraftSizes struct {
	// FormBytes is the size, in bytes, of the forms of steps and row groups whose drafts are kept. The drafts take
	// about 26 times as much.
	FormBytes int
	// GroupTasks is the number of tasks that are kept for plans that are one plan, resized.
	GroupTasks int
}
