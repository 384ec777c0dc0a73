// Package errorsctx holds the one shape in which a model sees a refusal or a
// failure, the classification of failures, and the paths into JSON results.
package errorsctx

import "encoding/json"

// Category says what kind of failure it is, and so what the model should do:
// retry, correct its input, tell the user about missing access, or explain the
// rule.
type Category string

// The four categories of the contract.
const (
	Transient  Category = "TRANSIENT"
	Validation Category = "VALIDATION"
	Permission Category = "PERMISSION"
	Business   Category = "BUSINESS"
)

// Categories lists all categories in the order of the contract's definition.
var Categories = []Category{Transient, Validation, Permission, Business}

// Contract is what the model reads on a denial, as one line of JSON. The names
// are part of the product: agents are prompted with them.
type Contract struct {
	IsError      bool     `json:"isError"`
	Category     Category `json:"errorCategory"`
	IsRetryable  bool     `json:"isRetryable"`
	Message      string   `json:"message"`
	Rule         string   `json:"rule"`
	Layer        string   `json:"layer"`
	RedirectTool string   `json:"redirectTool,omitempty"`
	RequiredTool string   `json:"requiredTool,omitempty"`
	ApprovalID   string   `json:"approvalId,omitempty"`
}

// Report is what the model reads in the place of a failed result, or beside it. What
// the server said stays in it.
type Report struct {
	Contract
	Original json.RawMessage `json:"original,omitempty"`
}

// EmptyReport is what the model reads where nothing was found, which is a valid
// answer.
type EmptyReport struct {
	IsError  bool            `json:"isError"` // false
	IsEmpty  bool            `json:"isEmpty"` // true
	Message  string          `json:"message"`
	Rule     string          `json:"rule"`
	Layer    string          `json:"layer"`
	Original json.RawMessage `json:"original,omitempty"`
}
