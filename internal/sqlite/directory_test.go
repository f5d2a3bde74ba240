package sqlite_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/internal/sqlite"
)

func TestOnlyWhatWasPurgedIsSaidToBe(t *testing.T) {
	db := open(t, sqlite.Config{})
	if _, err := db.Notebook(t.Context(), "never"); errors.Is(err, directory.ErrPurged) {
		t.Errorf("got %v of a notebook that never was", err)
	}
}

func TestANotebookIsFoundAsItWasCreatedAndHasALog(t *testing.T) {
	db := open(t, sqlite.Config{})
	want := directory.Notebook{ID: "n1", Title: "First", Owner: "ada", Created: 10, Updated: 10, Cells: new(int)}
	createNotebook(t, db, want)
	got, err := db.Notebook(t.Context(), "n1")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	mustAppend(t, db.Log("n1"), 0, 2)
	wantRole(t, db, "n1", "ada", access.Owner)
}

func TestWhatDoesNotExistOrExistsAlreadyIsSaid(t *testing.T) {
	db := open(t, sqlite.Config{})
	createNotebook(t, db, directory.Notebook{ID: "n1", Owner: "ada"})
	ctx := t.Context()
	_, notebook := db.Notebook(ctx, "n2")
	_, person := db.Person(ctx, "bob")
	for name, c := range map[string]struct{ got, want error }{
		"a notebook":             {notebook, directory.ErrNotFound},
		"a person":               {person, directory.ErrNotFound},
		"a taken id":             {db.CreateNotebook(ctx, directory.Notebook{ID: "n1", Owner: "ada"}), directory.ErrExists},
		"a log of a notebook":    {db.CreateLog(ctx, "n1"), directory.ErrExists},
		"an unknown owner":       {db.CreateNotebook(ctx, directory.Notebook{ID: "n3", Owner: "bob"}), directory.ErrNotFound},
		"delete":                 {db.DeleteNotebook(ctx, "n2", 1), directory.ErrNotFound},
		"restore":                {db.RestoreNotebook(ctx, "n2"), directory.ErrNotFound},
		"grant to a stranger":    {db.Grant(ctx, directory.Grant{Notebook: "n1", Person: "bob", Role: access.Viewer}), directory.ErrNotFound},
		"grant in none":          {db.Grant(ctx, directory.Grant{Notebook: "n2", Person: "ada", Role: access.Viewer}), directory.ErrNotFound},
		"grant to the owner":     {db.Grant(ctx, directory.Grant{Notebook: "n1", Person: "ada", Role: access.Viewer}), directory.ErrOwner},
		"revoke the owner":       {db.Revoke(ctx, "n1", "ada"), directory.ErrOwner},
		"a log of no notebook":   {db.Log("n3").Append(ctx, room.Batch{}), room.ErrNotFound},
		"revoke in no notebook":  {db.Revoke(ctx, "n2", "ada"), directory.ErrNotFound},
		"revoke what is not had": {db.Revoke(ctx, "n1", "bob"), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	wantRole(t, db, "n1", "ada", access.Owner)
}

func TestAPersonIsStoredOnceWithTheLatestName(t *testing.T) {
	db := open(t, sqlite.Config{})
	for _, p := range []directory.Person{{ID: "ada", Name: "A", Created: 5}, {ID: "ada", Name: "Ada", Email: "ada@example.org", Created: 9}} {
		if err := db.UpsertPerson(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := db.Person(t.Context(), "ada")
	want := directory.Person{ID: "ada", Name: "Ada", Email: "ada@example.org", Created: 5}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
}

func TestARoleIsGrantedChangedAndTakenAway(t *testing.T) {
	db := open(t, sqlite.Config{})
	createNotebook(t, db, directory.Notebook{ID: "n1", Owner: "ada"})
	if err := db.UpsertPerson(t.Context(), directory.Person{ID: "bob"}); err != nil {
		t.Fatal(err)
	}
	for _, role := range []access.Role{access.Viewer, access.Editor} {
		if err := db.Grant(t.Context(), directory.Grant{Notebook: "n1", Person: "bob", Role: role}); err != nil {
			t.Fatal(err)
		}
		wantRole(t, db, "n1", "bob", role)
	}
	got, err := db.Access(t.Context(), "n1")
	want := []directory.Grant{{Notebook: "n1", Person: "ada", Role: access.Owner}, {Notebook: "n1", Person: "bob", Role: access.Editor}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("access: %v (-want +got):\n%s", err, diff)
	}
	if err := db.Revoke(t.Context(), "n1", "bob"); err != nil {
		t.Fatal(err)
	}
	wantRole(t, db, "n1", "bob", "")
	for _, role := range []access.Role{"", "king", access.Runtime} {
		if err := db.Grant(t.Context(), directory.Grant{Notebook: "n1", Person: "bob", Role: role}); err == nil {
			t.Errorf("grant %q: got no error, want one", role)
		}
	}
}

func TestADeletedNotebookLeavesTheListAndComesBackWhole(t *testing.T) {
	db := open(t, sqlite.Config{})
	createNotebook(t, db, directory.Notebook{ID: "n1", Owner: "ada"})
	mustAppend(t, db.Log("n1"), 0, 3)
	for _, at := range []event.Time{50, 60} {
		if err := db.DeleteNotebook(t.Context(), "n1", at); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := db.Notebook(t.Context(), "n1"); err != nil || n.Deleted != 50 {
		t.Errorf("got deleted at %d and %v, want 50", n.Deleted, err)
	}
	wantList(t, db, directory.Query{}, nil)
	wantList(t, db, directory.Query{Deleted: true}, []string{"n1"})
	if err := db.RestoreNotebook(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
	wantList(t, db, directory.Query{}, []string{"n1"})
	wantCount(t, db.Log("n1"), 3)
}

func TestListsAreByTimeAndPersonAndOwnerAndComeInPages(t *testing.T) {
	db := open(t, sqlite.Config{})
	for i := range 6 {
		owner := []string{"ada", "bob"}[i%2]
		createNotebook(t, db, directory.Notebook{ID: fmt.Sprint("n", i), Owner: owner, Created: event.Time(100 - i/2)})
	}
	if err := db.Grant(t.Context(), directory.Grant{Notebook: "n1", Person: "ada", Role: access.Viewer}); err != nil {
		t.Fatal(err)
	}
	wantList(t, db, directory.Query{}, []string{"n1", "n0", "n3", "n2", "n5", "n4"})
	wantList(t, db, directory.Query{Owner: "bob"}, []string{"n1", "n3", "n5"})
	wantList(t, db, directory.Query{Person: "ada"}, []string{"n1 viewer", "n0 owner", "n2 owner", "n4 owner"})
	wantList(t, db, directory.Query{Person: "ada", Owner: "bob"}, []string{"n1 viewer"})
	wantList(t, db, directory.Query{Person: "eve"}, nil)

	wantPages(t, db, directory.Query{Limit: 4}, []string{"n1", "n0", "n3", "n2", "n5", "n4"})
}

func TestListsAreSortedAndSearched(t *testing.T) {
	db := open(t, sqlite.Config{})
	for i, title := range []string{"beta", "Alpha", "été", "BETA", "Été %", "alpha_1"} {
		at := event.Time(100 + i)
		createNotebook(t, db, directory.Notebook{ID: fmt.Sprint("n", i), Title: title, Owner: "ada", Created: at, Updated: 1000 - at})
	}
	for name, c := range map[string]struct {
		q    directory.Query
		want []string
	}{
		"changed":         {directory.Query{}, []string{"n0", "n1", "n2", "n3", "n4", "n5"}},
		"changed, first":  {directory.Query{Ascending: true}, []string{"n5", "n4", "n3", "n2", "n1", "n0"}},
		"created":         {directory.Query{Sort: directory.ByCreation}, []string{"n5", "n4", "n3", "n2", "n1", "n0"}},
		"created, first":  {directory.Query{Sort: directory.ByCreation, Ascending: true}, []string{"n0", "n1", "n2", "n3", "n4", "n5"}},
		"title":           {directory.Query{Sort: directory.ByTitle, Ascending: true}, []string{"n1", "n5", "n0", "n3", "n4", "n2"}},
		"title, Z first":  {directory.Query{Sort: directory.ByTitle}, []string{"n2", "n4", "n3", "n0", "n5", "n1"}},
		"a search":        {directory.Query{Search: "BETA"}, []string{"n0", "n3"}},
		"another case":    {directory.Query{Search: "ÉTÉ"}, []string{"n2", "n4"}},
		"no pattern":      {directory.Query{Search: "%"}, []string{"n4"}},
		"nor another":     {directory.Query{Search: "a_"}, []string{"n5"}},
		"two words":       {directory.Query{Search: "1 alpha"}, []string{"n5"}},
		"what is not":     {directory.Query{Search: "gamma"}, nil},
		"sorted searches": {directory.Query{Search: "a", Sort: directory.ByTitle, Ascending: true}, []string{"n1", "n5", "n0", "n3"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantPages(t, db, c.q, c.want)
			for limit := 1; limit < 4; limit++ {
				c.q.Limit = limit
				wantPages(t, db, c.q, c.want)
			}
		})
	}
}

func TestAppendingBringsTitleAndTimeUpToDate(t *testing.T) {
	db := open(t, sqlite.Config{})
	createNotebook(t, db, directory.Notebook{ID: "n1", Title: "old", Owner: "ada", Created: 10_000})
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
		err := db.Log("n1").Append(t.Context(), room.Batch{
			After: event.Seq(i), Records: roomtest.Records(event.Seq(i), 1), Time: b.time, Title: b.title,
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := db.Notebook(t.Context(), "n1"); err != nil || n.Updated != b.want {
			t.Errorf("after time %d: got %d and %v, want %d", b.time, n.Updated, err, b.want)
		}
	}
	if n, err := db.Notebook(t.Context(), "n1"); err != nil || n.Title != title {
		t.Errorf("got title %q and %v, want %q", n.Title, err, title)
	}
}

func TestAppendingBringsTheNumberOfCellsUpToDate(t *testing.T) {
	db := open(t, sqlite.Config{})
	createNotebook(t, db, directory.Notebook{ID: "n1", Owner: "ada"})
	for i, cells := range []*int{new(3), nil, new(2)} {
		err := db.Log("n1").Append(t.Context(), room.Batch{
			After: event.Seq(i), Records: roomtest.Records(event.Seq(i), 1), Cells: cells,
		})
		if err != nil {
			t.Fatal(err)
		}
		list, err := db.ListNotebooks(t.Context(), directory.Query{})
		if want := []int{3, 3, 2}[i]; err != nil || len(list) != 1 || list[0].Cells == nil || *list[0].Cells != want {
			t.Errorf("after batch %d: got %v and %v, want %d cells", i+1, list, err, want)
		}
	}
}

func wantRole(t *testing.T, db *sqlite.DB, notebook, person string, want access.Role) {
	t.Helper()
	if got, err := db.Role(t.Context(), notebook, person); err != nil || got != want {
		t.Errorf("role of %s in %s: got %q and %v, want %q", person, notebook, got, err, want)
	}
}

// wantList compares a list as ids, with the roles where there are any.
func wantList(t *testing.T, db *sqlite.DB, q directory.Query, want []string) {
	t.Helper()
	list, err := db.ListNotebooks(t.Context(), q)
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
func wantPages(t *testing.T, db *sqlite.DB, q directory.Query, want []string) {
	t.Helper()
	var got []string
	for {
		page, err := db.ListNotebooks(t.Context(), q)
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
