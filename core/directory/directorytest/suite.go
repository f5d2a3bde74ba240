// Package directorytest has the suites of a directory of notebooks, with its people, their roles
// and its artifacts, and a directory in memory that passes them.
package directorytest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// Directory is a directory of notebooks, of people, and of the roles of people in notebooks.
// All methods may be called from any goroutine. Errors wrap those of package directory.
type Directory interface {
	// CreateNotebook stores a new notebook with an empty log, and grants its owner that
	// role. It returns ErrExists if the id is taken, and ErrNotFound if the owner is
	// unknown. A notebook is updated no earlier than it is created.
	CreateNotebook(ctx context.Context, n directory.Notebook) error
	// Notebook returns a notebook, deleted or not, or ErrNotFound.
	Notebook(ctx context.Context, id string) (directory.Notebook, error)
	// ListNotebooks returns the notebooks of a query, in its order. A page with fewer than
	// its limit is the last one.
	ListNotebooks(ctx context.Context, q directory.Query) ([]directory.Listing, error)
	// DeleteNotebook records the time of a deletion, and removes nothing. A second
	// deletion keeps the first time.
	DeleteNotebook(ctx context.Context, id string, at event.Time) error
	// RestoreNotebook undoes DeleteNotebook.
	RestoreNotebook(ctx context.Context, id string) error

	// UpsertPerson stores a person, or the new name and email of a known one.
	UpsertPerson(ctx context.Context, p directory.Person) error
	// Person returns a person, or ErrNotFound.
	Person(ctx context.Context, id string) (directory.Person, error)

	// Grant gives a person a role in a notebook, in place of an earlier one. It returns
	// ErrOwner for the owner of the notebook, and ErrNotFound if either is unknown.
	Grant(ctx context.Context, g directory.Grant) error
	// Revoke removes the role of a person, if there is one. It returns ErrOwner for the owner.
	Revoke(ctx context.Context, notebook, person string) error
	// Role returns the role of a person in a notebook, the empty one if there is none.
	Role(ctx context.Context, notebook, person string) (access.Role, error)
	// Access returns the grants of a notebook, ordered by person.
	Access(ctx context.Context, notebook string) ([]directory.Grant, error)

	// Log returns the log of a notebook. An append brings the listing up to date: the time
	// of the notebook up to a second late, its title and its number of cells.
	Log(notebook string) room.Log
}

var rules = []struct {
	name string
	test func(t *testing.T, d Directory)
}{
	{"a notebook is found as it was created, and has a log", created},
	{"an unknown or taken id has its error", errorsOf},
	{"a person is stored once, with the latest name", people},
	{"a role is granted, changed and revoked", roles},
	{"a deleted notebook leaves the list, and is restored whole", deleted},
	{"lists are of a person or an owner, in pages", lists},
	{"lists are sorted and searched", sorted},
	{"an append updates the title and the time", appended},
	{"an append updates the number of cells", counted},
	{"a call whose context has ended does nothing", ended},
}

// Suite checks a directory. Every call of open must return a new one without notebooks.
func Suite(t *testing.T, open func(t *testing.T) Directory) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.test(t, open(t)) })
	}
}

func created(t *testing.T, d Directory) {
	want := directory.Notebook{ID: "n1", Title: "First", Owner: "ada", Created: 10, Updated: 10, Cells: new(int)}
	create(t, d, want)
	got, err := d.Notebook(t.Context(), "n1")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	if err := d.Log("n1").Append(t.Context(), room.Batch{Records: roomtest.Records(0, 2), Time: 10}); err != nil {
		t.Errorf("append to its log: %v", err)
	}
	wantRole(t, d, "n1", "ada", access.Owner)
}

func errorsOf(t *testing.T, d Directory) {
	create(t, d, directory.Notebook{ID: "n1", Owner: "ada"})
	ctx := t.Context()
	_, notebook := d.Notebook(ctx, "n2")
	_, person := d.Person(ctx, "bob")
	for name, c := range map[string]struct{ got, want error }{
		"a notebook":            {notebook, directory.ErrNotFound},
		"a person":              {person, directory.ErrNotFound},
		"a taken id":            {d.CreateNotebook(ctx, directory.Notebook{ID: "n1", Owner: "ada"}), directory.ErrExists},
		"an unknown owner":      {d.CreateNotebook(ctx, directory.Notebook{ID: "n3", Owner: "bob"}), directory.ErrNotFound},
		"delete":                {d.DeleteNotebook(ctx, "n2", 1), directory.ErrNotFound},
		"restore":               {d.RestoreNotebook(ctx, "n2"), directory.ErrNotFound},
		"grant to a stranger":   {d.Grant(ctx, directory.Grant{Notebook: "n1", Person: "bob", Role: access.Viewer}), directory.ErrNotFound},
		"grant in none":         {d.Grant(ctx, directory.Grant{Notebook: "n2", Person: "ada", Role: access.Viewer}), directory.ErrNotFound},
		"grant to the owner":    {d.Grant(ctx, directory.Grant{Notebook: "n1", Person: "ada", Role: access.Viewer}), directory.ErrOwner},
		"revoke the owner":      {d.Revoke(ctx, "n1", "ada"), directory.ErrOwner},
		"a log of no notebook":  {d.Log("n3").Append(ctx, room.Batch{}), room.ErrNotFound},
		"revoke in no notebook": {d.Revoke(ctx, "n2", "ada"), directory.ErrNotFound},
		"revoke no role":        {d.Revoke(ctx, "n1", "bob"), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	if errors.Is(notebook, directory.ErrPurged) {
		t.Errorf("got %v for a notebook that never existed", notebook)
	}
	wantRole(t, d, "n1", "ada", access.Owner)
	wantList(t, d, directory.Query{}, []string{"n1"})
}

func people(t *testing.T, d Directory) {
	for _, p := range []directory.Person{{ID: "ada", Name: "A", Created: 5}, {ID: "ada", Name: "Ada", Email: "ada@example.org", Created: 9}} {
		if err := d.UpsertPerson(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := d.Person(t.Context(), "ada")
	want := directory.Person{ID: "ada", Name: "Ada", Email: "ada@example.org", Created: 5}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
}

func roles(t *testing.T, d Directory) {
	create(t, d, directory.Notebook{ID: "n1", Owner: "ada"})
	if err := d.UpsertPerson(t.Context(), directory.Person{ID: "bob"}); err != nil {
		t.Fatal(err)
	}
	for _, role := range []access.Role{access.Viewer, access.Editor} {
		if err := d.Grant(t.Context(), directory.Grant{Notebook: "n1", Person: "bob", Role: role}); err != nil {
			t.Fatal(err)
		}
		wantRole(t, d, "n1", "bob", role)
	}
	got, err := d.Access(t.Context(), "n1")
	want := []directory.Grant{{Notebook: "n1", Person: "ada", Role: access.Owner}, {Notebook: "n1", Person: "bob", Role: access.Editor}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("access: %v (-want +got):\n%s", err, diff)
	}
	if err := d.Revoke(t.Context(), "n1", "bob"); err != nil {
		t.Fatal(err)
	}
	wantRole(t, d, "n1", "bob", "")
	for _, role := range []access.Role{"", "king", access.Runtime, access.Assistant} {
		if err := d.Grant(t.Context(), directory.Grant{Notebook: "n1", Person: "bob", Role: role}); err == nil {
			t.Errorf("grant %q: got no error, want one", role)
		}
	}
	wantRole(t, d, "n1", "bob", "")
}

func deleted(t *testing.T, d Directory) {
	create(t, d, directory.Notebook{ID: "n1", Owner: "ada"})
	if err := d.Log("n1").Append(t.Context(), room.Batch{Records: roomtest.Records(0, 3)}); err != nil {
		t.Fatal(err)
	}
	for _, at := range []event.Time{50, 60} {
		if err := d.DeleteNotebook(t.Context(), "n1", at); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := d.Notebook(t.Context(), "n1"); err != nil || n.Deleted != 50 {
		t.Errorf("got deleted at %d and %v, want 50", n.Deleted, err)
	}
	wantList(t, d, directory.Query{}, nil)
	wantList(t, d, directory.Query{Deleted: true}, []string{"n1"})
	if err := d.RestoreNotebook(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
	wantList(t, d, directory.Query{}, []string{"n1"})
	if last, err := d.Log("n1").Last(t.Context()); err != nil || last != 3 {
		t.Errorf("its log ends at %d with %v, want 3", last, err)
	}
}

func lists(t *testing.T, d Directory) {
	for i := range 6 {
		owner := []string{"ada", "bob"}[i%2]
		create(t, d, directory.Notebook{ID: fmt.Sprint("n", i), Owner: owner, Created: event.Time(100 - i/2)})
	}
	if err := d.Grant(t.Context(), directory.Grant{Notebook: "n1", Person: "ada", Role: access.Viewer}); err != nil {
		t.Fatal(err)
	}
	wantList(t, d, directory.Query{}, []string{"n1", "n0", "n3", "n2", "n5", "n4"})
	wantList(t, d, directory.Query{Owner: "bob"}, []string{"n1", "n3", "n5"})
	wantList(t, d, directory.Query{Person: "ada"}, []string{"n1 viewer", "n0 owner", "n2 owner", "n4 owner"})
	wantList(t, d, directory.Query{Person: "ada", Owner: "bob"}, []string{"n1 viewer"})
	wantList(t, d, directory.Query{Person: "eve"}, nil)
	wantPages(t, d, directory.Query{Limit: 4}, []string{"n1", "n0", "n3", "n2", "n5", "n4"})
}

func sorted(t *testing.T, d Directory) {
	for i, title := range []string{"beta", "Alpha", "été", "BETA", "Été %", "alpha_1"} {
		at := event.Time(100 + i)
		create(t, d, directory.Notebook{ID: fmt.Sprint("n", i), Title: title, Owner: "ada", Created: at, Updated: 1000 - at})
	}
	for name, c := range map[string]struct {
		q    directory.Query
		want []string
	}{
		"updated":            {directory.Query{}, []string{"n0", "n1", "n2", "n3", "n4", "n5"}},
		"updated, ascending": {directory.Query{Ascending: true}, []string{"n5", "n4", "n3", "n2", "n1", "n0"}},
		"created":            {directory.Query{Sort: directory.ByCreation}, []string{"n5", "n4", "n3", "n2", "n1", "n0"}},
		"created, ascending": {directory.Query{Sort: directory.ByCreation, Ascending: true}, []string{"n0", "n1", "n2", "n3", "n4", "n5"}},
		"title, ascending":   {directory.Query{Sort: directory.ByTitle, Ascending: true}, []string{"n1", "n5", "n0", "n3", "n4", "n2"}},
		"title":              {directory.Query{Sort: directory.ByTitle}, []string{"n2", "n4", "n3", "n0", "n5", "n1"}},
		"a search":           {directory.Query{Search: "BETA"}, []string{"n0", "n3"}},
		"another case":       {directory.Query{Search: "ÉTÉ"}, []string{"n2", "n4"}},
		"a percent sign":     {directory.Query{Search: "%"}, []string{"n4"}},
		"an underscore":      {directory.Query{Search: "a_"}, []string{"n5"}},
		"two words":          {directory.Query{Search: "1 alpha"}, []string{"n5"}},
		"no match":           {directory.Query{Search: "gamma"}, nil},
		"a sorted search":    {directory.Query{Search: "a", Sort: directory.ByTitle, Ascending: true}, []string{"n1", "n5", "n0", "n3"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantPages(t, d, c.q, c.want)
			for limit := 1; limit < 4; limit++ {
				c.q.Limit = limit
				wantPages(t, d, c.q, c.want)
			}
		})
	}
}

func appended(t *testing.T, d Directory) {
	create(t, d, directory.Notebook{ID: "n1", Title: "old", Owner: "ada", Created: 10_000})
	title := "new"
	for i, b := range []struct {
		time  event.Time
		title *string
		want  event.Time
	}{
		{10_999, nil, 10_000}, // within a second
		{11_000, &title, 11_000},
		{11_500, nil, 11_000},
		{90_000, nil, 90_000},
		{20_000, nil, 90_000}, // a clock that was set back
	} {
		err := d.Log("n1").Append(t.Context(), room.Batch{
			After: event.Seq(i), Records: roomtest.Records(event.Seq(i), 1), Time: b.time, Title: b.title,
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := d.Notebook(t.Context(), "n1"); err != nil || n.Updated != b.want {
			t.Errorf("after time %d: got %d and %v, want %d", b.time, n.Updated, err, b.want)
		}
	}
	if n, err := d.Notebook(t.Context(), "n1"); err != nil || n.Title != title {
		t.Errorf("got title %q and %v, want %q", n.Title, err, title)
	}
}

func counted(t *testing.T, d Directory) {
	create(t, d, directory.Notebook{ID: "n1", Owner: "ada"})
	for i, cells := range []*int{new(3), nil, new(2)} {
		err := d.Log("n1").Append(t.Context(), room.Batch{
			After: event.Seq(i), Records: roomtest.Records(event.Seq(i), 1), Cells: cells,
		})
		if err != nil {
			t.Fatal(err)
		}
		list, err := d.ListNotebooks(t.Context(), directory.Query{})
		if want := []int{3, 3, 2}[i]; err != nil || len(list) != 1 || list[0].Cells == nil || *list[0].Cells != want {
			t.Errorf("after batch %d: got %v and %v, want %d cells", i+1, list, err, want)
		}
	}
}

func ended(t *testing.T, d Directory) {
	create(t, d, directory.Notebook{ID: "n1", Owner: "ada"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, notebook := d.Notebook(ctx, "n1")
	_, list := d.ListNotebooks(ctx, directory.Query{})
	_, role := d.Role(ctx, "n1", "ada")
	for name, err := range map[string]error{
		"create": d.CreateNotebook(ctx, directory.Notebook{ID: "n2", Owner: "ada"}),
		"delete": d.DeleteNotebook(ctx, "n1", 1),
		"person": d.UpsertPerson(ctx, directory.Person{ID: "bob"}),
		"find":   notebook, "list": list, "role": role,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want that the context has ended", name, err)
		}
	}
	wantList(t, d, directory.Query{}, []string{"n1"})
}

// create stores the owner of a notebook, and the notebook.
func create(t *testing.T, d Directory, n directory.Notebook) {
	t.Helper()
	if err := d.UpsertPerson(t.Context(), directory.Person{ID: n.Owner}); err != nil {
		t.Fatal(err)
	}
	if err := d.CreateNotebook(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func wantRole(t *testing.T, d Directory, notebook, person string, want access.Role) {
	t.Helper()
	if got, err := d.Role(t.Context(), notebook, person); err != nil || got != want {
		t.Errorf("role of %s in %s: got %q and %v, want %q", person, notebook, got, err, want)
	}
}

// wantList compares a list as ids, with the roles where there are any.
func wantList(t *testing.T, d Directory, q directory.Query, want []string) {
	t.Helper()
	list, err := d.ListNotebooks(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		s := l.ID
		if l.Role != "" {
			s += " " + string(l.Role)
		}
		got = append(got, s)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list %+v (-want +got):\n%s", q, diff)
	}
}

// wantPages compares the ids of a list that is read page by page.
func wantPages(t *testing.T, d Directory, q directory.Query, want []string) {
	t.Helper()
	var got []string
	for {
		page, err := d.ListNotebooks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range page {
			got = append(got, l.ID)
			q.After = q.Cursor(l)
		}
		if len(page) < q.Limit || q.Limit == 0 {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages of %d (-want +got):\n%s", q.Limit, diff)
	}
}
