package scheme

import (
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
)

// maxBits bounds the size of exact integers: an operation on larger ones would take seconds that nothing can interrupt.
const maxBits = 1 << 22

// The classes of numbers, each contained in the next but for floats, which arithmetic prefers to rationals.
const (
	isInt = iota
	isBig
	isRat
	isFloat
	isComplex
	isOther
)

func classOf(v Value) int {
	switch v.(type) {
	case int64:
		return isInt
	case *big.Int:
		return isBig
	case *big.Rat:
		return isRat
	case float64:
		return isFloat
	case *compnum:
		return isComplex
	}
	return isOther
}

func fromBig(b *big.Int) Value {
	if b.IsInt64() {
		return b.Int64()
	}
	return b
}

func fromRat(r *big.Rat) Value {
	if r.IsInt() {
		return fromBig(new(big.Int).Set(r.Num()))
	}
	return r
}

// toBig converts an exact integer.
func toBig(v Value) *big.Int {
	if n, ok := v.(int64); ok {
		return big.NewInt(n)
	}
	return v.(*big.Int)
}

// toRat converts an exact real.
func toRat(v Value) *big.Rat {
	if r, ok := v.(*big.Rat); ok {
		return r
	}
	return new(big.Rat).SetInt(toBig(v))
}

// toFloat converts a real.
func toFloat(v Value) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	case *big.Rat:
		f, _ := v.Float64()
		return f
	case float64:
		return v
	}
	return math.NaN()
}

// toExact converts a finite float.
func toExact(f float64) (Value, bool) {
	if f == math.Trunc(f) && math.Abs(f) < 1<<62 {
		return int64(f), true
	}
	r := new(big.Rat).SetFloat64(f)
	if r == nil {
		return nil, false
	}
	return fromRat(r), true
}

// add computes a+b.
func add(a, b Value) (Value, error) {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			if z, ok := addInts(x, y); ok {
				return z, nil
			}
		}
	}
	switch max(classOf(a), classOf(b)) {
	case isInt, isBig:
		return withinBits("+", new(big.Int).Add(toBig(a), toBig(b)))
	case isRat:
		x, y := toRat(a), toRat(b)
		if err := ratsWithinBits("+", x, y); err != nil {
			return nil, err
		}
		return fromRat(new(big.Rat).Add(x, y)), nil
	case isFloat:
		return toFloat(a) + toFloat(b), nil
	case isComplex:
		return partwise(add, toComplex(a), toComplex(b))
	}
	return nil, noNumber("+", a, b)
}

// subtract computes a-b.
func subtract(a, b Value) (Value, error) {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			if z, ok := subInts(x, y); ok {
				return z, nil
			}
		}
	}
	switch max(classOf(a), classOf(b)) {
	case isInt, isBig:
		return withinBits("-", new(big.Int).Sub(toBig(a), toBig(b)))
	case isRat:
		x, y := toRat(a), toRat(b)
		if err := ratsWithinBits("-", x, y); err != nil {
			return nil, err
		}
		return fromRat(new(big.Rat).Sub(x, y)), nil
	case isFloat:
		return toFloat(a) - toFloat(b), nil
	case isComplex:
		return partwise(subtract, toComplex(a), toComplex(b))
	}
	return nil, noNumber("-", a, b)
}

// multiply computes a·b.
func multiply(a, b Value) (Value, error) {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			if z, ok := mulInts(x, y); ok {
				return z, nil
			}
		}
	}
	switch max(classOf(a), classOf(b)) {
	case isInt, isBig:
		x, y := toBig(a), toBig(b)
		if x.BitLen()+y.BitLen() > maxBits {
			return nil, tooManyBits("*")
		}
		return fromBig(new(big.Int).Mul(x, y)), nil
	case isRat:
		x, y := toRat(a), toRat(b)
		if err := ratsWithinBits("*", x, y); err != nil {
			return nil, err
		}
		return fromRat(new(big.Rat).Mul(x, y)), nil
	case isFloat:
		return toFloat(a) * toFloat(b), nil
	case isComplex:
		return mulComplex(toComplex(a), toComplex(b))
	}
	return nil, noNumber("*", a, b)
}

func withinBits(who string, b *big.Int) (Value, error) {
	if b.BitLen() > maxBits {
		return nil, tooManyBits(who)
	}
	return fromBig(b), nil
}

// ratsWithinBits bounds rationals further than integers, since each operation on them reduces a fraction.
func ratsWithinBits(who string, x, y *big.Rat) error {
	if x.Num().BitLen()+x.Denom().BitLen()+y.Num().BitLen()+y.Denom().BitLen() > maxBits/16 {
		return tooManyBits(who)
	}
	return nil
}

func tooManyBits(who string) *condition {
	return fault(kindNumber, "%s: the exact result would be too large", who)
}

func noNumber(who string, a, b Value) *condition {
	if !isNumber(a) {
		return wrongType(who, 0, "a number", a)
	}
	return wrongType(who, 1, "a number", b)
}

func addInts(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func subInts(a, b int64) (int64, bool) {
	c := a - b
	return c, (c < a) == (b > 0)
}

func mulInts(a, b int64) (int64, bool) {
	const half = 1 << 31
	if -half < a && a < half && -half < b && b < half {
		return a * b, true
	}
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

// divide computes a/b, exact if both are.
func divide(a, b Value) (Value, error) {
	switch max(classOf(a), classOf(b)) {
	case isInt, isBig, isRat:
		y := toRat(b)
		if y.Sign() == 0 {
			return nil, fault(kindDivide, "/: division by zero")
		}
		return multiply(a, fromRat(new(big.Rat).Inv(y)))
	case isFloat:
		if b == Value(int64(0)) {
			return nil, fault(kindDivide, "/: division by zero")
		}
		return toFloat(a) / toFloat(b), nil
	case isComplex:
		return divComplex(toComplex(a), toComplex(b))
	}
	return nil, noNumber("/", a, b)
}

// compare orders two reals exactly. It reports false if one of them is a NaN.
func compare(a, b Value) (order int, ok bool) {
	x, aInt := a.(int64)
	y, bInt := b.(int64)
	if aInt && bInt {
		return compareInts(x, y), true
	}
	f, aFloat := a.(float64)
	g, bFloat := b.(float64)
	switch {
	case aFloat && math.IsNaN(f), bFloat && math.IsNaN(g):
		return 0, false
	case aFloat && bFloat:
		return compareFloats(f, g), true
	case aFloat && math.IsInf(f, 0):
		return compareFloats(f, 0), true
	case bFloat && math.IsInf(g, 0):
		return compareFloats(0, g), true
	}
	return exactRat(a).Cmp(exactRat(b)), true
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// exactRat converts a finite real.
func exactRat(v Value) *big.Rat {
	if f, ok := v.(float64); ok {
		return new(big.Rat).SetFloat64(f)
	}
	return toRat(v)
}

// numEqual reports whether two numbers are equal in value.
func numEqual(a, b Value) bool {
	x, aComplex := a.(*compnum)
	y, bComplex := b.(*compnum)
	if aComplex || bComplex {
		if !aComplex {
			x = toComplex(a)
		}
		if !bComplex {
			y = toComplex(b)
		}
		return numEqual(x.re, y.re) && numEqual(x.im, y.im)
	}
	order, ok := compare(a, b)
	return ok && order == 0
}

// signOf returns the sign of a real; that of a NaN is 0.
func signOf(v Value) int {
	switch v := v.(type) {
	case int64:
		return compareInts(v, 0)
	case *big.Int:
		return v.Sign()
	case *big.Rat:
		return v.Sign()
	case float64:
		return compareFloats(v, 0)
	}
	return 0
}

func isReal(v Value) bool { return classOf(v) <= isFloat }

func isExact(v Value) bool {
	if c, ok := v.(*compnum); ok {
		return classOf(c.re) <= isRat && classOf(c.im) <= isRat
	}
	return classOf(v) <= isRat
}

func isExactInteger(v Value) bool { return classOf(v) <= isBig }

func isInteger(v Value) bool {
	f, ok := v.(float64)
	return isExactInteger(v) || ok && f == math.Trunc(f) && !math.IsInf(f, 0)
}

func negate(v Value) (Value, error) {
	if f, ok := v.(float64); ok {
		return -f, nil
	}
	return subtract(int64(0), v)
}

// compnum is a complex number whose imaginary part is not the exact zero. Its parts are reals, both exact or both not.
type compnum struct{ re, im Value }

func makeRectangular(re, im Value) Value {
	if im == Value(int64(0)) {
		return re
	}
	if isExact(re) != isExact(im) {
		re, im = toFloat(re), toFloat(im)
	}
	return &compnum{re, im}
}

func makePolar(length, angle Value) Value {
	if angle == Value(int64(0)) {
		return length
	}
	sin, cos := math.Sincos(toFloat(angle))
	l := toFloat(length)
	return makeRectangular(l*cos, l*sin)
}

// toComplex converts any number; the imaginary part may then be zero.
func toComplex(v Value) *compnum {
	if c, ok := v.(*compnum); ok {
		return c
	}
	return &compnum{v, int64(0)}
}

// native converts a number to Go's complex numbers.
func native(v Value) complex128 {
	c := toComplex(v)
	return complex(toFloat(c.re), toFloat(c.im))
}

// fromNative converts a result; a real one stays complex, since its imaginary part is inexact.
func fromNative(c complex128) Value { return makeRectangular(real(c), imag(c)) }

// partwise applies add or subtract to the parts.
func partwise(o func(a, b Value) (Value, error), a, b *compnum) (Value, error) {
	re, err := o(a.re, b.re)
	if err != nil {
		return nil, err
	}
	im, err := o(a.im, b.im)
	if err != nil {
		return nil, err
	}
	return makeRectangular(re, im), nil
}

// sums adds the products of parts, or subtracts the second: a·b ± c·d.
func sums(minus bool, a, b, c, d Value) (Value, error) {
	x, err := multiply(a, b)
	if err != nil {
		return nil, err
	}
	y, err := multiply(c, d)
	if err != nil {
		return nil, err
	}
	if minus {
		return subtract(x, y)
	}
	return add(x, y)
}

func mulComplex(a, b *compnum) (Value, error) {
	re, err := sums(true, a.re, b.re, a.im, b.im)
	if err != nil {
		return nil, err
	}
	im, err := sums(false, a.re, b.im, a.im, b.re)
	if err != nil {
		return nil, err
	}
	return makeRectangular(re, im), nil
}

// divComplex multiplies by the conjugate over the square of the magnitude.
func divComplex(a, b *compnum) (Value, error) {
	square, err := sums(false, b.re, b.re, b.im, b.im)
	if err != nil {
		return nil, err
	}
	im, err := negate(b.im)
	if err != nil {
		return nil, err
	}
	over, err := mulComplex(a, &compnum{b.re, im})
	if err != nil {
		return nil, err
	}
	c := toComplex(over)
	re, err := divide(c.re, square)
	if err != nil {
		return nil, err
	}
	im, err = divide(c.im, square)
	if err != nil {
		return nil, err
	}
	return makeRectangular(re, im), nil
}

func magnitude(v Value) Value {
	c, ok := v.(*compnum)
	if !ok {
		return absolute(v)
	}
	return math.Hypot(toFloat(c.re), toFloat(c.im))
}

func angleOf(v Value) Value {
	if c, ok := v.(*compnum); ok {
		return math.Atan2(toFloat(c.im), toFloat(c.re))
	}
	if isExact(v) && signOf(v) > 0 {
		return int64(0)
	}
	return math.Atan2(0, toFloat(v))
}

// complexSqrt returns the principal root, exact if both parts of it are integers.
func complexSqrt(v Value) Value {
	root := cmplx.Sqrt(native(v))
	re, ok := toExact(real(root))
	im, ok2 := toExact(imag(root))
	if isExact(v) && ok && ok2 && isExactInteger(re) && isExactInteger(im) {
		exact := makeRectangular(re, im)
		if square, err := multiply(exact, exact); err == nil && numEqual(square, v) {
			return exact
		}
	}
	return fromNative(root)
}
