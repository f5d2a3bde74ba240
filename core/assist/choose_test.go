package assist

import "testing"

func TestMO10MO11MO12MO13MO14AModelIsChosenForACell(t *testing.T) {
	tools := Ability{Tools: true}
	listed := []ModelInfo{
		{Provider: "local", Name: "plain"},
		{Provider: "local", Name: "able", Can: tools},
		{Provider: "cloud", Name: "embed", Can: tools, Unusable: "it holds no conversations"},
		{Provider: "cloud", Name: "big", Can: tools},
		{Provider: "cloud", Name: "able", Can: tools},
	}
	for _, test := range []struct {
		name   string
		listed []ModelInfo
		choice Choice
		want   Ref // empty for none
	}{
		{"both named", listed, Choice{Cell: Ref{"cloud", "able"}, Last: Ref{"local", "able"}}, Ref{"cloud", "able"}},
		{"named and not listed, as of a provider that is down", listed, Choice{Cell: Ref{"cloud", "new"}}, Ref{"cloud", "new"}},
		{"named and unusable", listed, Choice{Cell: Ref{"cloud", "embed"}}, Ref{"cloud", "embed"}},
		{"a model named that several have", listed, Choice{Cell: Ref{"", "able"}}, Ref{"local", "able"}},
		{"a model named that is of no provider", listed, Choice{Cell: Ref{"", "new"}, Last: Ref{"local", "able"}}, Ref{}},
		{"a provider named, and its model was the last", listed, Choice{Cell: Ref{Provider: "cloud"}, Last: Ref{"cloud", "able"}}, Ref{"cloud", "able"}},
		{"a provider named, and the last was of another", listed, Choice{Cell: Ref{Provider: "cloud"}, Last: Ref{"local", "able"}}, Ref{"cloud", "big"}},
		{"a provider named, and a default of it", listed, Choice{Cell: Ref{Provider: "cloud"}, Defaults: []Ref{{"local", "able"}, {"cloud", "able"}}}, Ref{"cloud", "able"}},
		{"a provider named that has none", listed, Choice{Cell: Ref{Provider: "gone"}, Last: Ref{"local", "able"}}, Ref{}},
		{"the last", listed, Choice{Last: Ref{"local", "plain"}, Defaults: []Ref{{"cloud", "big"}}}, Ref{"local", "plain"}},
		{"the last is gone, and a default is there", listed, Choice{Last: Ref{"local", "gone"}, Defaults: []Ref{{"cloud", "gone"}, {Provider: "cloud"}}}, Ref{"cloud", "big"}},
		{"the last has become unusable", listed, Choice{Last: Ref{"cloud", "embed"}}, Ref{"local", "able"}},
		{"nothing named: the first that takes tools", listed, Choice{}, Ref{"local", "able"}},
		{"nothing named and none takes tools: the first", listed[:1], Choice{}, Ref{"local", "plain"}},
		{"none that is usable", listed[2:3], Choice{}, Ref{}},
		{"none at all", nil, Choice{Last: Ref{"local", "able"}}, Ref{}},
	} {
		m, ok := Choose(test.listed, test.choice)
		if got := (Ref{m.Provider, m.Name}); got != test.want || ok != (test.want != Ref{}) {
			t.Errorf("%s: got %v, %v, want %v", test.name, got, ok, test.want)
		}
	}
}
