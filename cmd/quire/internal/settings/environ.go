package settings

import "strings"

// ForPrograms returns an environment without the variables that are meant for this process alone.
func ForPrograms(environ []string) []string {
	var rest []string
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "QUIRE_TOKEN", "QUIRE_SERVER", "QUIRE_DATA", "QUIRE_NOTEBOOK":
		default:
			rest = append(rest, entry)
		}
	}
	return rest
}
