// Package pipehost is the host's side of an interpreter in a process of its own that talks over pipes, as far as it is the same
// for every interpreter and every form of messages.
//
// A [Process] has the pipes: two of text, which are the program's stdout and stderr, one of messages from the interpreter,
// and one of requests to it. A [Merge] puts text and messages into the order in which they were written, by marks that the
// interpreter writes into the text. A sink that blocks makes the program wait: nothing is dropped, and nothing piles up.
//
// What a message means is left to the packages of the interpreters.
package pipehost
