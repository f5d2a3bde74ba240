package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/tool"
)

// offer is a tool with its function. The error is for the model, unless ctx has ended.
type offer struct {
	tool.Tool
	call func(ctx context.Context, written json.RawMessage) (tool.Result, error)
}

// offers returns all tools, those too that are not allowed.
func (s *Server) offers() []offer {
	all := []offer{
		{tool.Tool{
			Name: "list_notebooks", Class: event.ToolReads, Parameters: schemaOf(nil),
			Description: "List the notebooks that you can reach, those changed last first: a line each with the id, the time of the last change and the title.",
		}, s.listNotebooks},
		{tool.Tool{
			Name: "create_notebook", Class: event.ToolEdits, Parameters: schemaOf(map[string]string{"title": titleAbout}),
			Description: "Create an empty notebook, and return its id.",
		}, s.createNotebook},
	}
	for _, t := range tool.Tools() {
		checked := t.Name
		t.Parameters = withNotebook(t.Parameters)
		all = append(all, offer{t, func(ctx context.Context, written json.RawMessage) (tool.Result, error) {
			return s.callOn(ctx, checked, t.Class, written)
		}})
	}
	return all
}

const (
	titleAbout    = "the title that people see"
	notebookAbout = "the notebook: its id, the beginning of that, or its title, as list_notebooks shows them"
)

// schemaOf returns the JSON Schema of required texts with what each is.
func schemaOf(texts map[string]string) json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for name, about := range texts {
		properties[name] = map[string]any{"type": "string", "description": about}
		required = append(required, name)
	}
	return encoded(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

// withNotebook returns a tool's schema with the notebook as a required argument.
func withNotebook(schema json.RawMessage) json.RawMessage {
	var s struct {
		Type       string         `json:"type"`
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
		Additional bool           `json:"additionalProperties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		panic(err) // a tool's schema is an object of these members (AS1)
	}
	s.Properties["notebook"] = map[string]any{"type": "string", "description": notebookAbout}
	s.Required = append([]string{"notebook"}, s.Required...)
	return encoded(s)
}

func encoded(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and lists of them always marshal
	}
	return data
}

// addTools adds the tools of the allowed classes, and has the others refused in words.
func (s *Server) addTools() {
	refused := map[string]event.ToolClass{}
	for _, o := range s.offers() {
		if !s.allows(o.Class) {
			refused[o.Name] = o.Class
			continue
		}
		s.mcp.AddTool(&sdk.Tool{Name: o.Name, Description: o.Description, InputSchema: o.Parameters, Annotations: hints(o.Tool)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				ctx, done := s.until(ctx)
				defer done()
				result, err := o.call(ctx, r.Params.Arguments)
				if err != nil {
					result = tool.Result{Text: err.Error(), Failed: true}
				}
				return resultOf(result), nil
			})
	}
	s.mcp.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if call, ok := r.(*sdk.CallToolRequest); ok && refused[call.Params.Name] != "" {
				class := refused[call.Params.Name]
				return resultOf(tool.Result{Failed: true, Text: fmt.Sprintf(
					"%s is a tool of the class %q, which this server was not allowed: the person who configures it can add it to --allow", call.Params.Name, class)}), nil
			}
			return next(ctx, method, r)
		}
	})
}

// hints tells clients what a tool may do, so that they ask a person about the right ones.
func hints(t tool.Tool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{
		ReadOnlyHint:    t.Class == event.ToolReads,
		DestructiveHint: new(t.Name == "delete_cell" || t.Name == "write_cell" || t.Class == event.ToolRuns || t.Class == event.ToolOutside),
		OpenWorldHint:   new(t.Class == event.ToolRuns || t.Class == event.ToolOutside),
	}
}

func resultOf(r tool.Result) *sdk.CallToolResult {
	content := []sdk.Content{&sdk.TextContent{Text: r.Text}}
	for _, i := range r.Images {
		content = append(content, &sdk.ImageContent{Data: i.Data, MIMEType: i.MIME})
	}
	return &sdk.CallToolResult{Content: content, IsError: r.Failed}
}

// callOn calls a tool on the notebook that its arguments name.
func (s *Server) callOn(ctx context.Context, name string, class event.ToolClass, written json.RawMessage) (tool.Result, error) {
	notebook, rest, err := cutNotebook(name, written)
	if err != nil {
		return tool.Result{}, err
	}
	if err := tool.Check(name, rest); err != nil {
		return tool.Result{}, fmt.Errorf("%w; notebook is an argument of each tool", err)
	}
	k, err := s.enter(ctx, notebook)
	if err != nil {
		return tool.Result{}, err
	}
	defer s.books.release(k)
	if class != event.ToolRuns && class != event.ToolOutside { // a run goes on while the server is away, and has a time-out
		var done func()
		ctx, done = s.books.present(ctx, k)
		defer done()
	}
	return k.set.Call(ctx, name, rest)
}

// enter returns the notebook that an agent names, connected. The caller releases it.
func (s *Server) enter(ctx context.Context, name string) (*book, error) {
	id, err := s.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	k, err := s.books.take(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("notebook %s: %w", id, err)
	}
	if err := k.online(ctx); err != nil {
		s.books.release(k)
		return nil, fmt.Errorf("notebook %s: %w", id, err)
	}
	return k, nil
}

// cutNotebook cuts the notebook off the arguments of a tool. What is no object is left for the tool to explain.
func cutNotebook(name string, written json.RawMessage) (notebook string, rest json.RawMessage, err error) {
	var members map[string]json.RawMessage
	if len(written) > 0 && json.Unmarshal(written, &members) != nil {
		return "", nil, tool.Check(name, written)
	}
	if err := json.Unmarshal(members["notebook"], &notebook); members["notebook"] != nil && err != nil {
		return "", nil, fmt.Errorf("%s: the argument \"notebook\" must be a text", name)
	}
	if notebook == "" {
		return "", nil, fmt.Errorf("%s needs the argument \"notebook\": %s", name, notebookAbout)
	}
	delete(members, "notebook")
	return notebook, encoded(members), nil
}

// listNotebooks lists the notebooks, a line each.
func (s *Server) listNotebooks(ctx context.Context, written json.RawMessage) (tool.Result, error) {
	if err := decode("list_notebooks", written, &struct{}{}); err != nil {
		return tool.Result{}, fmt.Errorf("%w; it takes none", err)
	}
	all, err := s.cfg.Notebooks.List(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if len(all) == 0 {
		return tool.Result{Text: "there are no notebooks yet; create_notebook creates one"}, nil
	}
	var b strings.Builder
	for i := range all {
		b.WriteString(notebookLine(&all[i]))
	}
	return tool.Result{Text: b.String()}, nil
}

func notebookLine(n *directory.Listing) string {
	changed := ""
	if n.Updated > 0 { // else the token is good for this one, and nothing more is known
		changed = time.UnixMilli(int64(n.Updated)).UTC().Format(" 2006-01-02T15:04Z")
	}
	return fmt.Sprintf("%s%s %s\n", n.ID, changed, strings.Join(strings.Fields(n.Title), " "))
}

// createNotebook creates a notebook.
func (s *Server) createNotebook(ctx context.Context, written json.RawMessage) (tool.Result, error) {
	var a struct{ Title *string }
	if err := decode("create_notebook", written, &a); err != nil {
		return tool.Result{}, fmt.Errorf("%w; it takes title (needed)", err)
	}
	if a.Title == nil {
		return tool.Result{}, fmt.Errorf("create_notebook needs the argument \"title\": %s", titleAbout)
	}
	made, err := s.cfg.Notebooks.Create(ctx, *a.Title)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "created notebook " + made.ID}, nil
}

// decode reads arguments with no other member than those of into. No text at all is an object without members.
func decode(name string, written json.RawMessage, into any) error {
	if len(written) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(written))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the arguments of %s are wrong: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("the arguments of %s have text behind them", name)
	}
	return nil
}
