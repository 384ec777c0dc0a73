// Command mcpserver is a payment back end over stdio for the end-to-end tests.
// It writes every call that reaches it to a file, so that a test can tell what
// was really stopped.
//
//	mcpserver NAME LOG
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type object = map[string]any

// request is one JSON-RPC message of the client; a notification has no ID.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion string
		Name            string
		Arguments       object
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: mcpserver NAME LOG")
		os.Exit(64)
	}
	name, log := os.Args[1], os.Args[2]
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var r request
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		reply := object{"jsonrpc": "2.0", "id": r.ID}
		switch r.Method {
		case "initialize":
			reply["result"] = object{
				"protocolVersion": r.Params.ProtocolVersion,
				"capabilities":    object{"tools": object{}},
				"serverInfo":      object{"name": name, "version": "1"},
			}
		case "ping":
			reply["result"] = object{}
		case "tools/list":
			reply["result"] = object{"tools": tools()}
		case "tools/call":
			r.unpack()
			if err := record(log, name, r); err != nil {
				fmt.Fprintln(os.Stderr, "mcpserver:", err)
				os.Exit(1) // a call that is not on record must not look stopped
			}
			reply["result"] = call(r.Params.Name, r.Params.Arguments)
		default:
			reply["error"] = object{"code": -32601, "message": "no such method"}
		}
		if err := out.Encode(reply); err != nil {
			return
		}
	}
}

// unpack makes a call of the tool that calls others the call of that other one.
func (r *request) unpack() {
	tool, reaches := dispatched[fmt.Sprint(r.Params.Arguments["tool_slug"])]
	if r.Params.Name == "execute" && reaches {
		args, _ := r.Params.Arguments["arguments"].(object)
		r.Params.Name, r.Params.Arguments = tool, args
	}
}

// dispatched are the tools that execute calls, by what it calls them.
var dispatched = map[string]string{"VERIFY": "identity_verification", "REFUND": "process_refund"}

func record(log, server string, r request) error {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(object{"server": server, "tool": r.Params.Name, "args": r.Params.Arguments})
}

func tools() []object {
	text, number := object{"type": "string"}, object{"type": "number"}
	question := object{"tool_name": text, "input": object{"type": "object"}, "tool_use_id": text}
	tool := func(name, about string, properties object) object {
		return object{"name": name, "description": about, "inputSchema": object{"type": "object", "properties": properties}}
	}
	return []object{
		tool("identity_verification", "Verify a customer.", object{"customer_id": text, "code": text}),
		tool("process_refund", "Refund a customer.", object{"customer_id": text, "amount_usd": number}),
		tool("escalate_to_human", "Hand over to a person.", object{"reason": text}),
		tool("get_rules", "The rules of this project.", object{}),
		tool("crm_database_lookup", "The record of a customer.", object{"shape": text}),
		tool("find_user", "Find a user by name.", object{"name": text}),
		tool("query_database", "Run a query.", object{"sql": text}),
		tool("read_mail", "The next mail of a folder.", object{"folder": text}),
		tool("send_mail", "Send a mail.", object{"to": object{"type": "array", "items": text}, "text": text, "claim": object{"type": "object"}}),
		tool("execute", "Call another tool.", object{"tool_slug": text, "arguments": object{"type": "object"}}),
		tool("approve", "A person who approves.", question),
		tool("decline", "A person who does not.", question),
	}
}

// call plays a tool. The code decides how a verification ends: "good" proves it,
// "offline" fails, and anything else is a customer who is not who they say.
func call(name string, args object) object {
	switch name {
	case "identity_verification":
		if args["code"] == "offline" {
			return object{"isError": true, "content": content(object{"error": "the service is offline"})}
		}
		answer := object{"customer_id": args["customer_id"], "verified": args["code"] == "good"}
		return object{"content": content(answer), "structuredContent": answer}
	case "crm_database_lookup":
		return recordIn(args["shape"])
	case "approve":
		return object{"content": content(object{"behavior": "allow", "updatedInput": args["input"]})}
	case "decline":
		return object{"content": content(object{"behavior": "deny", "message": "The person declined."})}
	}
	for _, arg := range args {
		asked, _ := arg.(string)
		if answer, found := endings[asked]; found {
			return answer
		}
	}
	if name == "process_refund" {
		return object{"content": content(object{"status": "paid", "amount_usd": args["amount_usd"]})}
	}
	return object{"content": content(object{"status": "taken"})}
}

func content(v object) []object {
	text, _ := json.Marshal(v)
	return []object{{"type": "text", "text": string(text)}}
}
