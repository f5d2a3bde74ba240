package scheme

import "testing"

func TestIntegersGrow(t *testing.T) {
	values(t, [][2]string{
		{"(+ 9223372036854775807 1)", "9223372036854775808"},
		{"(- -9223372036854775808 1)", "-9223372036854775809"},
		{"(- 9223372036854775808 1)", "9223372036854775807"},
		{"(* 4294967296 4294967296)", "18446744073709551616"},
		{"(* -9223372036854775808 -1)", "9223372036854775808"},
		{"(- -9223372036854775808)", "9223372036854775808"},
		{"(quotient -9223372036854775808 -1)", "9223372036854775808"},
		{"(abs -9223372036854775808)", "9223372036854775808"},
		{"(let loop ((i 9223372036854775800)) (if (> i 9223372036854775810) i (loop (+ i 1))))", "9223372036854775811"},
		{"(let loop ((i -9223372036854775800)) (if (< i -9223372036854775810) i (loop (- i 1))))", "-9223372036854775811"},
		{"(let fact ((n 25)) (if (= n 0) 1 (* n (fact (- n 1)))))", "15511210043330985984000000"},
		{"(expt 7 77)", "118181386580595879976868414312001964434038548836769923458287039207"},
		{"(exact-integer-sqrt 1000000000000000000000000000000000000000000)", "1000000000000000000000\n0"},
		{"(expt 2 100000000)", "error number-too-large: expt: the exact result would be too large"},
		{"(expt -1 100000000000000000001)", "-1"},
		{"(gcd 0 -5)", "5"},
		{"(lcm 4 6 10)", "60"},
	})
}

func TestDivisionsOfIntegers(t *testing.T) {
	values(t, [][2]string{
		{"(list (modulo 13 -4) (modulo -13 4) (remainder -13 4) (quotient -13 4))", "(-3 3 -1 -3)"},
		{"(list (floor-quotient -7 2) (floor-remainder -7 2) (truncate-quotient -7 2) (truncate-remainder -7 2))", "(-4 1 -3 -1)"},
		{"(modulo -100000000000000000000 7)", "5"},
		{"(modulo 5.0 -3)", "-1.0"},
		{"(modulo 5 0)", "error division-by-zero: modulo: division by zero"},
		{"(quotient 1.5 1)", "error wrong-type: quotient: argument 1 must be an integer, got the real 1.5"},
	})
}

func TestRationalsAndReals(t *testing.T) {
	values(t, [][2]string{
		{"(/ 6 4)", "3/2"},
		{"(+ 1/2 1/2)", "1"},
		{"(* 2 0.5)", "1.0"},
		{"(/ 1 3.0)", "0.3333333333333333"},
		{"(/ 1 0.0)", "+inf.0"},
		{"(/ 5 0)", "error division-by-zero: /: division by zero"},
		{"(exact 0.1)", "3602879701896397/36028797018963968"},
		{"(exact->inexact 12345678901234567890)", "12345678901234567000.0"},
		{"(list (floor -3.5) (ceiling -3.5) (round -3.5) (round 2.5) (truncate -3.5))", "(-4.0 -3.0 -4.0 2.0 -3.0)"},
		{"(list (floor 7/2) (ceiling 7/2) (round 7/2) (round 5/2))", "(3 4 4 2)"},
		{"(list (sqrt 16) (sqrt 2) (sqrt 1/4) (sqrt -1) (sqrt 16.0))", "(4 1.4142135623730951 1/2 +i 4.0)"},
		{"(rationalize 3/10 1/10)", "1/3"},
		{"(list (expt 2 -2) (expt 2.0 0.5) (expt 4 1/2) (expt 0 0))", "(1/4 1.4142135623730951 2 1)"},
		{"(list (max 1 2.0) (min 1 2) (max 1/2 1/3))", "(2.0 1 1/2)"},
		{"(list (= 1 1.0) (eqv? 1 1.0) (equal? 1/2 0.5) (eqv? 0.0 -0.0) (= 0.0 -0.0))", "(#t #f #f #f #t)"},
		{"(list (exp 0) (log 1) (sin 0.0) (atan 1 1))", "(1 0 0.0 0.7853981633974483)"},
		{"(list (numerator 6/4) (denominator 6/4) (denominator 0.5))", "(3 2 2.0)"},
		{"(list 1e21 1e-7 123456.789 1e100 -0.0)", "(1.0e+21 1.0e-7 123456.789 1.0e+100 -0.0)"},
		{"(< 1 2 3 3)", "#f"},
		{"(<= 1 2 3 3)", "#t"},
		{"(= 1 'a)", "error wrong-type: =: argument 2 must be a number, got the symbol a"},
		{"(< 1 +i)", "error wrong-type: <: argument 2 must be a real number, got the complex +i"},
	})
}

func TestComplexNumbers(t *testing.T) {
	values(t, [][2]string{
		{"(* 1+2i 3-4i)", "11+2i"},
		{"(/ 1+2i 3-4i)", "-1/5+2/5i"},
		{"(+ 1+2i -2i)", "1"},
		{"(magnitude 3+4i)", "5.0"},
		{"(list (real-part 1+2i) (imag-part 1+2i) (real-part 5) (imag-part 5))", "(1 2 5 0)"},
		{"(expt +i 2)", "-1"},
		{"(sqrt -4.0)", "0.0+2.0i"},
	})
}

func TestNumbersInOtherRadices(t *testing.T) {
	values(t, [][2]string{
		{"(map (lambda (r) (number->string 255 r)) '(2 8 10 16 36))", `("11111111" "377" "255" "ff" "73")`},
		{"(number->string 0.5 2)", `"0.1"`},
		{"(number->string -7/3 2)", `"-111/11"`},
		{"(list (string->number \"ff\" 16) (string->number \"#b101\") (string->number \"12\" 2) (string->number \"1/2\") (string->number \"\") (string->number \"-\"))", "(255 5 #f 1/2 #f #f)"},
		{"(string->number \"1e400\")", "+inf.0"},
		{"(number->string 10 1)", "error wrong-type: number->string: argument 2 must be a radix from 2 to 36, got the integer 1"},
	})
}
