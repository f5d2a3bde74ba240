package scheme

import (
	"slices"
	"strings"
)

// stringPrims are the procedures of strings.
func stringPrims() []*prim {
	changed := func(name string, f func(string) string) *prim {
		return &prim{name: name, min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) {
			s, err := argStr(name, a, 0)
			if err != nil {
				return nil, err
			}
			return newStr(f(s.String())), nil
		}}
	}
	prims := []*prim{
		{name: "string?", min: 1, max: 1, fn: isA[*str]},
		{name: "make-string", min: 1, max: 2, fn: makeString},
		{name: "string", max: -1, fn: stringOf},
		{name: "string-length", min: 1, max: 1, fn: stringLength},
		{name: "string-ref", min: 2, max: 2, fn: stringRef},
		{name: "string-set!", min: 3, max: 3, fn: stringSet},
		{name: "substring", min: 2, max: 3, fn: stringPart("substring")},
		{name: "string-copy", min: 1, max: 3, fn: stringPart("string-copy")},
		{name: "string-append", max: -1, fn: stringAppend},
		{name: "string->list", min: 1, max: 3, fn: stringToList},
		{name: "list->string", min: 1, max: 1, fn: listToString},
		{name: "string->vector", min: 1, max: 3, fn: stringToVector},
		{name: "vector->string", min: 1, max: 3, fn: vectorToString},
		{name: "string-copy!", min: 3, max: 5, fn: stringCopyTo},
		{name: "string-fill!", min: 2, max: 4, fn: stringFill},
		{name: "string->utf8", min: 1, max: 3, fn: stringToUTF8},
		{name: "utf8->string", min: 1, max: 3, fn: utf8ToString},
		{name: "string-join", min: 1, max: 2, fn: stringJoin},
		{name: "string-contains", min: 2, max: 2, fn: stringContains},
		changed("string-upcase", upperCase),
		changed("string-downcase", lowerCase),
		changed("string-foldcase", foldCase),
		changed("string-trim", strings.TrimSpace),
	}
	for _, order := range orders {
		prims = append(
			prims,
			&prim{name: "string" + order.sign + "?", min: 1, max: -1, fn: compareStrings("string"+order.sign+"?", order.holds, func(s []rune) []rune { return s })},
			&prim{name: "string-ci" + order.sign + "?", min: 1, max: -1, fn: compareStrings("string-ci"+order.sign+"?", order.holds, func(s []rune) []rune { return []rune(foldCase(string(s))) })},
		)
	}
	return prims
}

func makeString(m *machine, a []Value) (Value, error) {
	n, err := index("make-string", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	fill := char(' ')
	if len(a) == 2 {
		var ok bool
		if fill, ok = a[1].(char); !ok {
			return nil, wrongType("make-string", 1, "a character", a[1])
		}
	}
	if err := m.reserveItems(n, 4); err != nil {
		return nil, err
	}
	return &str{runes: slices.Repeat([]rune{rune(fill)}, n)}, m.spend(n / 64)
}

func stringOf(_ *machine, a []Value) (Value, error) {
	s := &str{runes: make([]rune, len(a))}
	for i, v := range a {
		c, ok := v.(char)
		if !ok {
			return nil, wrongType("string", i, "a character", v)
		}
		s.runes[i] = rune(c)
	}
	return s, nil
}

func stringLength(_ *machine, a []Value) (Value, error) {
	s, err := argStr("string-length", a, 0)
	if err != nil {
		return nil, err
	}
	return int64(len(s.runes)), nil
}

func stringRef(_ *machine, a []Value) (Value, error) {
	s, err := argStr("string-ref", a, 0)
	if err != nil {
		return nil, err
	}
	i, err := index("string-ref", a, 1, len(s.runes)-1)
	if err != nil {
		return nil, err
	}
	return char(s.runes[i]), nil
}

// argMutable returns an argument that is a string which may change.
func argMutable(who string, a []Value, nth int) (*str, error) {
	s, err := argStr(who, a, nth)
	if err != nil {
		return nil, err
	}
	if s.literal {
		return nil, fault(kindImmutable, "%s: the string %s is a constant of the program; change a string-copy of it", who, brief(s, 60))
	}
	return s, nil
}

func stringSet(_ *machine, a []Value) (Value, error) {
	s, err := argMutable("string-set!", a, 0)
	if err != nil {
		return nil, err
	}
	i, err := index("string-set!", a, 1, len(s.runes)-1)
	if err != nil {
		return nil, err
	}
	c, ok := a[2].(char)
	if !ok {
		return nil, wrongType("string-set!", 2, "a character", a[2])
	}
	s.runes[i] = rune(c)
	return unspecified{}, nil
}

// slice returns the runes of an argument within its optional bounds.
func (m *machine) slice(who string, a []Value, nth, from int) ([]rune, error) {
	s, err := argStr(who, a, nth)
	if err != nil {
		return nil, err
	}
	start, end, err := bounds(who, a, from, len(s.runes))
	if err != nil {
		return nil, err
	}
	return s.runes[start:end], m.spend((end - start) / 64)
}

func stringPart(who string) primitive {
	return func(m *machine, a []Value) (Value, error) {
		runes, err := m.slice(who, a, 0, 1)
		if err != nil {
			return nil, err
		}
		return &str{runes: slices.Clone(runes)}, m.reserveItems(len(runes), 4)
	}
}

func stringAppend(m *machine, a []Value) (Value, error) {
	n := 0
	for i := range a {
		s, err := argStr("string-append", a, i)
		if err != nil {
			return nil, err
		}
		n += len(s.runes)
	}
	if err := m.reserveItems(n, 4); err != nil {
		return nil, err
	}
	all := &str{runes: make([]rune, 0, n)}
	for _, v := range a {
		all.runes = append(all.runes, v.(*str).runes...)
	}
	return all, m.spend(n / 64)
}

func chars(runes []rune) []Value {
	all := make([]Value, len(runes))
	for i, c := range runes {
		all[i] = char(c)
	}
	return all
}

func stringToList(m *machine, a []Value) (Value, error) {
	runes, err := m.slice("string->list", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return list(chars(runes)...), m.reserveItems(len(runes), 52)
}

func stringToVector(m *machine, a []Value) (Value, error) {
	runes, err := m.slice("string->vector", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return &vector{chars(runes)}, m.reserveItems(len(runes), 20)
}

func listToString(_ *machine, a []Value) (Value, error) {
	all, ok := items(a[0])
	if !ok {
		return nil, wrongType("list->string", 0, "a list of characters", a[0])
	}
	return ofChars("list->string", all)
}

func vectorToString(m *machine, a []Value) (Value, error) {
	all, err := m.part("vector->string", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return ofChars("vector->string", all)
}

func ofChars(who string, all []Value) (Value, error) {
	s := &str{runes: make([]rune, len(all))}
	for i, v := range all {
		c, ok := v.(char)
		if !ok {
			return nil, fault(kindType, "%s: element %d must be a character, got %s", who, i, withType(v))
		}
		s.runes[i] = rune(c)
	}
	return s, nil
}

func stringCopyTo(m *machine, a []Value) (Value, error) {
	to, err := argMutable("string-copy!", a, 0)
	if err != nil {
		return nil, err
	}
	at, err := index("string-copy!", a, 1, len(to.runes))
	if err != nil {
		return nil, err
	}
	from, err := m.slice("string-copy!", a, 2, 3)
	if err != nil {
		return nil, err
	}
	if len(from) > len(to.runes)-at {
		return nil, fault(kindRange, "string-copy!: %d characters do not fit behind index %d of a string of %d", len(from), at, len(to.runes))
	}
	copy(to.runes[at:], from)
	return unspecified{}, nil
}

func stringFill(m *machine, a []Value) (Value, error) {
	if _, err := argMutable("string-fill!", a, 0); err != nil {
		return nil, err
	}
	c, ok := a[1].(char)
	if !ok {
		return nil, wrongType("string-fill!", 1, "a character", a[1])
	}
	runes, err := m.slice("string-fill!", a, 0, 2)
	if err != nil {
		return nil, err
	}
	for i := range runes {
		runes[i] = rune(c)
	}
	return unspecified{}, nil
}

func stringToUTF8(m *machine, a []Value) (Value, error) {
	runes, err := m.slice("string->utf8", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return &bytevector{[]byte(string(runes))}, nil
}

func utf8ToString(m *machine, a []Value) (Value, error) {
	bytes, err := m.bytes("utf8->string", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return newStr(string(bytes)), nil
}

func stringJoin(m *machine, a []Value) (Value, error) {
	all, ok := items(a[0])
	if !ok {
		return nil, wrongType("string-join", 0, "a list of strings", a[0])
	}
	between := newStr(" ")
	if len(a) == 2 {
		var err error
		if between, err = argStr("string-join", a, 1); err != nil {
			return nil, err
		}
	}
	var parts []Value
	for i, s := range all {
		if i > 0 {
			parts = append(parts, between)
		}
		parts = append(parts, s)
	}
	return stringAppend(m, parts)
}

func stringContains(_ *machine, a []Value) (Value, error) {
	s, err := argStr("string-contains", a, 0)
	if err != nil {
		return nil, err
	}
	part, err := argStr("string-contains", a, 1)
	if err != nil {
		return nil, err
	}
	text := s.String()
	i := strings.Index(text, part.String())
	if i < 0 {
		return false, nil
	}
	return int64(len([]rune(text[:i]))), nil
}

func compareStrings(who string, holds func(order int) bool, fold func([]rune) []rune) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		all := true
		var last []rune
		for i := range a {
			s, err := argStr(who, a, i)
			if err != nil {
				return nil, err
			}
			folded := fold(s.runes)
			if i > 0 {
				all = all && holds(slices.Compare(last, folded))
			}
			last = folded
		}
		return all, nil
	}
}
