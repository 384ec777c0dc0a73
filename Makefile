.PHONY: build man release test e2e lint bench

build:
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/gatewright ./cmd/gatewright

man: build
	go run ./testdata/man bin/gatewright > bin/gatewright.1

release:
	go run ./testdata/release

test:
	go test ./... ./testdata/release

e2e:
	go test -count=1 -v ./testdata/e2e

lint:
	test -z "$$(gofmt -s -l .)" || { gofmt -s -d .; exit 1; }
	go vet ./... ./testdata/bench ./testdata/e2e/... ./testdata/man ./testdata/release
	go tool staticcheck ./... ./testdata/bench ./testdata/e2e/... ./testdata/man ./testdata/release

bench:
	go run ./testdata/bench
