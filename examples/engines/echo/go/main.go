// Command go is an engine of the language echo: a program is a text, which is printed.
package main

import (
	"encoding/json"
	"os"
)

// message has the fields of messages that this engine uses.
type message struct {
	Type      string   `json:"type"`
	Protocol  int      `json:"protocol,omitempty"`
	Language  string   `json:"language,omitempty"`
	Version   string   `json:"version,omitempty"`
	Interrupt string   `json:"interrupt,omitempty"`
	Can       []string `json:"can,omitempty"`
	Extension string   `json:"extension,omitempty"`
	MIME      string   `json:"mime,omitempty"`
	Run       int      `json:"run,omitempty"`
	Source    string   `json:"source,omitempty"`
	Stream    string   `json:"stream,omitempty"`
	Text      string   `json:"text,omitempty"`
}

func main() {
	requests, messages := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout) // which writes a line for each
	send := func(m message) {
		if messages.Encode(m) != nil {
			os.Exit(1) // the host is gone
		}
	}
	send(message{Type: "hello", Protocol: 1, Language: "echo", Version: "1", Interrupt: "none", Extension: ".txt", MIME: "text/plain"})
	for {
		var request message
		if requests.Decode(&request) != nil {
			return // the requests have ended
		}
		if request.Type == "run" {
			send(message{Type: "text", Stream: "stdout", Text: request.Source + "\n"})
			send(message{Type: "done", Run: request.Run})
		}
	}
}
