package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// S3 stores bytes as objects of a bucket, under the prefix and the hash. Uploads are first spooled
// to a local file, because an object is put under its hash, which is known at the end, and
// atomically. Its methods may be called from any goroutine.
type S3 struct {
	client    *minio.Client
	transport *http.Transport
	place     Place
	spool     *spool
}

// Keys are the credentials for a store. Session is empty for keys that do not expire.
type Keys struct{ Access, Secret, Session string }

// largestPut bounds an object that is put in one request; a larger one is put in parts, and a crash
// leaves some of them in the bucket.
const largestPut = 5 << 30

// retries bounds the attempts of a request that got no answer or a temporary error.
const retries = 4

// OpenS3 opens a place in a store, and checks that it is writable. Uploads are spooled to the
// folder dir. Owner identifies the user of the place, in letters and digits: a place with another
// owner is refused. Two processes must not have one folder, or place, open. The caller must Close
// the S3.
func OpenS3(ctx context.Context, place Place, keys Keys, dir, owner string) (*S3, error) {
	s := &S3{place: place}
	err := s.open(ctx, keys, dir, owner)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("open artifacts in %s: %w", place, err)
	}
	return s, nil
}

func (s *S3) open(ctx context.Context, keys Keys, dir, owner string) (err error) {
	if s.transport, err = minio.DefaultTransport(!s.place.Plain); err != nil {
		return err
	}
	s.client, err = minio.New(s.place.Host, &minio.Options{
		Creds: credentials.NewStaticV4(keys.Access, keys.Secret, keys.Session), Secure: !s.place.Plain,
		Region: s.place.Region, MaxRetries: retries, Transport: s.transport,
	})
	if err != nil {
		return err
	}
	if s.spool, err = openSpool(dir); err != nil {
		return err
	}
	return s.claim(ctx, owner)
}

// Close closes idle connections.
func (s *S3) Close() {
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
}

// claim records the owner of the place, unless it has another one.
func (s *S3) claim(ctx context.Context, owner string) error {
	object, err := s.client.GetObject(ctx, s.place.Bucket, s.key(ownerName), minio.GetObjectOptions{})
	if err != nil {
		return explainS3(err)
	}
	defer object.Close()
	was, err := io.ReadAll(io.LimitReader(object, 1<<10))
	if err == nil && strings.TrimSpace(string(was)) != owner {
		return errOwned(s.place.String())
	}
	if err != nil && !isNoKey(err) {
		return explainS3(err)
	}
	note := strings.NewReader(owner + "\n") // written each time, as a check of the permission
	_, err = s.client.PutObject(ctx, s.place.Bucket, s.key(ownerName), note, note.Size(), minio.PutObjectOptions{})
	return explainS3(err)
}

func (s *S3) key(name string) string { return s.place.Prefix + name }

// Put stores all of r, and returns once the store has it. ready, if it is not nil, is called when
// the hash is known and before the bytes are visible under it; if it fails Put returns its error
// and stores nothing.
func (s *S3) Put(ctx context.Context, r io.Reader, ready func(event.Artifact) error) (a event.Artifact, err error) {
	draft, err := s.spool.receive(ctx, r)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, draft.discard()) }()
	if ready != nil {
		if err := ready(draft.artifact); err != nil {
			return a, err
		}
	}
	if err := s.keep(ctx, draft); err != nil {
		return a, fmt.Errorf("keep artifact: %w", explainS3(err))
	}
	return draft.artifact, nil
}

func (s *S3) keep(ctx context.Context, draft *draft) error {
	key, size := s.key(draft.artifact.Hash), draft.artifact.Size
	info, err := s.client.StatObject(ctx, s.place.Bucket, key, minio.StatObjectOptions{})
	switch {
	case err == nil && info.Size == size:
		return nil
	case err != nil && !isNoKey(err):
		return err
	}
	if _, err := draft.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = s.client.PutObject(ctx, s.place.Bucket, key, draft.file, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: size <= largestPut,
		DisableContentSha256: size == 0, // an empty body cannot be signed in chunks: some stores miss its length
	})
	return err
}

// Open opens bytes for reading, and returns their number. It returns an error that is
// fs.ErrNotExist if there are none with the hash. They can be read until ctx ends.
func (s *S3) Open(ctx context.Context, hash string) (io.ReadSeekCloser, int64, error) {
	if !isHash(hash) {
		return nil, 0, errNone(hash)
	}
	object, err := s.client.GetObject(ctx, s.place.Bucket, s.key(hash), minio.GetObjectOptions{})
	if err != nil {
		return nil, 0, fmt.Errorf("open artifact: %w", explainS3(err))
	}
	info, err := object.Stat()
	switch {
	case isNoKey(err):
		return nil, 0, errors.Join(errNone(hash), object.Close())
	case err != nil:
		return nil, 0, errors.Join(fmt.Errorf("open artifact: %w", explainS3(err)), object.Close())
	}
	return object, info.Size, nil
}

// Delete removes bytes, if they exist.
func (s *S3) Delete(ctx context.Context, hash string) error {
	if !isHash(hash) {
		return nil
	}
	err := s.client.RemoveObject(ctx, s.place.Bucket, s.key(hash), minio.RemoveObjectOptions{})
	if err != nil && !isNoKey(err) {
		return fmt.Errorf("delete artifact: %w", explainS3(err))
	}
	return nil
}

// List calls yield with each hash and the time of its Put, in no order, and returns the first error
// of yield.
func (s *S3) List(ctx context.Context, yield func(hash string, put time.Time) error) error {
	for info := range s.client.ListObjectsIter(ctx, s.place.Bucket, minio.ListObjectsOptions{Prefix: s.place.Prefix, Recursive: true}) {
		if info.Err != nil {
			return fmt.Errorf("list artifacts: %w", explainS3(info.Err))
		}
		name := strings.TrimPrefix(info.Key, s.place.Prefix)
		if !isHash(name) {
			continue
		}
		if err := yield(name, info.LastModified); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func isNoKey(err error) bool {
	return err != nil && minio.ToErrorResponse(err).Code == minio.NoSuchKey
}

// explainS3 adds the remedy to an error of the store. A temporary one is also room.ErrUnavailable.
func explainS3(err error) error {
	if err == nil {
		return nil
	}
	switch answer := minio.ToErrorResponse(err); {
	case answer.Code == minio.NoSuchBucket:
		return fmt.Errorf("there is no such bucket, make it first: %w", err)
	case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("the store refuses the keys, see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: %w", err)
	case answer.StatusCode == 0, answer.StatusCode >= http.StatusInternalServerError:
		return errors.Join(err, room.ErrUnavailable)
	}
	return err
}
