package main

import "encoding/json"

// recordIn gives one record in each of the shapes in which servers answer. Its id
// is no number that a float could hold.
func recordIn(shape any) object {
	record := object{"customer_id": json.Number("9007199254740993"), "created_at_unix": 1772452800, "ssn": "078-05-1120"}
	blocks := content(record)
	switch shape {
	case "structured":
		return object{"content": blocks, "structuredContent": record}
	case "blocks":
		blocks = append([]object{{"type": "text", "text": "One record was found."}}, blocks...)
	case "image":
		blocks = append(blocks, object{"type": "image", "mimeType": "image/png", "data": pixel})
	}
	return object{"content": blocks}
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// endings are what calls with these arguments end with, whichever tool is called.
var endings = map[string]object{
	"nobody":          said("User not found", false),
	"a stranger":      said("Access denied", true),
	"a former user":   said("Error: user not found in the directory", true),
	"SELECT 1":        said("Error: 503 Service Unavailable", true),
	"SELECT * FROM x": said(`{"success":false,"error":"no such table","error_code":"SQL_ERROR"}`, false),
	"C-declined":      said("The card was declined.", true),
	"C-refused":       said(`{"success":false,"error":"The card was declined."}`, false),
}

func said(text string, failed bool) object {
	answer := object{"content": []object{{"type": "text", "text": text}}}
	if failed {
		answer["isError"] = true
	}
	return answer
}
