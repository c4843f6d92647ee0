# make build | test | race | lint | fuzz | bench | cross

GO       ?= go
TOOL      = $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 2m

.PHONY: build test race lint fuzz bench cross update

build:
	$(GO) build ./cmd/halfspace

test:
	$(GO) test ./...

# The one thing that needs cgo.
race:
	CGO_ENABLED=1 $(GO) test -race ./...

# Rewrite golden files and the outputs shown in the documents. Read the diff.
update:
	$(GO) test ./... -update

lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) mod tidy -diff

# Every fuzz target for a while. Without the flag, Go's fuzzer spends most of
# its time making inputs smaller. A target that ran next to nothing fails.
fuzz:
	@bash tools/fuzz.sh $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem -count 6 ./vec ./learn/online | tee bench.out
	$(TOOL) benchstat bench.out

# The core has no cgo and builds everywhere.
cross:
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
	  echo "$$os/$$arch"; CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -o /dev/null ./... || exit 1; \
	done; done
