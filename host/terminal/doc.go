// Package terminal is the side of a notebook that users at terminals see. It joins notebooks,
// follows runs and prints their outputs as they come, asks users the questions of programs, and renders
// notebooks, events and reports. Errors are in words for users and have a [Kind].
//
// A text of others never steers a terminal: it moves no cursor, names no window, reaches no
// clipboard, and pretends to be nothing else. How servers are found and the names of commands
// are up to others.
package terminal
