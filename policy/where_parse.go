package policy

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/policy/exact"
)

// ParseWhere reads the text of a `where`.
func ParseWhere(text string) (Where, error) {
	w := Where{Text: text}
	tokens, err := whereTokens(text)
	if err != nil {
		return Where{}, err
	}
	for {
		if len(tokens) < 3 || tokens[1] != "==" {
			return Where{}, errors.New("where must be terms of the form MEMBER == VALUE, joined by and")
		}
		term, err := parseTerm(tokens[0], tokens[2])
		if err != nil {
			return Where{}, err
		}
		w.Terms = append(w.Terms, term)
		if tokens = tokens[3:]; len(tokens) == 0 {
			return w, nil
		}
		if tokens[0] != "and" && tokens[0] != "&&" {
			return Where{}, fmt.Errorf("where has %q where an and belongs", tokens[0])
		}
		tokens = tokens[1:]
	}
}

// whereTokens splits the text into names, operators, numbers and quoted texts.
func whereTokens(text string) ([]string, error) {
	var tokens []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		n := strings.IndexAny(text, " \t\n=&'\"")
		switch {
		case text[0] == '\'' || text[0] == '"':
			if n = strings.IndexByte(text[1:], text[0]); n < 0 {
				return nil, errors.New("where has a text that is not closed")
			}
			n += 2
		case strings.HasPrefix(text, "==") || strings.HasPrefix(text, "&&"):
			n = 2
		case n == 0:
			return nil, fmt.Errorf("where cannot be read from %q on", text)
		case n < 0:
			n = len(text)
		}
		tokens = append(tokens, text[:n])
		text = text[n:]
	}
	return tokens, nil
}

func parseTerm(left, right string) (Term, error) {
	if !strings.HasPrefix(left, "past.") {
		left, right = right, left
	}
	past, err := parseMember(left)
	if err != nil {
		return Term{}, err
	}
	term := Term{Past: past}
	if path, ok := strings.CutPrefix(right, argsPrefix); ok {
		term.Args, err = singlePath(path)
		return term, err
	}
	term.Const, err = whereConstant(right)
	return term, err
}

func parseMember(name string) (Member, error) {
	if name == pastResult {
		return Member{Name: name, Result: true}, nil
	}
	if path, ok := strings.CutPrefix(name, pastResult+"."); ok {
		p, err := singlePath(path)
		return Member{name, true, p}, err
	}
	if path, ok := strings.CutPrefix(name, pastArgs); ok {
		p, err := singlePath(path)
		return Member{name, false, p}, err
	}
	return Member{}, fmt.Errorf("%q is not past.result.X or past.args.X; each term must read the past call", name)
}

func singlePath(text string) (errorsctx.Path, error) {
	if i := strings.IndexFunc(text, notInMember); i >= 0 {
		return errorsctx.Path{}, fmt.Errorf("%q is not a member such as customer.id", text)
	}
	p, err := errorsctx.ParsePath(text)
	if err == nil && p.Plural() {
		return p, fmt.Errorf("%q goes through an array, and a term compares one value", text)
	}
	return p, err
}

// notInMember: a member in an expression is made of names and dots, so that no
// operator is ever read as part of one.
func notInMember(r rune) bool {
	return r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func whereConstant(text string) (gjson.Result, error) {
	switch {
	case text == "true" || text == "false":
		return gjson.Parse(text), nil
	case text[0] == '\'' || text[0] == '"':
		return constant(text[1 : len(text)-1]), nil
	}
	if _, err := exact.ParseDecimal(text); err != nil {
		return gjson.Result{}, fmt.Errorf("%q is not args.X, a number, true, false or a text in quotes", text)
	}
	return gjson.Parse(text), nil
}
