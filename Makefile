# What one does with this project. `make` alone lists it.

GO ?= go
FUZZTIME ?= 30s
GOBIN := $(shell $(GO) env GOPATH)/bin

.DEFAULT_GOAL := help
.PHONY: help all build test race crash golden fuzz bench lint fmt demo demo-google

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

all: lint test build ## lint, test, build

build: ## build bin/weft
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/weft ./cmd/weft

demo: ## run the e-mail assistant in a simulated mailbox, offline, with a human's answers from a file
	$(GO) run ./cmd/weft run specs/email_assistant --store memory: \
		--script specs/email_assistant/testdata/demo_script.yaml \
		--answers specs/email_assistant/testdata/demo_answers.yaml

demo-google: build ## a mail comes in at a local Google, the assistant plans a meeting and answers; the mailbox before and after
	@$(GO) run ./nodes/google/googletest/cmd --mails specs/email_assistant/testdata/demo_inbox.json bin/weft trigger specs/email_assistant new_mail \
		--profile google --store memory: --parallel 1 \
		--script specs/email_assistant/testdata/demo_google_script.yaml --answers specs/email_assistant/testdata/demo_answers.yaml

test: ## every test but the slow ones
	$(GO) test ./...
	$(GO) run ./cmd/weft validate ./...
	$(GO) run ./cmd/weft test ./...

race: ## the tests under the race detector
	$(GO) test -race ./...

crash: ## kill a real process at 300 random points
	WEFT_CRASH_RUNS=300 $(GO) test -run Crash -timeout 30m ./...

golden: ## rewrite golden files; read the diff
	UPDATE=1 $(GO) test ./...

fuzz: ## every fuzzer for FUZZTIME
	@set -e; for target in $$(grep -rho --include='*_test.go' 'func Fuzz[A-Za-z]*' . | sed 's/func //' | sort -u); do \
		dir=$$(grep -rl --include='*_test.go' "func $$target(" . | head -n 1 | xargs dirname); \
		echo "== $$target in $$dir"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$dir; done

bench: ## the benchmarks of docs/performance.md
	$(GO) test -run '^$$' -bench . -benchmem ./...

lint: ## gofmt, vet, golangci-lint and govulncheck where they are installed
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) vet ./...
	@if [ -x "$(GOBIN)/golangci-lint" ]; then "$(GOBIN)/golangci-lint" run ./...; else echo "golangci-lint is not installed"; fi
	@if [ -x "$(GOBIN)/govulncheck" ]; then "$(GOBIN)/govulncheck" ./... ; else echo "govulncheck is not installed"; fi

fmt: ## format
	gofmt -w .
