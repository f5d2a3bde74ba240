// Package view turns a notebook into the rows of a page, and changes into batches of changed rows. It keeps the texts
// of the page's editors, which may run ahead, in step with the replica.
//
// The host chooses the replica and delivers the batches; the page decides how to show them.
package view
