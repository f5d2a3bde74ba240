package event

import (
	"encoding/json"

	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

// CellID names a cell within its notebook, for ever.
type CellID string

// CellKind is the purpose of a cell.
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

// CellCreated says that a cell was created, at a position in the order of cells. A second event for a cell that exists
// changes nothing.
type CellCreated struct {
	Cell     CellID    `json:"cell"`
	Kind     CellKind  `json:"kind"`
	Language string    `json:"language,omitempty"`
	Order    order.Key `json:"order"`
	Source   string    `json:"source,omitempty"`
}

// Type returns CellCreated.
func (*CellCreated) Type() Type { return "CellCreated" }

// Check requires an id, a kind, a language name and an order key.
func (e *CellCreated) Check() error {
	return firstError(checkCell(e.Cell), checkKind(e.Kind), checkLanguage(e.Language), e.Order.Valid(),
		checkText("source", e.Source, 0, len(e.Source)))
}

// SourceEdited says that a cell's source was edited. Its edit fits the source at revision Rev and makes revision Rev+1
// of it. In a push, Rev is the last revision that the author had seen; the room rebases the edit over later ones.
type SourceEdited struct {
	Cell CellID    `json:"cell"`
	Rev  Rev       `json:"rev"`
	Edit text.Edit `json:"edit"`
}

// Type returns SourceEdited.
func (*SourceEdited) Type() Type { return "SourceEdited" }

// Check requires a cell. Whether the edit fits is known only with the source.
func (e *SourceEdited) Check() error { return checkCell(e.Cell) }

// CellKindChanged says that a cell changed its kind. It keeps its source and outputs.
type CellKindChanged struct {
	Cell CellID   `json:"cell"`
	Kind CellKind `json:"kind"`
}

// Type returns CellKindChanged.
func (*CellKindChanged) Type() Type { return "CellKindChanged" }

// Check requires a cell and a kind.
func (e *CellKindChanged) Check() error { return firstError(checkCell(e.Cell), checkKind(e.Kind)) }

// CellLanguageChanged says that a cell's source is in another language from now on. The empty name stands for the
// notebook's language.
type CellLanguageChanged struct {
	Cell     CellID `json:"cell"`
	Language string `json:"language"`
}

// Type returns CellLanguageChanged.
func (*CellLanguageChanged) Type() Type { return "CellLanguageChanged" }

// Check requires a cell and a language name.
func (e *CellLanguageChanged) Check() error {
	return firstError(checkCell(e.Cell), checkLanguage(e.Language))
}

// CellMoved says that a cell moved to another position in the order of cells.
type CellMoved struct {
	Cell  CellID    `json:"cell"`
	Order order.Key `json:"order"`
}

// Type returns CellMoved.
func (*CellMoved) Type() Type { return "CellMoved" }

// Check requires a cell and an order key.
func (e *CellMoved) Check() error { return firstError(checkCell(e.Cell), e.Order.Valid()) }

// CellDeleted says that a cell was deleted. Its contents are kept, and [CellRestored] brings them back.
type CellDeleted struct {
	Cell CellID `json:"cell"`
}

// Type returns CellDeleted.
func (*CellDeleted) Type() Type { return "CellDeleted" }

// Check requires a cell.
func (e *CellDeleted) Check() error { return checkCell(e.Cell) }

// CellRestored says that a deleted cell was restored, at its old position and with its outputs.
type CellRestored struct {
	Cell CellID `json:"cell"`
}

// Type returns CellRestored.
func (*CellRestored) Type() Type { return "CellRestored" }

// Check requires a cell.
func (e *CellRestored) Check() error { return checkCell(e.Cell) }

// CellVisibilitySet says which parts of a cell are shown, and whether an assistant sees it. A nil field leaves its part
// unchanged.
type CellVisibilitySet struct {
	Cell    CellID `json:"cell"`
	Source  *bool  `json:"source,omitempty"`
	Outputs *bool  `json:"outputs,omitempty"`
	Context *bool  `json:"context,omitempty"`
}

// Type returns CellVisibilitySet.
func (*CellVisibilitySet) Type() Type { return "CellVisibilitySet" }

// Check requires a cell.
func (e *CellVisibilitySet) Check() error { return checkCell(e.Cell) }

// CellMetadataSet says that a key of a cell's metadata was set. No value, or null, removes the key.
type CellMetadataSet struct {
	Cell  CellID          `json:"cell"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Type returns CellMetadataSet.
func (*CellMetadataSet) Type() Type { return "CellMetadataSet" }

// Check requires a cell, a key and a JSON value.
func (e *CellMetadataSet) Check() error {
	return firstError(checkCell(e.Cell), checkKey(e.Key), checkJSON("value", e.Value))
}

func checkCell(id CellID) error { return checkName("cell", string(id)) }

func checkKind(k CellKind) error {
	return checkOneOf("kind", k, KindCode, KindMarkdown, KindSQL, KindAI, KindRaw)
}

func checkLanguage(s string) error { return checkText("language", s, 0, MaxName) }
