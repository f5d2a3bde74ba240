// Package file writes the files that people name and those of a data directory. A
// regular file is replaced whole or not at all and keeps its mode, its owner and its
// names; a link leads to the file that is written; everything else, such as a device, a
// pipe or a descriptor, is written through and never replaced. Errors name what the
// caller named. What is written, and when, is the caller's.
package file
