// Package command does what a person orders in a notebook, such as moving three
// cells up: each order becomes the events that it takes, and can be undone.
//
// A [Desk] is one person's: undo takes back what was done at that desk and nothing
// else, also after others changed what is around it. How an order is given, by a
// key or a click, is left to the host.
package command
