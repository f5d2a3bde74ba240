package scheme

import (
	"math"
	"math/big"
)

// numberPrims are the procedures of numbers that R7RS calls numerical operations, but for the transcendental ones.
func numberPrims() []*prim {
	return []*prim{
		{name: "number?", min: 1, max: 1, fn: test(isNumber)},
		{name: "complex?", min: 1, max: 1, fn: test(isNumber)},
		{name: "real?", min: 1, max: 1, fn: test(isReal)},
		{name: "rational?", min: 1, max: 1, fn: test(isRational)},
		{name: "integer?", min: 1, max: 1, fn: test(isInteger)},
		{name: "exact-integer?", min: 1, max: 1, fn: test(isExactInteger)},
		{name: "exact-rational?", min: 1, max: 1, fn: test(func(v Value) bool { return classOf(v) <= isRat })},
		{name: "exact?", min: 1, max: 1, fn: onNumber("exact?", func(v Value) (Value, error) { return isExact(v), nil })},
		{name: "inexact?", min: 1, max: 1, fn: onNumber("inexact?", func(v Value) (Value, error) { return !isExact(v), nil })},
		{name: "finite?", min: 1, max: 1, fn: onNumber("finite?", func(v Value) (Value, error) { return !anyPart(v, isInfinite) && !anyPart(v, math.IsNaN), nil })},
		{name: "infinite?", min: 1, max: 1, fn: onNumber("infinite?", func(v Value) (Value, error) { return anyPart(v, isInfinite), nil })},
		{name: "nan?", min: 1, max: 1, fn: onNumber("nan?", func(v Value) (Value, error) { return anyPart(v, math.IsNaN), nil })},
		{name: "+", max: -1, fn: folding(int64(0), add)},
		{name: "*", max: -1, fn: folding(int64(1), multiply)},
		{name: "-", min: 1, max: -1, fn: reducing(negate, subtract)},
		{name: "/", min: 1, max: -1, fn: reducing(func(v Value) (Value, error) { return divide(int64(1), v) }, divide)},
		{name: "=", min: 1, max: -1, fn: equals},
		{name: "<", min: 1, max: -1, fn: comparing("<", func(o int) bool { return o < 0 })},
		{name: ">", min: 1, max: -1, fn: comparing(">", func(o int) bool { return o > 0 })},
		{name: "<=", min: 1, max: -1, fn: comparing("<=", func(o int) bool { return o <= 0 })},
		{name: ">=", min: 1, max: -1, fn: comparing(">=", func(o int) bool { return o >= 0 })},
		{name: "zero?", min: 1, max: 1, fn: onNumber("zero?", func(v Value) (Value, error) { return numEqual(v, int64(0)), nil })},
		{name: "positive?", min: 1, max: 1, fn: onReal("positive?", func(v Value) (Value, error) { return signOf(v) > 0, nil })},
		{name: "negative?", min: 1, max: 1, fn: onReal("negative?", func(v Value) (Value, error) { return signOf(v) < 0, nil })},
		{name: "odd?", min: 1, max: 1, fn: parity("odd?", 1)},
		{name: "even?", min: 1, max: 1, fn: parity("even?", 0)},
		{name: "max", min: 1, max: -1, fn: extreme("max", 1)},
		{name: "min", min: 1, max: -1, fn: extreme("min", -1)},
		{name: "abs", min: 1, max: 1, fn: onReal("abs", func(v Value) (Value, error) { return absolute(v), nil })},
		{name: "exact", min: 1, max: 1, fn: exact},
		{name: "inexact", min: 1, max: 1, fn: onNumber("inexact", func(v Value) (Value, error) { return inexact(v), nil })},
		{name: "square", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return multiply(a[0], a[0]) }},
		{name: "numerator", min: 1, max: 1, fn: fraction("numerator", (*big.Rat).Num)},
		{name: "denominator", min: 1, max: 1, fn: fraction("denominator", (*big.Rat).Denom)},
		{name: "1+", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return add(a[0], int64(1)) }},
		{name: "-1+", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return subtract(a[0], int64(1)) }},
		{name: "number->string", min: 1, max: 2, fn: numberToString},
		{name: "string->number", min: 1, max: 2, fn: stringToNumber},
	}
}

func test(is func(Value) bool) primitive {
	return func(_ *machine, a []Value) (Value, error) { return is(a[0]), nil }
}

func onNumber(who string, f func(Value) (Value, error)) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		if !isNumber(a[0]) {
			return nil, wrongType(who, 0, "a number", a[0])
		}
		return f(a[0])
	}
}

func onReal(who string, f func(Value) (Value, error)) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		if !isReal(a[0]) {
			return nil, wrongType(who, 0, "a real number", a[0])
		}
		return f(a[0])
	}
}

func isInfinite(f float64) bool { return math.IsInf(f, 0) }

func anyPart(v Value, is func(float64) bool) bool {
	if c, ok := v.(*compnum); ok {
		return anyPart(c.re, is) || anyPart(c.im, is)
	}
	f, ok := v.(float64)
	return ok && is(f)
}

func isRational(v Value) bool {
	return isReal(v) && !anyPart(v, isInfinite) && !anyPart(v, math.IsNaN)
}

func folding(start Value, f func(a, b Value) (Value, error)) primitive {
	return func(m *machine, a []Value) (Value, error) {
		if len(a) == 2 {
			return bounded(m, a[0], a[1], f)
		}
		sum := start
		for _, v := range a {
			var err error
			if sum, err = bounded(m, sum, v, f); err != nil {
				return nil, err
			}
		}
		return sum, nil
	}
}

// bounded computes an operation, and counts steps for large numbers.
func bounded(m *machine, a, b Value, f func(a, b Value) (Value, error)) (Value, error) {
	if x, ok := a.(*big.Int); ok && x.BitLen() > 4096 {
		if err := m.spend(x.BitLen() / 256); err != nil {
			return nil, err
		}
	}
	return f(a, b)
}

func reducing(alone func(Value) (Value, error), f func(a, b Value) (Value, error)) primitive {
	return func(m *machine, a []Value) (Value, error) {
		if len(a) == 1 {
			return alone(a[0])
		}
		rest, err := a[0], error(nil)
		for _, v := range a[1:] {
			if rest, err = bounded(m, rest, v, f); err != nil {
				return nil, err
			}
		}
		return rest, nil
	}
}

func equals(_ *machine, a []Value) (Value, error) {
	same := true
	for i, v := range a {
		if !isNumber(v) {
			return nil, wrongType("=", i, "a number", v)
		}
		same = same && numEqual(a[0], v)
	}
	return same, nil
}

func comparing(who string, holds func(order int) bool) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		all := true
		for i, v := range a {
			if !isReal(v) {
				return nil, wrongType(who, i, "a real number", v)
			}
			if i > 0 && all {
				order, ok := compare(a[i-1], v)
				all = ok && holds(order)
			}
		}
		return all, nil
	}
}

func parity(who string, want uint) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		switch v := a[0].(type) {
		case int64:
			return uint(v&1) == want, nil
		case *big.Int:
			return v.Bit(0) == want, nil
		case float64:
			if isInteger(v) {
				return (math.Mod(v, 2) != 0) == (want == 1), nil
			}
		}
		return nil, wrongType(who, 0, "an integer", a[0])
	}
}

func extreme(who string, sign int) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		best, isExactAll := a[0], true
		for i, v := range a {
			if !isReal(v) {
				return nil, wrongType(who, i, "a real number", v)
			}
			isExactAll = isExactAll && isExact(v)
			if order, ok := compare(v, best); !ok {
				return math.NaN(), nil
			} else if order == sign {
				best = v
			}
		}
		if !isExactAll {
			return toFloat(best), nil
		}
		return best, nil
	}
}

func absolute(v Value) Value {
	if f, ok := v.(float64); ok {
		return math.Abs(f)
	}
	if signOf(v) < 0 {
		v, _ = negate(v) // an exact real
	}
	return v
}

func exact(_ *machine, a []Value) (Value, error) {
	switch v := a[0].(type) {
	case float64:
		if e, ok := toExact(v); ok {
			return e, nil
		}
		return nil, wrongType("exact", 0, "a finite number", v)
	case *compnum:
		re, err := exact(nil, []Value{v.re})
		if err != nil {
			return nil, err
		}
		im, err := exact(nil, []Value{v.im})
		if err != nil {
			return nil, err
		}
		return makeRectangular(re, im), nil
	}
	if !isNumber(a[0]) {
		return nil, wrongType("exact", 0, "a number", a[0])
	}
	return a[0], nil
}

func inexact(v Value) Value {
	if c, ok := v.(*compnum); ok {
		return &compnum{toFloat(c.re), toFloat(c.im)}
	}
	return toFloat(v)
}

func fraction(who string, part func(*big.Rat) *big.Int) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		if !isRational(a[0]) {
			return nil, wrongType(who, 0, "a rational number", a[0])
		}
		v := fromBig(new(big.Int).Set(part(exactRat(a[0]))))
		if !isExact(a[0]) {
			return toFloat(v), nil
		}
		return v, nil
	}
}

func argRadix(who string, a []Value) (int, error) {
	if len(a) < 2 {
		return 10, nil
	}
	n, ok := a[1].(int64)
	if !ok || n < 2 || n > 36 {
		return 0, wrongType(who, 1, "a radix from 2 to 36", a[1])
	}
	return int(n), nil
}

func numberToString(m *machine, a []Value) (Value, error) {
	radix, err := argRadix("number->string", a)
	if err != nil {
		return nil, err
	}
	if !isNumber(a[0]) {
		return nil, wrongType("number->string", 0, "a number", a[0])
	}
	if f, ok := a[0].(float64); ok && radix%2 == 1 && f != math.Trunc(f) {
		return nil, fault(kindUnsupported, "number->string: a fraction in an odd radix has no end")
	}
	if b, ok := a[0].(*big.Int); ok {
		if err := m.spend(b.BitLen() / 64); err != nil {
			return nil, err
		}
	}
	return newStr(formatNumber(a[0], radix)), nil
}

func stringToNumber(_ *machine, a []Value) (Value, error) {
	s, err := argStr("string->number", a, 0)
	if err != nil {
		return nil, err
	}
	radix, err := argRadix("string->number", a)
	if err != nil {
		return nil, err
	}
	v, ok, err := parseNumber(s.String(), radix)
	if err != nil || !ok {
		return false, nil // a number without a value is none
	}
	return v, nil
}
