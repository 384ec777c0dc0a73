package install

import (
	"strings"
	"testing"

	"gatewright/install/jsontext"
)

// TestMisfit: values for which the real client was seen to drop the file, or not.
func TestMisfit(t *testing.T) {
	tests := map[string]string{ // what is wrong; empty if the client takes it
		`{}`: "",
		`{"hooks":{"x":1},"model":"x","env":{"A":"1"},"permissions":{"deny":[],"defaultMode":"plan","new":1}}`: "",
		`{"attribution":{"commit":""},"cleanupPeriodDays":9007199254740991,"enabledPlugins":{"a@b":true}}`:     "",
		`{"cleanupPeriodDays":9007199254740993}`:                                                               "cleanupPeriodDays is not a positive",
		`{"desktopSessionCleanupPeriodDays":9007199254740993}`:                                                 "desktopSessionCleanupPeriodDays is not",
		`{"feedbackSurveyRate":0.5,"pluginConfigs":{"a":{"options":{"b":9007199254740993}}}}`:                  "",
		`{"feedbackSurveyRate":0.05}`:                                                                          "",
		`{"unknown":1}`:                                                                                        "unknown is one that gatewright cannot judge",
		`{"cleanupPeriodDays":0}`:                                                                              "cleanupPeriodDays is not a positive",
		`{"cleanupPeriodDays":1.5}`:                                                                            "cleanupPeriodDays is not a positive",
		`{"pluginConfigs":{"a":{"options":{"b":1e400}}}}`:                                                      "is not",
		`{"pluginConfigs":{"a":{"options":{"b":null,"c":5}}}}`:                                                 "",
		`{"cleanupPeriodDays":1e400}`:                                                                          "cleanupPeriodDays is not a positive",
		`{"enabledPlugins":{"a@b":{"version":"1"}}}`:                                                           "enabledPlugins.a@b is not",
		`{"sandbox":{"credentials":{}}}`:                                                                       "sandbox is one that gatewright cannot judge",
		`{"env":{"A":1,"B":null,"C":true},"effortLevel":"max","permissions":{"defaultMode":"manual"}}`:         "",
		`{"feedbackSurveyRate":5}`:                                                                             "feedbackSurveyRate is not a fraction",
		`{"permissions":"x"}`:                                                                                  "permissions is not an object",
		`{"permissions":[]}`:                                                                                   "permissions is not an object",
		`{"permissions":{"deny":"x"}}`:                                                                         "deny is not a list",
		`{"permissions":{"defaultMode":"bogus"}}`:                                                              "defaultMode is not one of acceptEdits",
		`{"permissions":{"additionalDirectories":5}}`:                                                          "additionalDirectories is not a list",
		`{"env":[]}`:                  "env is not an object",
		`{"env":5}`:                   "env is not an object",
		`{"model":5}`:                 "model is not a string",
		`{"enabledPlugins":"x"}`:      "enabledPlugins is not",
		`{"sandbox":5}`:               "sandbox is not",
		`{"statusLine":{"type":"x"}}`: "statusLine is not",
		`{"cleanupPeriodDays":-1}`:    "cleanupPeriodDays is not a positive",
		`{"apiKeyHelper":true}`:       "apiKeyHelper is not a string",
		`{"attribution":"x"}`:         "attribution is not of a form that it knows",
	}
	for text, want := range tests {
		root, err := jsontext.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := doubts("p", []byte(text), root)
		if (len(got) == 0) != (want == "") || len(got) > 0 && !strings.Contains(got[0].why, want) {
			t.Errorf("%s: %v", text, got)
		}
	}
}
