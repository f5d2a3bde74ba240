// Package file writes files named by users and files of a data directory. A regular file is
// replaced atomically and keeps its mode, its owner and its hard links; a symbolic link is
// followed; any other file, such as a device, a pipe or a descriptor, is written in place and never
// replaced. Errors have the caller's name of the file. Content and time are up to the caller.
package file
