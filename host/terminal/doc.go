// Package terminal is the side of a notebook that users at terminals see. It joins notebooks,
// follows runs and prints what they produce as it comes, asks users what programs ask, and renders
// notebooks, events and reports. Errors are in words for users and have a [Kind].
//
// A text of others never steers a terminal: it moves no cursor, names no window, reaches no
// clipboard, and shows nothing else than it is. How servers are found and what commands are called
// is left to others.
package terminal
