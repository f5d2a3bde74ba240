// Package view turns a notebook into the rows that a page shows of it, and what
// happens into batches of rows that changed. It keeps the texts of the page's
// editors, which may run ahead, in step with the replica.
//
// Which replica that is, how batches get to the page and what the page does with
// them is left to the host.
package view
