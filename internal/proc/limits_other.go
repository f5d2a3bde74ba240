//go:build !linux

package proc

import "errors"

// Set cannot limit another process here.
func (l Limits) Set(int) error {
	if l != (Limits{}) {
		return errors.New("limits need Linux")
	}
	return nil
}
