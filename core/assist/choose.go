package assist

import "slices"

// Ref names a model. A part of it may be empty.
type Ref struct {
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// Choice is what a cell asks for, and what counts where it leaves something open.
type Choice struct {
	Cell     Ref   // what the cell names
	Last     Ref   // the model that answered last in the notebook
	Defaults []Ref // of the settings, the first that is there counts
}

// Choose returns the model that answers a cell, of those that are listed, and false if none can. A cell that names a
// provider gets none of another, since what it sends may be meant for that one alone. A model that is named and not
// listed is returned all the same: its provider knows best. What a cell does not name is chosen among models that are
// usable.
func Choose(listed []ModelInfo, c Choice) (ModelInfo, bool) {
	if c.Cell.Model != "" {
		return named(listed, c.Cell)
	}
	candidates := slices.DeleteFunc(slices.Clone(listed), func(m ModelInfo) bool {
		return m.Unusable != "" || c.Cell.Provider != "" && m.Provider != c.Cell.Provider
	})
	for _, preferred := range append([]Ref{c.Last}, c.Defaults...) {
		if i := slices.IndexFunc(candidates, preferred.matches); i >= 0 {
			return candidates[i], true
		}
	}
	if i := slices.IndexFunc(candidates, func(m ModelInfo) bool { return m.Can.Tools }); i >= 0 {
		return candidates[i], true
	}
	if len(candidates) > 0 {
		return candidates[0], true
	}
	return ModelInfo{}, false
}

// named returns the model that a cell names, which may be one of several providers.
func named(listed []ModelInfo, cell Ref) (ModelInfo, bool) {
	if i := slices.IndexFunc(listed, cell.matches); i >= 0 {
		return listed[i], true
	}
	if cell.Provider != "" {
		return ModelInfo{Provider: cell.Provider, Name: cell.Model}, true
	}
	return ModelInfo{}, false
}

// matches reports whether a reference names a model; an empty one names none.
func (r Ref) matches(m ModelInfo) bool {
	return r != (Ref{}) && (r.Provider == "" || r.Provider == m.Provider) && (r.Model == "" || r.Model == m.Name)
}
