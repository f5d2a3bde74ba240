package ownership

import "golang.org/x/sys/unix"

// hasAccessList reports whether a file's mode is not all that says who may do what.
func hasAccessList(path string) bool {
	n, err := unix.Getxattr(path, "system.posix_acl_access", nil)
	return err == nil && n > 0
}
