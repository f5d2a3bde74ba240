// Package browser is the core in a browser: one replica of a notebook, and the pages
// that show it. Commands come in, batches of changed rows go out, and what has to
// outlive the browser is handed out to be stored.
//
// It knows nothing of JavaScript: the socket is lent to it, and package
// host/browser/wasm lends what a worker has.
package browser
