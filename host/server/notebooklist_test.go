package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/host/server"
)

func TestListsHavePagesAndOnlyWhatOneMaySee(t *testing.T) {
	w := newWorld(t)
	var want []string
	for i := range 7 {
		made := w.create(t, person(t, "ada"), fmt.Sprint(i))
		want = append(want, made.ID)
		w.create(t, person(t, "bob"), "his")
	}
	list := func(query string) server.NotebookList {
		var l server.NotebookList
		w.do(t, request{method: "GET", path: "/api/notebooks?" + query, token: person(t, "ada")}).want(t, 200).into(t, &l)
		return l
	}
	var got []string
	pages := 0
	for after := ""; pages == 0 || after != ""; pages++ {
		l := list("limit=3&after=" + after)
		for _, n := range l.Notebooks {
			got = append(got, n.ID)
		}
		after = l.Next
	}
	if len(got) != len(want) || pages != 3 {
		t.Errorf("got %d notebooks on %d pages, want %d on 3", len(got), pages, len(want))
	}
	seen := map[string]bool{}
	for _, id := range got {
		seen[id] = true
	}
	for _, id := range want {
		if !seen[id] {
			t.Errorf("%s is not listed", id)
		}
	}
	if l := list("deleted=true"); len(l.Notebooks) != 0 || l.Next != "" {
		t.Errorf("got %v, want an empty list", l)
	}
	w.do(t, request{method: "DELETE", path: "/api/notebooks/" + want[0], token: person(t, "ada")}).want(t, 204)
	if l := list("deleted=true"); len(l.Notebooks) != 1 || l.Notebooks[0].ID != want[0] {
		t.Errorf("got %v, want the deleted one", l)
	}
	if l := list(""); len(l.Notebooks) != 6 {
		t.Errorf("got %d, want the 6 others", len(l.Notebooks))
	}
	for _, bad := range []string{"limit=0", "limit=101", "limit=x", "deleted=maybe", "after=x", "after=1.a%20b", "after=1"} {
		w.do(t, request{method: "GET", path: "/api/notebooks?" + bad, token: ownerToken}).want(t, 400).problem(t)
	}
}

func TestListsAreSortedAndSearchedPageByPage(t *testing.T) {
	w := newWorld(t, newClock().use)
	for _, title := range []string{"Salmon pie", "apple pie", "Zander", "été pie", "PIE of 1.5 %"} {
		w.create(t, person(t, "ada"), title)
	}
	for query, want := range map[string]string{
		"sort=title":                     "apple pie, PIE of 1.5 %, Salmon pie, Zander, été pie",
		"sort=title&order=desc":          "été pie, Zander, Salmon pie, PIE of 1.5 %, apple pie",
		"sort=title&search=PIE":          "apple pie, PIE of 1.5 %, Salmon pie, été pie",
		"sort=title&search=pie%20%C3%89": "été pie",
		"sort=title&search=%25":          "PIE of 1.5 %",
		"search=gone":                    "",
	} {
		for _, limit := range []int{1, 2, 100} {
			var got []string
			for after, pages := "", 0; pages == 0 || after != ""; pages++ {
				var l server.NotebookList
				path := fmt.Sprintf("/api/notebooks?%s&limit=%d&after=%s", query, limit, after)
				w.do(t, request{method: "GET", path: path, token: person(t, "ada")}).want(t, 200).into(t, &l)
				for _, n := range l.Notebooks {
					got = append(got, n.Title)
				}
				after = l.Next
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s by %d: got %s, want %s", query, limit, got, want)
			}
		}
	}
	for _, bad := range []string{
		"sort=x", "order=x", "sort=Title", "search=" + strings.Repeat("x", 201), "search=%ff", "sort=title&after=1.b1", "sort=title&after=!.b1",
		"sort=created&after=RmlzaA.b1",
	} {
		if a := w.do(t, request{method: "GET", path: "/api/notebooks?" + bad, token: ownerToken}); a.status != 400 {
			t.Errorf("%s: got %d, want 400", bad, a.status)
		}
	}
}

func TestListsAreByChangeOrByCreation(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	var ids []string
	for _, title := range []string{"a", "b", "c"} {
		ids = append(ids, w.create(t, ownerToken, title).ID)
		now.add(1e9)
	}
	w.do(t, request{method: "PATCH", path: "/api/notebooks/" + ids[0], token: ownerToken, body: `{"title":"A"}`}).want(t, 200)
	for query, want := range map[string]string{
		"": "A c b", "sort=changed": "A c b", "order=asc": "b c A",
		"sort=created": "c b A", "sort=created&order=asc": "A b c", "sort=created&order=desc": "c b A",
	} {
		var l server.NotebookList
		w.do(t, request{method: "GET", path: "/api/notebooks?" + query, token: ownerToken}).want(t, 200).into(t, &l)
		var got []string
		for _, n := range l.Notebooks {
			got = append(got, n.Title)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

func TestAListSaysHowManyCellsEachNotebookHas(t *testing.T) {
	w := newWorld(t)
	var made directory.Listing
	w.importFile(t, "", file).want(t, 201).into(t, &made)
	var list server.NotebookList
	w.do(t, request{method: "GET", path: "/api/notebooks", token: ownerToken}).want(t, 200).into(t, &list)
	if len(list.Notebooks) != 1 || list.Notebooks[0].Cells == nil || *list.Notebooks[0].Cells != 2 {
		t.Errorf("got %v, want one notebook of 2 cells", list.Notebooks)
	}
}
