package event

import (
	"encoding/json"

	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

// CellID names a cell within its notebook, for ever.
type CellID string

// CellKind says what a cell is for.
type CellKind string

// The kinds of cells.
const (
	KindCode     CellKind = "code"
	KindMarkdown CellKind = "markdown"
	KindSQL      CellKind = "sql"
	KindAI       CellKind = "ai"
	KindRaw      CellKind = "raw"
)

// Rev is the number of edits that a cell's source has taken since its creation.
type Rev uint64

// CellCreated says that a cell came into being, at a place in the order of cells.
// A second event for a cell that exists changes nothing.
type CellCreated struct {
	Cell     CellID    `json:"cell"`
	Kind     CellKind  `json:"kind"`
	Language string    `json:"language,omitempty"`
	Order    order.Key `json:"order"`
	Source   string    `json:"source,omitempty"`
}

// Type returns CellCreated.
func (*CellCreated) Type() Type { return "CellCreated" }

// Check wants an id, a kind, a language name and an order key.
func (e *CellCreated) Check() error {
	return firstError(checkCell(e.Cell), checkKind(e.Kind), checkLanguage(e.Language), e.Order.Valid(),
		checkText("source", e.Source, 0, len(e.Source)))
}

// SourceEdited says that a cell's source was edited. Its edit fits the source at
// revision Rev, and makes revision Rev+1 of it. In a push, Rev is the last
// revision the author had seen; the room moves the edit over what came since.
type SourceEdited struct {
	Cell CellID    `json:"cell"`
	Rev  Rev       `json:"rev"`
	Edit text.Edit `json:"edit"`
}

// Type returns SourceEdited.
func (*SourceEdited) Type() Type { return "SourceEdited" }

// Check wants a cell. Whether the edit fits is known only with the source.
func (e *SourceEdited) Check() error { return checkCell(e.Cell) }

// CellKindChanged says that a cell became one of another kind. It keeps its
// source and outputs.
type CellKindChanged struct {
	Cell CellID   `json:"cell"`
	Kind CellKind `json:"kind"`
}

// Type returns CellKindChanged.
func (*CellKindChanged) Type() Type { return "CellKindChanged" }

// Check wants a cell and a kind.
func (e *CellKindChanged) Check() error { return firstError(checkCell(e.Cell), checkKind(e.Kind)) }

// CellLanguageChanged says that a cell's source is now in another language. The
// empty name stands for the notebook's own language.
type CellLanguageChanged struct {
	Cell     CellID `json:"cell"`
	Language string `json:"language"`
}

// Type returns CellLanguageChanged.
func (*CellLanguageChanged) Type() Type { return "CellLanguageChanged" }

// Check wants a cell and a language name.
func (e *CellLanguageChanged) Check() error {
	return firstError(checkCell(e.Cell), checkLanguage(e.Language))
}

// CellMoved says that a cell went to another place in the order of cells.
type CellMoved struct {
	Cell  CellID    `json:"cell"`
	Order order.Key `json:"order"`
}

// Type returns CellMoved.
func (*CellMoved) Type() Type { return "CellMoved" }

// Check wants a cell and an order key.
func (e *CellMoved) Check() error { return firstError(checkCell(e.Cell), e.Order.Valid()) }

// CellDeleted says that a cell was deleted. What it held is kept, so that
// [CellRestored] brings it back whole.
type CellDeleted struct {
	Cell CellID `json:"cell"`
}

// Type returns CellDeleted.
func (*CellDeleted) Type() Type { return "CellDeleted" }

// Check wants a cell.
func (e *CellDeleted) Check() error { return checkCell(e.Cell) }

// CellRestored says that a deleted cell is back, at the place and with the
// outputs that it had.
type CellRestored struct {
	Cell CellID `json:"cell"`
}

// Type returns CellRestored.
func (*CellRestored) Type() Type { return "CellRestored" }

// Check wants a cell.
func (e *CellRestored) Check() error { return checkCell(e.Cell) }

// CellVisibilitySet says which parts of a cell are shown, and whether an
// assistant sees it. A part that is nil stays as it was.
type CellVisibilitySet struct {
	Cell    CellID `json:"cell"`
	Source  *bool  `json:"source,omitempty"`
	Outputs *bool  `json:"outputs,omitempty"`
	Context *bool  `json:"context,omitempty"`
}

// Type returns CellVisibilitySet.
func (*CellVisibilitySet) Type() Type { return "CellVisibilitySet" }

// Check wants a cell.
func (e *CellVisibilitySet) Check() error { return checkCell(e.Cell) }

// CellMetadataSet says that a key of a cell's metadata got a value. No value, or
// null, removes the key.
type CellMetadataSet struct {
	Cell  CellID          `json:"cell"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Type returns CellMetadataSet.
func (*CellMetadataSet) Type() Type { return "CellMetadataSet" }

// Check wants a cell, a key and a JSON value.
func (e *CellMetadataSet) Check() error {
	return firstError(checkCell(e.Cell), checkKey(e.Key), checkJSON("value", e.Value))
}

func checkCell(id CellID) error { return checkName("cell", string(id)) }

func checkKind(k CellKind) error {
	return checkOneOf("kind", k, KindCode, KindMarkdown, KindSQL, KindAI, KindRaw)
}

func checkLanguage(s string) error { return checkText("language", s, 0, MaxName) }
