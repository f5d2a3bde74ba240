package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quirehq/quire/host/server/problem"
)

// object is a JSON object of the OpenAPI document.
type object = map[string]any

// describe returns the OpenAPI document of the routes.
func describe(routes []route, version string) ([]byte, error) {
	b := &describer{schemas: object{}}
	paths := map[string]object{}
	for _, r := range routes {
		op, err := b.operation(r)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", r.method, r.path, err)
		}
		path := strings.ReplaceAll(strings.TrimSuffix(r.path, "{$}"), "...}", "}")
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(r.method)] = op
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info":    object{"title": "Quire", "version": version},
		"paths":   paths,
		"components": object{
			"schemas": b.schemas,
			"securitySchemes": object{
				"bearer": object{"type": "http", "scheme": "bearer"},
			},
		},
	}, "", " ")
}

// describer collects the schemas of the Go types in requests and answers.
type describer struct{ schemas object }

func (b *describer) operation(r route) (object, error) {
	op := object{"summary": r.summary, "operationId": operationID(r), "security": []object{}}
	if r.need.who != anyone {
		op["security"] = []object{{"bearer": []string{}}}
		op["description"] = r.need.String()
	}
	if params := parameters(r); len(params) > 0 {
		op["parameters"] = params
	}
	e := r.endpoint
	if e.accepts != nil {
		content, err := b.content(e.in, e.accepts...)
		if err != nil {
			return nil, err
		}
		op["requestBody"] = object{"required": true, "content": content}
	}
	answer := object{"description": http.StatusText(e.status)}
	if e.gives != "" {
		content, err := b.content(e.out, append([]string{e.gives}, e.also...)...)
		if err != nil {
			return nil, err
		}
		answer["content"] = content
	}
	responses, err := b.problems(r)
	if err != nil {
		return nil, err
	}
	responses[strconv.Itoa(e.status)] = answer
	op["responses"] = responses
	return op, nil
}

// problems describes the errors of a route.
func (b *describer) problems(r route) (object, error) {
	content, err := b.content(reflect.TypeFor[problem.Problem](), "application/problem+json")
	if err != nil {
		return nil, err
	}
	responses := object{}
	for _, status := range errorsOf(r) {
		responses[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": content}
	}
	return responses, nil
}

// errorsOf lists the statuses of the errors of a route.
func errorsOf(r route) []int {
	list := []int{http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusTooManyRequests, http.StatusInternalServerError}
	if r.need.who != anyone {
		list = append(list, http.StatusUnauthorized)
	}
	if r.endpoint.missing {
		list = append(list, http.StatusNotFound)
	}
	if r.need.who == inNotebook {
		list = append(list, http.StatusNotFound, http.StatusServiceUnavailable)
	}
	if len(r.query) > 0 || r.endpoint.accepts != nil {
		list = append(list, http.StatusBadRequest)
	}
	wantsType := r.endpoint.accepts != nil && !slices.Contains(r.endpoint.accepts, anyType)
	if r.endpoint.accepts != nil {
		list = append(list, http.StatusRequestEntityTooLarge)
	}
	if wantsType {
		list = append(list, http.StatusUnsupportedMediaType)
	}
	if r.endpoint.ranged {
		list = append(list, http.StatusRequestedRangeNotSatisfiable)
	}
	if wantsType && r.endpoint.in == nil {
		list = append(list, http.StatusUnprocessableEntity)
	}
	if r.endpoint.status == http.StatusSwitchingProtocols {
		list = append(list, http.StatusUpgradeRequired)
	}
	return list
}

// content describes a body of a Go type, or of any form if the type is nil.
func (b *describer) content(t reflect.Type, kinds ...string) (object, error) {
	media := object{}
	if t != nil {
		if err := b.add(t); err != nil {
			return nil, err
		}
		media["schema"] = object{"$ref": "#/components/schemas/" + t.Name()}
	}
	content := object{}
	for _, kind := range kinds {
		content[kind] = media
	}
	return content, nil
}

func (b *describer) add(t reflect.Type) error {
	if b.schemas[t.Name()] != nil {
		return nil
	}
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		return fmt.Errorf("schema of %s: %w", t, err)
	}
	b.schemas[t.Name()] = schema
	return nil
}

var pathParam = regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)

func parameters(r route) []object {
	var list []object
	for _, m := range pathParam.FindAllStringSubmatch(r.path, -1) {
		list = append(list, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.query {
		list = append(list, object{"name": p.name, "in": "query", "description": p.about, "schema": object{"type": p.kind}})
	}
	return list
}

// operationID returns the name of a route for generators of clients, such as getApiNotebooks.
func operationID(r route) string {
	id := strings.ToLower(r.method)
	for _, part := range strings.FieldsFunc(r.path, func(c rune) bool { return strings.ContainsRune("/{}$.", c) }) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	return id
}

// String describes the need in a sentence; it is empty if there is none.
func (n need) String() string {
	switch n.who {
	case someone:
		return "Requires a sign-in or a token."
	case people:
		return "Requires a sign-in or the token of a person; a token for one notebook is refused."
	case serverOwner:
		return "Requires the owner of the server."
	case byLink:
		return "Requires the browser that requested the link, while it is signed in."
	case inNotebook:
		text := fmt.Sprintf("Requires a role in the notebook that allows to %s", n.action)
		if n.person {
			return text + "; a token for one notebook is refused."
		}
		return text + "."
	}
	return ""
}

func (s *Server) document() endpoint {
	return endpoint{status: http.StatusOK, gives: "application/json", serve: func(c *call) error {
		c.w.Header().Set("Content-Type", "application/json")
		_, _ = c.w.Write(s.openapi) // a client that has left needs no answer
		return nil
	}}
}
