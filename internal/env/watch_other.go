//go:build !linux

package env

import "context"

func watch(ctx context.Context, dir string, ready func(), changed func(Change)) error {
	return poll(ctx, dir, pollInterval, ready, changed)
}
