// Package command executes the commands of a user on a notebook, such as moving three cells up: each becomes the events
// that it needs, and can be undone.
//
// An [Executor] belongs to one user: undo reverts the changes made through it and no others, also after others changed
// their surroundings. The host maps keys and clicks to commands.
package command
