package ownership

import "golang.org/x/sys/unix"

// hasAccessList reports whether a file has permissions beyond its mode.
func hasAccessList(path string) bool {
	n, err := unix.Getxattr(path, "system.posix_acl_access", nil)
	return err == nil && n > 0
}
