package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spectest"
)

// printf prints on the terminal.
func (t *terminal) printf(format string, args ...any) {
	_, _ = fmt.Fprint(t.out, printable(fmt.Sprintf(format, args...)))
}

// dialogue asks a human on a terminal.
type dialogue struct {
	*app
	term *terminal
	by   string
	more []string // commands beside the answers, in an inbox
}

// command is a command that ends the dialogue without an answer: one of more.
type command struct{ word string }

// Error names the command.
func (c *command) Error() string { return c.word }

// ask shows a question and returns the answer. What the human types wrong is told and
// asked again. errQuit when they leave, a *command when they give one.
func (d *dialogue) ask(ctx context.Context, request *engine.InterruptRequest) (engine.Answer, error) {
	d.term.printf("\n%s\n", describe(request))
	for {
		d.term.printf("%s > ", strings.Join(d.words(request), ", "))
		line, err := d.term.line(ctx)
		if err != nil {
			d.term.printf("\n")
			return engine.Answer{}, err
		}
		answer, err := d.read(ctx, request, line)
		if again, ok := errors.AsType[*unclear](err); ok {
			d.term.printf("%s\n", again.reason)
			continue
		}
		return answer, err
	}
}

// words is what may be typed.
func (d *dialogue) words(request *engine.InterruptRequest) []string {
	var out []string
	for _, r := range request.Allow {
		switch r {
		case engine.Respond:
			out = append(out, "respond TEXT")
		case engine.Accept, engine.Edit, engine.Ignore:
			out = append(out, string(r))
		}
	}
	return append(append(out, d.more...), "quit")
}

// unclear is an input that is no answer; it is asked for again.
type unclear struct{ reason string }

// Error returns the reason.
func (u *unclear) Error() string { return u.reason }

// read makes an answer of a line. A word may be cut short as long as it is clear.
func (d *dialogue) read(ctx context.Context, request *engine.InterruptRequest, line string) (engine.Answer, error) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	word, err := d.complete(request, strings.ToLower(word))
	if err != nil {
		return engine.Answer{}, err
	}
	answer := engine.Answer{Interrupt: request.ID, Response: engine.Response(word), By: d.by}
	switch word {
	case "quit":
		return engine.Answer{}, errQuit
	case "accept", "ignore":
		return answer, nil
	case "respond":
		if answer.Text = rest; rest == "" {
			d.term.printf("your words > ")
			if answer.Text, err = d.term.line(ctx); err != nil {
				return engine.Answer{}, err
			}
		}
		if answer.Text == "" {
			return engine.Answer{}, &unclear{"Nothing was said."}
		}
		return answer, nil
	case "edit":
		answer.Args, err = d.edit(ctx, request, rest)
		return answer, err
	}
	return engine.Answer{}, &command{word}
}

// complete returns the whole word that was meant.
func (d *dialogue) complete(request *engine.InterruptRequest, typed string) (string, error) {
	var fit []string
	for _, w := range d.words(request) {
		word, _, _ := strings.Cut(w, " ")
		if word == typed {
			return word, nil
		}
		if typed != "" && strings.HasPrefix(word, typed) {
			fit = append(fit, word)
		}
	}
	if len(fit) == 1 {
		return fit[0], nil
	}
	return "", &unclear{"Type one of: " + strings.Join(d.words(request), ", ") + "."}
}

// edit returns the changed arguments: from the line, from an editor, or from a line
// that is asked for.
func (d *dialogue) edit(ctx context.Context, request *engine.InterruptRequest, line string) (map[string]any, error) {
	if line == "" {
		if editor := d.editor(); editor != nil {
			return d.inEditor(ctx, editor, request)
		}
		d.term.printf("the arguments that change, as JSON > ")
		var err error
		if line, err = d.term.line(ctx); err != nil {
			return nil, err
		}
	}
	changes, err := jsonObject(line)
	if err != nil {
		return nil, &unclear{fmt.Sprintf("That is not understood: %s. Write the arguments that change as JSON: {\"name\": \"value\"}.", err)}
	}
	return spectest.Edited(request, changes), nil
}

// jsonObject reads a JSON object.
func jsonObject(text string) (map[string]any, error) {
	v, err := source.DecodeJSON([]byte(text))
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("it is empty")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it ends too early")
	case err != nil:
		return nil, err
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	return fields, nil
}
