package settings

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server"
)

func TestAServerThatAllowsLessLaterLowersTheLimitsOfNotebooks(t *testing.T) {
	own := server.LimitValues{Memory: "2G", RunTime: "10m", Files: "50", Processes: "1"}
	got := Within(own, server.LimitValues{Memory: "1G", RunTime: "1h", CPU: "1h"})
	if diff := cmp.Diff(server.LimitValues{Memory: "1G", RunTime: "10m", CPU: "1h", Files: "50", Processes: "8"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALimitIsSetOrTakenAwayAndTheOthersStay(t *testing.T) {
	own := server.LimitValues{Memory: "2G", RunTime: "10m"}
	got := Changed(own, server.LimitValues{Memory: "none", Files: "7"})
	if diff := cmp.Diff(server.LimitValues{RunTime: "10m", Files: "7"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheLimitsOnTheWireHaveTheKeysOfTheFile(t *testing.T) {
	var values server.LimitValues
	var want []string
	for _, s := range in(Limits) {
		*s.limit(&values) = "x"
		want = append(want, s.Key)
	}
	data, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("(-table +wire):\n%s", diff)
	}
	if fields := reflect.TypeFor[server.LimitValues]().NumField(); fields != len(want) {
		t.Errorf("got %d limits on the wire, want the %d of the table", fields, len(want))
	}
}

func TestALimitThatIsADefaultIsTheServersAsOneThatWasSet(t *testing.T) {
	most := Read(env(), home, File{}).Limits
	if err := CheckWithin(server.LimitValues{Output: "2G"}, most); err == nil {
		t.Error("got no error for a notebook whose output may be larger than the default of its server")
	}
	for _, l := range LimitsOf(server.LimitValues{Output: "2G"}, most) {
		if want := map[string]string{"output": "1G", "notebook-output": "128M"}[l.Name]; l.Most != want || want != "" && l.Holds != want {
			t.Errorf("%s: got %q of the server and %q that holds, want %q", l.Name, l.Most, l.Holds, want)
		}
	}
}
