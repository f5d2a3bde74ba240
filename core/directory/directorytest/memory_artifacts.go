package directorytest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

// kept is an artifact of a notebook.
type kept struct {
	artifact  event.Artifact
	added     event.Time
	mentioned bool
}

// AddArtifact implements [Artifacts].
func (m *Memory) AddArtifact(ctx context.Context, notebook string, a event.Artifact, at event.Time, limit int64) (added bool, err error) {
	err = m.withNotebook(ctx, notebook, func(*directory.Notebook) error {
		if k := m.artifacts[notebook][a.Hash]; k != nil {
			k.added, added = max(k.added, at), true
			return nil
		}
		if added = m.bytesLocked(notebook)+a.Size <= limit; added {
			m.keepLocked(notebook, &kept{artifact: a, added: at})
		}
		return nil
	})
	return added, err
}

func (m *Memory) keepLocked(notebook string, k *kept) {
	if m.artifacts[notebook] == nil {
		m.artifacts[notebook] = map[string]*kept{}
	}
	m.artifacts[notebook][k.artifact.Hash] = k
}

func (m *Memory) bytesLocked(notebook string) (bytes int64) {
	for _, k := range m.artifacts[notebook] {
		bytes += k.artifact.Size
	}
	return bytes
}

// Artifact implements [Artifacts].
func (m *Memory) Artifact(ctx context.Context, notebook, hash string) (a event.Artifact, err error) {
	err = m.with(ctx, func() error {
		k := m.artifacts[notebook][hash]
		if k == nil {
			return fmt.Errorf("artifact %s of notebook %s: %w", hash, notebook, directory.ErrNotFound)
		}
		a = k.artifact
		return nil
	})
	return a, err
}

// ArtifactBytes implements [Artifacts].
func (m *Memory) ArtifactBytes(ctx context.Context, notebook string) (bytes int64, err error) {
	err = m.with(ctx, func() error {
		bytes = m.bytesLocked(notebook)
		return nil
	})
	return bytes, err
}

// MentionArtifacts implements [Artifacts].
func (m *Memory) MentionArtifacts(ctx context.Context, notebook string, artifacts []event.Artifact) error {
	return m.with(ctx, func() error {
		for _, a := range artifacts {
			if k := m.artifacts[notebook][a.Hash]; k == nil || k.artifact.Size != a.Size {
				return fmt.Errorf("artifact %s of notebook %s: %w", a.Hash, notebook, directory.ErrNotFound)
			}
		}
		for _, a := range artifacts {
			m.artifacts[notebook][a.Hash].mentioned = true
		}
		return nil
	})
}

// CopyArtifacts implements [Artifacts].
func (m *Memory) CopyArtifacts(ctx context.Context, from, to string, at event.Time) error {
	return m.withNotebook(ctx, to, func(*directory.Notebook) error {
		for hash, k := range m.artifacts[from] {
			if k.mentioned && m.artifacts[to][hash] == nil {
				m.keepLocked(to, &kept{artifact: k.artifact, added: at})
			}
		}
		return nil
	})
}

// LooseArtifacts implements [Artifacts].
func (m *Memory) LooseArtifacts(ctx context.Context, before event.Time) (list []directory.Artifact, err error) {
	err = m.with(ctx, func() error {
		for notebook, artifacts := range m.artifacts {
			for hash, k := range artifacts {
				if k.looseBefore(before) {
					list = append(list, directory.Artifact{Notebook: notebook, Hash: hash})
				}
			}
		}
		slices.SortFunc(list, func(a, b directory.Artifact) int {
			return cmp.Compare(m.artifacts[a.Notebook][a.Hash].added, m.artifacts[b.Notebook][b.Hash].added)
		})
		return nil
	})
	return list, err
}

func (k *kept) looseBefore(t event.Time) bool { return !k.mentioned && k.added < t }

// DropArtifact implements [Artifacts].
func (m *Memory) DropArtifact(ctx context.Context, a directory.Artifact, before event.Time) error {
	return m.with(ctx, func() error {
		if k := m.artifacts[a.Notebook][a.Hash]; k != nil && k.looseBefore(before) {
			delete(m.artifacts[a.Notebook], a.Hash)
		}
		return nil
	})
}

// HoldsArtifact implements [Artifacts].
func (m *Memory) HoldsArtifact(ctx context.Context, hash string) (held bool, err error) {
	err = m.with(ctx, func() error {
		for _, artifacts := range m.artifacts {
			held = held || artifacts[hash] != nil
		}
		return nil
	})
	return held, err
}
