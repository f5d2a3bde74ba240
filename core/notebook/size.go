package notebook

// Size returns about how many bytes the notebook holds: of sources, metadata, outputs and
// what widgets show. What a snapshot, an answer or a file with all of it takes is some
// times that at most. It looks at every row.
func (n *Notebook) Size() int64 {
	size := n.outputSize + int64(len(n.title)+bundleSize(n.metadata)+n.comms.bytes)
	for id, c := range n.cells {
		size += int64(len(id) + c.source.Bytes() + bundleSize(c.Metadata))
	}
	for id, r := range n.runs {
		size += int64(len(id) + len(r.Source) + len(r.Reason))
	}
	for id, in := range n.inputs {
		size += int64(len(id) + len(in.Prompt) + len(in.Value))
	}
	for id, a := range n.approvals {
		size += int64(len(id) + len(a.Arguments))
	}
	return size
}
