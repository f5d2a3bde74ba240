// Package assist is the contract between an assistant and the language models that it asks.
//
// A Model answers a conversation as a stream of chunks; a Provider lists the models of one service and opens them.
// Adapters for the dialects of services are packages of their own, which translate their messages and errors to the types
// here, so that no other code knows a dialect.
package assist
