package errorsctx

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// failure is a text that the server calls one, and success one that it does not.
func failure(text string) Ending { return ending(text, true) }
func success(text string) Ending { return ending(text, false) }

func ending(text string, failed bool) Ending {
	e := Ending{Failed: failed, Text: text}
	if gjson.Valid(text) {
		e.Doc = gjson.Parse(text)
	}
	return e
}

// TestClassify: words beat numbers, structure beats prose, and what says nothing is
// BUSINESS.
func TestClassify(t *testing.T) {
	tests := []struct {
		e        Ending
		want     Category
		definite bool
	}{
		{failure(`{"status":403,"message":"Access denied"}`), Permission, true},
		{failure(`{"status":401,"message":"token expired"}`), Permission, true},
		{failure(`{"status":429,"error":{"type":"rate_limit_exceeded"}}`), Transient, false},
		{failure(`{"status":429,"error":{"type":"usage_limit_reached"}}`), Business, false},
		{failure(`{"status":503}`), Transient, false},
		{failure(`{"status":"503"}`), Transient, false},
		{failure(`{"status":422,"message":"bad email"}`), Validation, true},
		{failure(`{"status":500,"error_kind":"unsupported"}`), Validation, false},
		{failure(`{"error":{"code":"UNAVAILABLE","message":"try later"}}`), Transient, false},
		{failure(`{"error":{"code":7,"message":"no","details":[]}}`), Permission, true},
		{failure(`{"code":14,"message":"no","details":[]}`), Transient, false},
		{failure(`{"code":14,"message":"not that code"}`), Business, false},
		{failure(`{"grpc_status":5}`), Validation, true},
		{failure(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`), Validation, true},
		{failure(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}`), Validation, false},
		{failure(`{"errors":[{"message":"no","extensions":{"code":"FORBIDDEN"}}],"data":null}`), Permission, true},
		{failure(`{"type":"https://example.com/probs/funds","title":"No funds","status":402}`), Business, true},
		{failure(`{"error":"invalid_grant","error_description":"expired"}`), Permission, true},
		{failure(`{"code":404,"msg":"no"}`), Validation, false},
		{failure(`{"reason":"not_found","error":"the receipt"}`), Validation, false},
		{failure(`{"status":409}`), Business, false},
		{failure(`{"status":503,"isRetryable":false}`), Transient, false},
		{failure(`MCP error -32601: no such tool`), Validation, true},
		{failure(`MCP error -32001: Request timed out`), Transient, false},
		{failure(`Request failed with status code 403`), Permission, false},
		{failure(`HTTP/1.1 502`), Transient, false},
		{failure(`Error: 503 Service Unavailable`), Transient, false},
		{failure(`order 429500 went wrong`), Business, false},
		{failure(`boom`), Business, false},
		{failure(``), Business, false},
		{failure(`{"errorCategory":"BUSINESS","isRetryable":false,"message":"no"}`), Business, true},
		{success(`{"success":false,"error_code":"SQL_ERROR","error":"no such table"}`), Validation, false},
		{success(`{"ok":false,"error":"not_authed"}`), Permission, false},
		{success(`{"status":404,"message":"no such page"}`), Validation, false},
		{success(`{"status":"error","message":"boom"}`), Business, false},
		{success(`{"error":{"message":"boom"}}`), Business, false},
		{success(`{"isError":true,"customer":"C-1"}`), Business, false},
	}
	for _, tt := range tests {
		o := Classify(tt.e)
		if !o.Failure || o.Category != tt.want || o.Definite != tt.definite || o.Message == "" {
			t.Errorf("%s: %+v, want %s, definite %t", tt.e.Text, o, tt.want, tt.definite)
		}
		if o.Retryable && o.Category != Transient {
			t.Errorf("%s: a retry helps against %s", tt.e.Text, o.Category)
		}
	}
	if Classify(failure(`{"status":503,"isRetryable":false}`)).Retryable {
		t.Error("the server says that a retry does not help")
	}
}

// TestNoFailure: a success that mentions an error, or has a status of its own, is one.
func TestNoFailure(t *testing.T) {
	for _, text := range []string{
		"Error: 3 findings in the page you asked for",
		"Order 429500 ships in 503 boxes",
		"gpt-500x",
		`{"users":[]}`,
		`{"status":404,"message":"gone","site":"example.com"}`,
		`{"status":"failed","order":"O-1"}`,
		`{"status":200,"message":"ok"}`,
		`{"error":null,"data":{"a":1}}`,
		`{"error":"","success":true}`,
		`{"errors":[],"data":{"a":1}}`,
		`{"errors":[{"message":"half"}],"data":{"a":1}}`,
		`{"success":true,"error":"none worth naming"}`,
		`{"success":false}`,
		`{"code":404}`,
		`{"isError":false,"errorCategory":"BUSINESS"}`,
		`{"type":"error_report","items":[1]}`,
		`{"message":"error"}`,
		`{"error_rate":0.5,"error":"budget"}`,
		`[{"error":"x"}]`,
		`{"id":"job_1","status":"failed","message":"exit code 1","type":"build"}`,
		`{"status":"failed","message":"exit code 1"}`,
		`{"errors":[{"line":3,"message":"unused variable"}]}`,
		`{"errorCode":"0","message":"Success"}`,
		`{"errorCode":0,"errorMessage":"OK"}`,
		`{"error":"none"}`,
		`{"error":0.02}`,
		`{"isError":null,"value":3}`,
		`{"isError":"false","value":3}`,
		`{"id":404,"code":404,"title":"Room 404"}`,
		`{"id":404,"code":404,"message":"Room 404"}`,
	} {
		if o := Classify(success(text)); o.Failure {
			t.Errorf("%s: %+v", text, o)
		}
	}
}

// recorded are failures of recorded sessions, which say all in prose, and how often.
var recorded = []struct {
	want  Category
	count int
	text  string
}{
	{Transient, 123, "Error: 503 Service Unavailable"},
	{Business, 13, "Error: flight HAT030 not available on date 2024-05-13"},
	{Business, 12, "Error: gift card balance is not enough"},
	{Validation, 9, "Error: user not found"},
	{Business, 6, "Error: payment amount does not add up, total price is 375, but paid 299"},
	{Business, 5, "Error: not enough seats on flight HAT290"},
	{Business, 4, "Error: certificate cannot be used to update reservation"},
	{Validation, 4, "Error: payment method not found"},
	{Validation, 4, "Error: order not found"},
	{Validation, 3, "Error: product not found"},
	{Validation, 3, "Error: no such tool"},
	{Validation, 2, "Error: payment method certificate_7504069 not found"},
	{Business, 1, "Error: payment amount does not add up, total price is 503, but paid 429"},
	{Business, 1, "Error: not enough balance in payment method gift_card_5094406"},
	{Business, 1, "Error: non-delivered order cannot be exchanged"},
	{Business, 1, "Error: non-pending order cannot be modified"},
	{Business, 1, "Error: insufficient gift card balance to pay for the price difference"},
	{Business, 1, "Error: Payment method should be the original payment method"},
	{Validation, 1, "Error: number of items to be exchanged should match"},
	{Validation, 1, "1 validation error for BookReservation\npassengers.0.dob\n  Field required"},
}

// TestRecordedFailures: the built-in table reads them as people did.
func TestRecordedFailures(t *testing.T) {
	all, agreed := 0, 0
	for _, r := range recorded {
		all += r.count
		if o := Classify(failure(r.text)); o.Category == r.want {
			agreed += r.count
		} else {
			t.Errorf("%q: %s, want %s", r.text, o.Category, r.want)
		}
	}
	t.Logf("%d of %d", agreed, all)
}

// TestMessage: what a person would read, and never too much of it.
func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		`{"error":{"message":" inner "},"message":"outer"}`: "inner",
		`{"error":"word","message":"text"}`:                 "text",
		`{"error":"only"}`:                                  "only",
		`{"x":1}`:                                           `{"x":1}`,
		` plain `:                                           "plain",
		``:                                                  "The call failed without saying why.",
	} {
		if got := Message(failure(text)); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	if got := Message(failure(strings.Repeat("é", 1000))); len(got) > maxMessage+4 || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-8:])
	}
}

// TestProse: what is worth another try, and what is not.
func TestProse(t *testing.T) {
	for category, texts := range map[Category][]string{
		Transient: {"fetch failed", "getaddrinfo EAI_AGAIN api.example.com", "write EPIPE", "unexpected EOF", "deadlock detected", "could not serialize access due to concurrent update",
			"database is locked", "FATAL: sorry, too many clients already", "You have exceeded a secondary rate limit", "ThrottlingException: Rate exceeded", "RequestLimitExceeded",
			"8 RESOURCE_EXHAUSTED: quota exceeded for requests per minute", "connect ECONNREFUSED 127.0.0.1:5432", "Request timed out", "503 Service Unavailable", "Error: 502 Bad Gateway",
			"The service is temporarily unavailable", "socket hang up", "MCP error -32000: Connection closed", "upstream connect error: connection refused", "network is unreachable",
			"Server disconnected without sending a response", "429 Too Many Requests", "Please retry in a minute"},
		Validation: {"Invalid email address. Please correct it and try again.", "timeout must be a positive integer", "connection_id is required", "Network \"prod-vpc\" not found",
			"relation \"orders\" does not exist", "user not found", "Unknown argument: colour", "missing required field: name", "Unexpected token } in JSON", "HTTP 404", "MCP error -32602: Invalid params"},
		Permission: {"insufficient privileges", "insufficient scopes", "rpc error: code = PermissionDenied desc = no", "jwt expired", "MCP error -32603: permission denied", "403 Forbidden",
			"Access denied", "Invalid API key", "You do not have permission to view this", "401 Unauthorized"},
		Business: {"An unexpected error occurred", "Item is sold out in size M", "You have used up your monthly quota", "insufficient funds", "card was declined", "boom",
			"non-pending order cannot be modified", "the booking is closed"},
	} {
		for _, text := range texts {
			if o := Classify(failure(text)); o.Category != category || o.Definite {
				t.Errorf("%q is %s, want %s", text, o.Category, category)
			}
		}
	}
	for text, want := range map[string]Category{
		`{"status":"403","message":"You have exceeded a secondary rate limit"}`:                                     Transient,
		`{"error":{"errors":[{"reason":"userRateLimitExceeded"}],"code":403,"message":"User Rate Limit Exceeded"}}`: Transient,
		`{"error":{"type":"api_error","message":"Something went wrong"}}`:                                           Transient,
		`{"__type":"ThrottlingException"}`:                                                                          Transient,
		`{"error":{"message":"no","retryable":true}}`:                                                               Transient,
		`{"error":{"type":"card_error","code":"card_declined"}}`:                                                    Business,
	} {
		if o := Classify(failure(text)); o.Category != want {
			t.Errorf("%s is %s, want %s", text, o.Category, want)
		}
	}
}

// TestLists: one that holds an error is no evidence.
func TestLists(t *testing.T) {
	for text, want := range map[string]bool{`[{"error":"x"}]`: true, `[{"a":1},{"error":"x"}]`: true, `[{"a":1}]`: false, `[]`: false, `{"error":"x"}`: true, `"error"`: false} {
		if HoldsError(gjson.Parse(text)) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}
