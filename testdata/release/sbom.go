package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// A bill of materials in CycloneDX 1.5, with what the program itself says and no more.
type (
	document struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Hashes     []hash     `json:"hashes,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// bill is the document of a program. Its time is that of the commit.
func bill(program *built, text []byte) []byte {
	sum := sha256.Sum256(text)
	whole := component{Type: "application", Ref: program.Main.Path, Name: program.Main.Path, Version: program.Main.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	for _, s := range program.Settings {
		whole.Properties = append(whole.Properties, property{"go:build:" + s.Key, s.Value})
	}
	d := document{"CycloneDX", "1.5", 1, metadata{program.at.Format(time.RFC3339), whole}, nil}
	goVersion := strings.TrimPrefix(program.GoVersion, "go")
	d.Components = append(d.Components, library("std", goVersion, nil))
	for _, m := range modules(program) {
		// What go.sum holds is the hash of a list of hashes, not that of a file.
		d.Components = append(d.Components, library(m.Path, m.Version, []property{{"go:sum", m.Sum}}))
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		panic(err) // plain data can be encoded
	}
	return b.Bytes()
}

func library(path, version string, properties []property) component {
	purl := "pkg:golang/" + path + "@" + url.PathEscape(version)
	return component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl, Properties: properties}
}

// modules are those that are linked.
func modules(program *built) []*debug.Module {
	var list []*debug.Module
	for _, m := range program.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, m)
	}
	return list
}
