package main

import "fmt"

// row is a line of the table: a figure, and its comparison.
type row struct {
	what   string
	got    string
	limit  string // the budget, or a figure of a peer from the same run
	beside string // the meaning of limit
}

func printHead() {
	fmt.Printf("%-8s %-58s %16s   %s\n", "group", "what", "quire", "beside")
}

func printRows(group string, rows []row) {
	for _, r := range rows {
		beside := r.limit
		if r.beside != "" {
			beside += " (" + r.beside + ")"
		}
		fmt.Printf("%-8s %-58s %16s   %s\n", group, r.what, r.got, beside)
	}
}

// perSecond formats a rate.
func perSecond(n int, seconds float64) string {
	return fmt.Sprintf("%s/s", thousands(int(float64(n)/seconds)))
}

// thousands formats a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func millis(ms float64) string { return fmt.Sprintf("%.1f ms", ms) }
