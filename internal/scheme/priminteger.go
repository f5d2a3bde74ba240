package scheme

import (
	"math"
	"math/big"
)

// integerPrims are the procedures of integers.
func integerPrims() []*prim {
	both := func(name string, floor bool, want string) *prim {
		return &prim{name: name, min: 2, max: 2, fn: func(m *machine, a []Value) (Value, error) {
			q, r, err := divideIntegers(m, name, a, floor)
			switch {
			case err != nil:
				return nil, err
			case want == "quotient":
				return q, nil
			case want == "remainder":
				return r, nil
			}
			return &multi{[]Value{q, r}}, nil
		}}
	}
	return []*prim{
		both("floor/", true, "both"), both("floor-quotient", true, "quotient"), both("floor-remainder", true, "remainder"),
		both("truncate/", false, "both"), both("truncate-quotient", false, "quotient"), both("truncate-remainder", false, "remainder"),
		both("quotient", false, "quotient"), both("remainder", false, "remainder"), both("modulo", true, "remainder"),
		{name: "gcd", max: -1, fn: gcd},
		{name: "lcm", max: -1, fn: lcm},
		{name: "floor", min: 1, max: 1, fn: rounding("floor", math.Floor, ratFloor)},
		{name: "ceiling", min: 1, max: 1, fn: rounding("ceiling", math.Ceil, ratCeiling)},
		{name: "truncate", min: 1, max: 1, fn: rounding("truncate", math.Trunc, ratTruncate)},
		{name: "round", min: 1, max: 1, fn: rounding("round", math.RoundToEven, ratRound)},
		{name: "rationalize", min: 2, max: 2, fn: rationalize},
		{name: "exact-integer-sqrt", min: 1, max: 1, fn: exactIntegerSqrt},
	}
}

// divideIntegers returns the quotient and the remainder, whose sign is that of the divisor after floor, else that of
// the dividend.
func divideIntegers(m *machine, who string, a []Value, floor bool) (q, r Value, err error) {
	x, ok := a[0].(int64)
	y, ok2 := a[1].(int64)
	if ok && ok2 && y != 0 && y != -1 {
		q, r := x/y, x%y
		if floor && r != 0 && (r < 0) != (y < 0) {
			q, r = q-1, r+y
		}
		return q, r, nil
	}
	for i, v := range a {
		if !isInteger(v) {
			return nil, nil, wrongType(who, i, "an integer", v)
		}
	}
	if signOf(a[1]) == 0 {
		return nil, nil, fault(kindDivide, "%s: division by zero", who)
	}
	v, w := toBig(integerOf(a[0])), toBig(integerOf(a[1]))
	if err := m.spend(v.BitLen() / 256); err != nil {
		return nil, nil, err
	}
	bq, br := new(big.Int).QuoRem(v, w, new(big.Int))
	if floor && br.Sign() != 0 && br.Sign() != w.Sign() {
		bq.Sub(bq, big.NewInt(1))
		br.Add(br, w)
	}
	if isExact(a[0]) && isExact(a[1]) {
		return fromBig(bq), fromBig(br), nil
	}
	return toFloat(fromBig(bq)), toFloat(fromBig(br)), nil
}

// integerOf converts an integer to an exact one.
func integerOf(v Value) Value {
	if f, ok := v.(float64); ok {
		v, _ = toExact(f)
	}
	return v
}

func gcd(_ *machine, a []Value) (Value, error) {
	return foldIntegers("gcd", a, 0, func(x, y *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, x, y) })
}

func lcm(_ *machine, a []Value) (Value, error) {
	return foldIntegers("lcm", a, 1, func(x, y *big.Int) *big.Int {
		if x.Sign() == 0 || y.Sign() == 0 {
			return new(big.Int)
		}
		g := new(big.Int).GCD(nil, nil, x, y)
		return g.Mul(g.Quo(x, g), y)
	})
}

func foldIntegers(who string, a []Value, start int64, f func(x, y *big.Int) *big.Int) (Value, error) {
	sum, exactAll := big.NewInt(start), true
	for i, v := range a {
		if !isInteger(v) {
			return nil, wrongType(who, i, "an integer", v)
		}
		exactAll = exactAll && isExact(v)
		sum = f(sum, new(big.Int).Abs(toBig(integerOf(v))))
		if sum.BitLen() > maxBits/16 {
			return nil, tooManyBits(who)
		}
	}
	if !exactAll {
		return toFloat(fromBig(sum)), nil
	}
	return fromBig(sum), nil
}

func rounding(who string, floats func(float64) float64, rats func(*big.Rat) *big.Int) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		switch v := a[0].(type) {
		case int64, *big.Int:
			return v, nil
		case *big.Rat:
			return fromBig(rats(v)), nil
		case float64:
			return floats(v), nil
		}
		return nil, wrongType(who, 0, "a real number", a[0])
	}
}

func ratFloor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

func ratCeiling(r *big.Rat) *big.Int { return new(big.Int).Add(ratFloor(r), big.NewInt(1)) }

func ratTruncate(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) }

// ratRound rounds to the nearest integer, and a half to the even one.
func ratRound(r *big.Rat) *big.Int {
	low := ratFloor(r)
	rest := new(big.Rat).Sub(r, new(big.Rat).SetInt(low))
	if order := rest.Cmp(big.NewRat(1, 2)); order > 0 || order == 0 && low.Bit(0) == 1 {
		low.Add(low, big.NewInt(1))
	}
	return low
}

// rationalize returns the simplest rational within a distance.
func rationalize(_ *machine, a []Value) (Value, error) {
	for i, v := range a {
		if !isReal(v) {
			return nil, wrongType("rationalize", i, "a real number", v)
		}
	}
	if !isRational(a[0]) || !isRational(a[1]) {
		x, y := toFloat(a[0]), toFloat(a[1])
		switch {
		case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) && math.IsInf(y, 0):
			return math.NaN(), nil
		case math.IsInf(y, 0):
			return 0.0, nil
		}
		return x, nil
	}
	x, y := exactRat(a[0]), exactRat(a[1])
	y = new(big.Rat).Abs(y)
	v := fromRat(simplest(new(big.Rat).Sub(x, y), new(big.Rat).Add(x, y)))
	if !isExact(a[0]) || !isExact(a[1]) {
		return toFloat(v), nil
	}
	return v, nil
}

func simplest(low, high *big.Rat) *big.Rat {
	switch {
	case low.Sign() <= 0 && high.Sign() >= 0:
		return new(big.Rat)
	case high.Sign() < 0:
		r := simplest(new(big.Rat).Neg(high), new(big.Rat).Neg(low))
		return r.Neg(r)
	}
	floor := new(big.Rat).SetInt(ratFloor(low))
	if floor.Cmp(low) == 0 {
		return floor
	}
	if above := new(big.Rat).Add(floor, big.NewRat(1, 1)); above.Cmp(high) <= 0 {
		return above
	}
	rest := simplest(new(big.Rat).Inv(new(big.Rat).Sub(high, floor)), new(big.Rat).Inv(new(big.Rat).Sub(low, floor)))
	return floor.Add(floor, rest.Inv(rest))
}

func exactIntegerSqrt(_ *machine, a []Value) (Value, error) {
	if !isExactInteger(a[0]) || signOf(a[0]) < 0 {
		return nil, wrongType("exact-integer-sqrt", 0, "an exact integer that is not negative", a[0])
	}
	n := toBig(a[0])
	root := new(big.Int).Sqrt(n)
	rest := new(big.Int).Sub(n, new(big.Int).Mul(root, root))
	return &multi{[]Value{fromBig(root), fromBig(rest)}}, nil
}
