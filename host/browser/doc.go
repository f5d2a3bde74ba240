// Package browser hosts the core in a browser: one replica of a notebook, and the pages that show it.
// It takes commands, and returns batches of changed rows and the parts of the replica that the
// browser has to store.
//
// It promises that a stored replica resumes with its pending events. It knows nothing of JavaScript:
// the caller gives it a socket, and host/browser/wasm connects it to a worker.
package browser
