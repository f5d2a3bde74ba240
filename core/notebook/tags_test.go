package notebook

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestTagsSayWhatARunOfAllCellsDoesWithACell(t *testing.T) {
	for tags, want := range map[string][2]bool{
		``: {}, `null`: {}, `"skip-execution"`: {}, `[]`: {}, `["parameters"]`: {}, `[1,"skip-execution"]`: {},
		`["skip-execution"]`:                    {true, false},
		`["hide","raises-exception"]`:           {false, true},
		`["raises-exception","skip-execution"]`: {true, true},
	} {
		sc := given(t, created("a", "R", "x"))
		if tags != "" {
			sc.add(&event.CellMetadataSet{Cell: "a", Key: "tags", Value: json.RawMessage(tags)})
		}
		c := sc.n.Cell("a")
		check(t, tags+": skipped, may fail", [2]bool{c.IsSkipped(), c.MayFail()}, want)
	}
}
