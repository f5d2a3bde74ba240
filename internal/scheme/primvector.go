package scheme

import "slices"

// vectorPrims are the procedures of vectors and bytevectors.
func vectorPrims() []*prim {
	return []*prim{
		{name: "vector?", min: 1, max: 1, fn: isA[*vector]},
		{name: "make-vector", min: 1, max: 2, fn: makeVector},
		{name: "vector", max: -1, fn: func(_ *machine, a []Value) (Value, error) { return &vector{slices.Clone(a)}, nil }},
		{name: "vector-length", min: 1, max: 1, fn: vectorLength},
		{name: "vector-ref", min: 2, max: 2, fn: vectorRef},
		{name: "vector-set!", min: 3, max: 3, fn: vectorSet},
		{name: "vector->list", min: 1, max: 3, fn: vectorToList},
		{name: "list->vector", min: 1, max: 1, fn: listToVector},
		{name: "vector-copy", min: 1, max: 3, fn: vectorCopy},
		{name: "vector-copy!", min: 3, max: 5, fn: vectorCopyTo},
		{name: "vector-append", max: -1, fn: vectorAppend},
		{name: "vector-fill!", min: 2, max: 4, fn: vectorFill},
		{name: "bytevector?", min: 1, max: 1, fn: isA[*bytevector]},
		{name: "make-bytevector", min: 1, max: 2, fn: makeBytevector},
		{name: "bytevector", max: -1, fn: bytevectorOf},
		{name: "bytevector-length", min: 1, max: 1, fn: bytevectorLength},
		{name: "bytevector-u8-ref", min: 2, max: 2, fn: bytevectorRef},
		{name: "bytevector-u8-set!", min: 3, max: 3, fn: bytevectorSet},
		{name: "bytevector-copy", min: 1, max: 3, fn: bytevectorCopy},
		{name: "bytevector-copy!", min: 3, max: 5, fn: bytevectorCopyTo},
		{name: "bytevector-append", max: -1, fn: bytevectorAppend},
		{name: "bytevector-fill!", min: 2, max: 4, fn: bytevectorFill},
	}
}

func argVector(who string, a []Value, nth int) (*vector, error) {
	if v, ok := a[nth].(*vector); ok {
		return v, nil
	}
	return nil, wrongType(who, nth, "a vector", a[nth])
}

// part returns the items of an argument within its optional bounds.
func (m *machine) part(who string, a []Value, nth, from int) ([]Value, error) {
	v, err := argVector(who, a, nth)
	if err != nil {
		return nil, err
	}
	start, end, err := bounds(who, a, from, len(v.items))
	if err != nil {
		return nil, err
	}
	return v.items[start:end], m.spend((end - start) / 64)
}

func makeVector(m *machine, a []Value) (Value, error) {
	n, err := index("make-vector", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	if err := m.reserveItems(n, 16); err != nil {
		return nil, err
	}
	var fill Value = unspecified{}
	if len(a) == 2 {
		fill = a[1]
	}
	v := &vector{make([]Value, n)}
	for i := range v.items {
		v.items[i] = fill
	}
	return v, m.spend(n / 64)
}

func vectorLength(_ *machine, a []Value) (Value, error) {
	v, err := argVector("vector-length", a, 0)
	if err != nil {
		return nil, err
	}
	return int64(len(v.items)), nil
}

func vectorRef(_ *machine, a []Value) (Value, error) {
	v, err := argVector("vector-ref", a, 0)
	if err != nil {
		return nil, err
	}
	i, err := index("vector-ref", a, 1, len(v.items)-1)
	if err != nil {
		return nil, err
	}
	return v.items[i], nil
}

func vectorSet(_ *machine, a []Value) (Value, error) {
	v, err := argVector("vector-set!", a, 0)
	if err != nil {
		return nil, err
	}
	i, err := index("vector-set!", a, 1, len(v.items)-1)
	if err != nil {
		return nil, err
	}
	v.items[i] = a[2]
	return unspecified{}, nil
}

func vectorToList(m *machine, a []Value) (Value, error) {
	all, err := m.part("vector->list", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return list(all...), m.reserveItems(len(all), 32)
}

func listToVector(_ *machine, a []Value) (Value, error) {
	all, ok := items(a[0])
	if !ok {
		return nil, wrongType("list->vector", 0, "a list", a[0])
	}
	return &vector{all}, nil
}

func vectorCopy(m *machine, a []Value) (Value, error) {
	all, err := m.part("vector-copy", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return &vector{slices.Clone(all)}, m.reserveItems(len(all), 16)
}

func vectorCopyTo(m *machine, a []Value) (Value, error) {
	to, err := argVector("vector-copy!", a, 0)
	if err != nil {
		return nil, err
	}
	at, err := index("vector-copy!", a, 1, len(to.items))
	if err != nil {
		return nil, err
	}
	from, err := m.part("vector-copy!", a, 2, 3)
	if err != nil {
		return nil, err
	}
	if len(from) > len(to.items)-at {
		return nil, fault(kindRange, "vector-copy!: %d items do not fit behind index %d of a vector of %d", len(from), at, len(to.items))
	}
	copy(to.items[at:], from)
	return unspecified{}, nil
}

func vectorAppend(m *machine, a []Value) (Value, error) {
	n := 0
	for i := range a {
		v, err := argVector("vector-append", a, i)
		if err != nil {
			return nil, err
		}
		n += len(v.items)
	}
	if err := m.reserveItems(n, 16); err != nil {
		return nil, err
	}
	all := &vector{make([]Value, 0, n)}
	for _, v := range a {
		all.items = append(all.items, v.(*vector).items...)
	}
	return all, m.spend(n / 64)
}

func vectorFill(m *machine, a []Value) (Value, error) {
	all, err := m.part("vector-fill!", a, 0, 2)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i] = a[1]
	}
	return unspecified{}, nil
}

func argBytes(who string, a []Value, nth int) (*bytevector, error) {
	if b, ok := a[nth].(*bytevector); ok {
		return b, nil
	}
	return nil, wrongType(who, nth, "a bytevector", a[nth])
}

func argByte(who string, a []Value, nth int) (byte, error) {
	n, ok := a[nth].(int64)
	if !ok || n < 0 || n > 255 {
		return 0, wrongType(who, nth, "an integer from 0 to 255", a[nth])
	}
	return byte(n), nil
}

// bytes returns the bytes of an argument within its optional bounds.
func (m *machine) bytes(who string, a []Value, nth, from int) ([]byte, error) {
	b, err := argBytes(who, a, nth)
	if err != nil {
		return nil, err
	}
	start, end, err := bounds(who, a, from, len(b.bytes))
	if err != nil {
		return nil, err
	}
	return b.bytes[start:end], m.spend((end - start) / 256)
}

func makeBytevector(m *machine, a []Value) (Value, error) {
	n, err := index("make-bytevector", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	fill := byte(0)
	if len(a) == 2 {
		if fill, err = argByte("make-bytevector", a, 1); err != nil {
			return nil, err
		}
	}
	if err := m.reserveItems(n, 1); err != nil {
		return nil, err
	}
	return &bytevector{slices.Repeat([]byte{fill}, n)}, m.spend(n / 256)
}

func bytevectorOf(_ *machine, a []Value) (Value, error) {
	b := &bytevector{make([]byte, len(a))}
	for i := range a {
		var err error
		if b.bytes[i], err = argByte("bytevector", a, i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func bytevectorLength(_ *machine, a []Value) (Value, error) {
	b, err := argBytes("bytevector-length", a, 0)
	if err != nil {
		return nil, err
	}
	return int64(len(b.bytes)), nil
}

func bytevectorRef(_ *machine, a []Value) (Value, error) {
	b, err := argBytes("bytevector-u8-ref", a, 0)
	if err != nil {
		return nil, err
	}
	i, err := index("bytevector-u8-ref", a, 1, len(b.bytes)-1)
	if err != nil {
		return nil, err
	}
	return int64(b.bytes[i]), nil
}

func bytevectorSet(_ *machine, a []Value) (Value, error) {
	b, err := argBytes("bytevector-u8-set!", a, 0)
	if err != nil {
		return nil, err
	}
	i, err := index("bytevector-u8-set!", a, 1, len(b.bytes)-1)
	if err != nil {
		return nil, err
	}
	b.bytes[i], err = argByte("bytevector-u8-set!", a, 2)
	return unspecified{}, err
}

func bytevectorCopy(m *machine, a []Value) (Value, error) {
	all, err := m.bytes("bytevector-copy", a, 0, 1)
	if err != nil {
		return nil, err
	}
	return &bytevector{slices.Clone(all)}, nil
}

func bytevectorCopyTo(m *machine, a []Value) (Value, error) {
	to, err := argBytes("bytevector-copy!", a, 0)
	if err != nil {
		return nil, err
	}
	at, err := index("bytevector-copy!", a, 1, len(to.bytes))
	if err != nil {
		return nil, err
	}
	from, err := m.bytes("bytevector-copy!", a, 2, 3)
	if err != nil {
		return nil, err
	}
	if len(from) > len(to.bytes)-at {
		return nil, fault(kindRange, "bytevector-copy!: %d bytes do not fit behind index %d of a bytevector of %d", len(from), at, len(to.bytes))
	}
	copy(to.bytes[at:], from)
	return unspecified{}, nil
}

func bytevectorAppend(m *machine, a []Value) (Value, error) {
	n := 0
	for i := range a {
		b, err := argBytes("bytevector-append", a, i)
		if err != nil {
			return nil, err
		}
		n += len(b.bytes)
	}
	if err := m.reserveItems(n, 1); err != nil {
		return nil, err
	}
	all := &bytevector{make([]byte, 0, n)}
	for _, b := range a {
		all.bytes = append(all.bytes, b.(*bytevector).bytes...)
	}
	return all, m.spend(n / 256)
}

func bytevectorFill(m *machine, a []Value) (Value, error) {
	fill, err := argByte("bytevector-fill!", a, 1)
	if err != nil {
		return nil, err
	}
	all, err := m.bytes("bytevector-fill!", a, 0, 2)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i] = fill
	}
	return unspecified{}, nil
}
