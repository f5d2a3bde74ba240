package scheme

import (
	"math"
	"math/big"
	"math/cmplx"
)

// realPrims are the transcendental procedures, and those of complex numbers.
func realPrims() []*prim {
	function := func(name string, real func(float64) float64, comp func(complex128) complex128, within func(float64) bool) *prim {
		return &prim{name: name, min: 1, max: 1, fn: onNumber(name, func(v Value) (Value, error) {
			if isReal(v) && (within == nil || within(toFloat(v))) {
				return real(toFloat(v)), nil
			}
			return fromNative(comp(native(v))), nil
		})}
	}
	unit := func(f float64) bool { return -1 <= f && f <= 1 || math.IsNaN(f) }
	return []*prim{
		{name: "exp", min: 1, max: 1, fn: onNumber("exp", exponential)},
		{name: "log", min: 1, max: 2, fn: logarithm},
		function("sin", math.Sin, cmplx.Sin, nil),
		function("cos", math.Cos, cmplx.Cos, nil),
		function("tan", math.Tan, cmplx.Tan, nil),
		function("asin", math.Asin, cmplx.Asin, unit),
		function("acos", math.Acos, cmplx.Acos, unit),
		{name: "atan", min: 1, max: 2, fn: arcTangent},
		{name: "sqrt", min: 1, max: 1, fn: onNumber("sqrt", squareRoot)},
		{name: "expt", min: 2, max: 2, fn: power},
		{name: "make-rectangular", min: 2, max: 2, fn: onReals("make-rectangular", makeRectangular)},
		{name: "make-polar", min: 2, max: 2, fn: onReals("make-polar", makePolar)},
		{name: "real-part", min: 1, max: 1, fn: onNumber("real-part", func(v Value) (Value, error) { return toComplex(v).re, nil })},
		{name: "imag-part", min: 1, max: 1, fn: onNumber("imag-part", func(v Value) (Value, error) { return toComplex(v).im, nil })},
		{name: "magnitude", min: 1, max: 1, fn: onNumber("magnitude", func(v Value) (Value, error) { return magnitude(v), nil })},
		{name: "angle", min: 1, max: 1, fn: onNumber("angle", func(v Value) (Value, error) { return angleOf(v), nil })},
	}
}

func onReals(who string, f func(a, b Value) Value) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		for i, v := range a {
			if !isReal(v) {
				return nil, wrongType(who, i, "a real number", v)
			}
		}
		return f(a[0], a[1]), nil
	}
}

func exponential(v Value) (Value, error) {
	if v == Value(int64(0)) {
		return int64(1), nil
	}
	if isReal(v) {
		return math.Exp(toFloat(v)), nil
	}
	return fromNative(cmplx.Exp(native(v))), nil
}

func logarithm(_ *machine, a []Value) (Value, error) {
	for i, v := range a {
		if !isNumber(v) {
			return nil, wrongType("log", i, "a number", v)
		}
	}
	if len(a) == 2 {
		if isReal(a[0]) && isReal(a[1]) && signOf(a[0]) > 0 && signOf(a[1]) > 0 {
			switch toFloat(a[1]) {
			case 2:
				return math.Log2(toFloat(a[0])), nil
			case 10:
				return math.Log10(toFloat(a[0])), nil
			}
		}
		over, err := naturalLog(a[0])
		if err != nil {
			return nil, err
		}
		under, err := naturalLog(a[1])
		if err != nil {
			return nil, err
		}
		return divide(over, under)
	}
	return naturalLog(a[0])
}

func naturalLog(v Value) (Value, error) {
	switch {
	case v == Value(int64(1)):
		return int64(0), nil
	case v == Value(int64(0)):
		return nil, fault(kindDivide, "log: the logarithm of zero is no number")
	}
	if b, ok := v.(*big.Int); ok && b.Sign() > 0 && b.BitLen() > 1000 { // beyond a float
		shift := b.BitLen() - 900
		f, _ := new(big.Float).SetInt(new(big.Int).Rsh(b, uint(shift))).Float64()
		return math.Log(f) + float64(shift)*math.Ln2, nil
	}
	if isReal(v) && (signOf(v) >= 0 || math.IsNaN(toFloat(v))) {
		return math.Log(toFloat(v)), nil
	}
	return fromNative(cmplx.Log(native(v))), nil
}

func arcTangent(_ *machine, a []Value) (Value, error) {
	for i, v := range a {
		if !isNumber(v) || len(a) == 2 && !isReal(v) {
			return nil, wrongType("atan", i, "a number", v)
		}
	}
	switch {
	case len(a) == 2 && a[0] == Value(int64(0)) && isExact(a[1]):
		switch signOf(a[1]) {
		case 0:
			return nil, fault(kindDivide, "atan: both arguments are zero")
		case 1:
			return int64(0), nil
		}
		return math.Pi, nil
	case len(a) == 2:
		return math.Atan2(toFloat(a[0]), toFloat(a[1])), nil
	case a[0] == Value(int64(0)):
		return a[0], nil
	case isReal(a[0]):
		return math.Atan(toFloat(a[0])), nil
	}
	return fromNative(cmplx.Atan(native(a[0]))), nil
}

// squareRoot returns an exact root where there is one.
func squareRoot(v Value) (Value, error) {
	if !isReal(v) || signOf(v) < 0 {
		if !isReal(v) || !isExact(v) {
			return complexSqrt(v), nil
		}
		root, err := squareRoot(absolute(v))
		return makeRectangular(int64(0), root), err
	}
	if isExact(v) {
		r := toRat(v)
		num, den := new(big.Int).Sqrt(r.Num()), new(big.Int).Sqrt(r.Denom())
		if new(big.Int).Mul(num, num).Cmp(r.Num()) == 0 && new(big.Int).Mul(den, den).Cmp(r.Denom()) == 0 {
			return fromRat(new(big.Rat).SetFrac(num, den)), nil
		}
	}
	return math.Sqrt(toFloat(v)), nil
}

func power(m *machine, a []Value) (Value, error) {
	for i, v := range a {
		if !isNumber(v) {
			return nil, wrongType("expt", i, "a number", v)
		}
	}
	base, exponent := a[0], a[1]
	switch {
	case isExactInteger(exponent):
		if f, ok := base.(float64); ok {
			return math.Pow(f, toFloat(exponent)), nil
		}
		return exactPower(m, base, exponent)
	case isReal(base) && isReal(exponent) && (signOf(base) >= 0 || isInteger(exponent)):
		if base == Value(int64(0)) && signOf(exponent) > 0 {
			return int64(0), nil
		}
		return rationalPower(base, exponent)
	}
	if numEqual(base, int64(0)) {
		return base, nil
	}
	return fromNative(cmplx.Pow(native(base), native(exponent))), nil
}

// rationalPower keeps exact roots, such as (expt 4 1/2).
func rationalPower(base, exponent Value) (Value, error) {
	if r, ok := exponent.(*big.Rat); ok && isExact(base) && r.Cmp(big.NewRat(1, 2)) == 0 {
		return squareRoot(base)
	}
	return math.Pow(toFloat(base), toFloat(exponent)), nil
}

// exactPower multiplies by squaring.
func exactPower(m *machine, base, exponent Value) (Value, error) {
	if signOf(exponent) < 0 {
		inverse, err := divide(int64(1), base)
		if err != nil {
			return nil, err
		}
		positive, err := negate(exponent)
		if err != nil {
			return nil, err
		}
		return exactPower(m, inverse, positive)
	}
	if base == Value(int64(0)) || base == Value(int64(1)) {
		if signOf(exponent) == 0 {
			return int64(1), nil
		}
		return base, nil
	}
	n, ok := exponent.(int64)
	if !ok || n > maxBits {
		if base == Value(int64(-1)) {
			return int64(1) - 2*int64(toBig(exponent).Bit(0)), nil
		}
		return nil, tooManyBits("expt")
	}
	var product Value = int64(1)
	for {
		var err error
		if n&1 == 1 {
			if product, err = bounded(m, product, base, multiply); err != nil {
				return nil, err
			}
		}
		if n >>= 1; n == 0 {
			return product, nil
		}
		if base, err = bounded(m, base, base, multiply); err != nil {
			return nil, err
		}
	}
}
