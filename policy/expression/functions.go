package expression

import (
	"fmt"
	"maps"
	"sync"

	"github.com/expr-lang/expr/ast"
)

// function is one that expressions can call.
type function struct {
	takes       []kinds // of each argument; the last is for all that follow
	least, most int
	gives       Kind
	condition   bool // its predicate is true or false
	call        func(e *evaluator, args []Value) Value
	// over is called instead where the last argument may be a predicate.
	over func(e *evaluator, list []Value, predicate ast.Node) Value
}

func (f function) arity() string {
	switch {
	case f.least == f.most && f.least == 1:
		return "1 argument"
	case f.least == f.most:
		return fmt.Sprintf("%d arguments", f.least)
	case f.most == many:
		return fmt.Sprintf("at least %d", f.least)
	}
	return fmt.Sprintf("%d to %d arguments", f.least, f.most)
}

// many is no bound on the number of arguments.
const many = 100

var table struct {
	once      sync.Once
	functions map[string]function
}

// functions makes the table when one is first called: a process that calls none does
// not pay for it.
func functions() map[string]function {
	table.once.Do(func() {
		table.functions = quantified()
		maps.Copy(table.functions, onLists())
		maps.Copy(table.functions, onScalars())
	})
	return table.functions
}

// call evaluates the arguments and calls. A function of something unknown is
// unknown; one of something absent, too, unless it says otherwise itself.
func (e *evaluator) call(name string, nodes []ast.Node) Value {
	f := functions()[name]
	if f.over != nil && len(nodes) > 0 {
		list := e.eval(nodes[0])
		if list.kind != List || !e.spend(len(list.list)) {
			return unknown
		}
		var predicate ast.Node
		if len(nodes) > 1 {
			predicate = nodes[1]
		}
		return f.over(e, list.list, predicate)
	}
	if f.call == nil {
		return unknown
	}
	args := e.each(nodes)
	for _, arg := range args {
		if arg.kind == Unknown || arg.kind == Absent || arg.isPartial() || !e.spend(len(arg.list)+weight(arg)) {
			return unknown
		}
	}
	return f.call(e, args)
}
