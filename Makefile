.PHONY: build test lint bench

build:
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/gatewright ./cmd/gatewright

test:
	go test ./...

lint:
	test -z "$$(gofmt -s -l .)" || { gofmt -s -d .; exit 1; }
	go vet ./... ./testdata/bench
	go tool staticcheck ./... ./testdata/bench

bench:
	go run ./testdata/bench
