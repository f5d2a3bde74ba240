# make run starts Quire; make check is what must pass before a commit, and what CI runs.

SHELL       := bash
.SHELLFLAGS := -o pipefail -ec

GO          ?= go
GOFUMPT     := $(GO) run mvdan.cc/gofumpt@v0.12.0
GOTESTSUM   := $(GO) run gotest.tools/gotestsum@v1.13.0
STATICCHECK := $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME    ?= 30s

# One way to build, so that programs, tests and checks share what is compiled. The race detector alone needs C.
export GOFLAGS     ?= -trimpath
export CGO_ENABLED ?= 0

# Properties are tried with the same inputs each time; RAPID_SEED=0 draws others.
export RAPID_SEED ?= 1

# node refuses a large environment, so the wasm tests get none but the path.
WASM      := GOOS=js GOARCH=wasm $(GO)
WASM_EXEC := env -i "PATH=$(PATH)" RAPID_SEED=$(RAPID_SEED) $(shell $(GO) env GOROOT)/lib/wasm/go_js_wasm_exec

GO_TEST := $(GO) test -vet=off -timeout=30m -json

# The packages in whose tests no goroutine meets another, which are tested without the race detector: neither they nor
# what they import of ours starts one, runs tests side by side or locks anything. race_test.go holds the list.
PURE := . core/access core/access/proof core/ansi core/artifact core/assist core/bytesize core/celltext core/directory core/event core/internal/jsonscan core/ipynb core/lang/names core/notebook core/order core/params core/plain \
	core/redact core/runtime/screen internal/html internal/ownership tools/figures tools/tsgen web

# All others. Those that take longest come first, and more run at once than there are processors: most wait for processes.
MODULE  := github.com/quirehq/quire
SLOWEST = $(addprefix ./,internal/jupyter internal/python cmd/quire cmd/quire/internal/engines host/server e2e/faults tools/compare e2e core/replica)
RACED   = $(SLOWEST) $(filter-out $(patsubst ./%,$(MODULE)/%,$(SLOWEST)) $(MODULE) $(addprefix $(MODULE)/,$(PURE)),$(shell $(GO) list ./...))

.PHONY: run build web test go-test e2e sandboxed faults duckdb compare shots bench-web check lint generate generated bench fuzz clean

run: build
	bin/quire serve

build: web
	$(GO) build -ldflags "-s -w -X main.version=$(VERSION)" -o bin/quire ./cmd/quire

# The page: the core as WebAssembly, and what npm makes of web/. It is made anew when anything that it is made of changed.
web: web/dist/index.html

CORE      := web/src/worker/go
GO_SOURCE := $(shell find core host/browser -name '*.go' ! -name '*_test.go' 2>/dev/null)
WEB_SOURCE := $(shell find web -path web/node_modules -prune -o -path web/dist -prune -o -path web/e2e -prune -o -path web/test -prune -o -type f ! -name '*.test.ts*' ! -name '*.go' -print 2>/dev/null)

web/dist/index.html: web/node_modules/.package-lock.json $(CORE)/core.wasm $(CORE)/wasm_exec.js $(WEB_SOURCE)
	cd web && npm run --silent build

$(CORE)/core.wasm: $(GO_SOURCE) go.mod
	@mkdir -p $(CORE)
	$(WASM) build -ldflags "-s -w" -o $@ ./host/browser/wasm

$(CORE)/wasm_exec.js: go.mod
	@mkdir -p $(CORE)
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" $@

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund --silent
	@touch $@

# The page's tests, then all in Go, and at the end the ten slowest and the totals of both.
test: web/node_modules/.package-lock.json
	@out=$$(mktemp -d); trap 'rm -rf "$$out"' EXIT; failed=0; \
	(cd web && NO_COLOR=1 npx vitest run --silent) | tee "$$out/page" || failed=1; \
	NO_COLOR=1 $(GOTESTSUM) --format=pkgname-and-test-fails --hide-summary=skipped --ignore-non-json-output-lines \
		--jsonfile="$$out/records" --raw-command -- $(MAKE) -s go-test | tee "$$out/go" || failed=1; \
	echo; echo "The ten slowest tests in Go:"; $(GOTESTSUM) tool slowest --num=10 --jsonfile="$$out/records"; \
	echo; grep '^ *Tests ' "$$out/page" || failed=1; grep '^DONE [1-9]' "$$out/go" || failed=1; exit $$failed

# The records of all tests in Go, for gotestsum to count. Packages in which goroutines meet run under the race detector,
# and those of PURE without. Beside them run, one package at a time, the 2,000 seeds of the simulation of the network,
# which the detector would make ten times as slow, likewise all tests of the interpreters, and the core's tests as WebAssembly;
# their packages are named apart.
# Nothing is vetted on the way: make lint does that.
go-test:
	@beside=$$(mktemp); trap 'rm -f "$$beside"' EXIT; failed=0; \
	apart() { sed -E 's|"Package":"([^"]+)"|"Package":"\1 ['"$$1"']"|'; }; \
	{ failed=0; \
	$(GO_TEST) -p=1 $(addprefix ./,$(PURE)) || failed=1; \
	$(GO_TEST) -p=1 -run='^TestSY1Replicas' ./core/replica | apart "2,000 seeds" || failed=1; \
	$(GO_TEST) -p=1 ./internal/javascript ./internal/lua | apart "not raced" || failed=1; \
	$(WASM) test -vet=off -json -p=1 -exec='$(WASM_EXEC)' ./core/... | apart wasm || failed=1; \
	exit $$failed; } >"$$beside" & \
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(GO_TEST) -race -p=4 $(RACED) || failed=1; \
	wait $$! || failed=1; cat "$$beside"; exit $$failed

# The tests of the page in a real Chromium, with the program that is built; ends with the slowest.
e2e: build
	cd web && NO_COLOR=1 npx vitest run --config vitest.e2e.config.ts $(E2E)

# The languages that need not be installed, with tests that skip where they are missing: it gets them from npm's registry and compiles
# them once, for half a minute of a processor, and stays out of CI for that.
sandboxed: build
	@for language in python ruby perl php; do bin/quire engines | grep -q "^$$language-wasm .*/engines/" || bin/quire engines install $$language; done
	$(GO) test -count=1 -timeout=15m ./internal/wasi
	$(GO) test -count=1 -timeout=15m -run='Sandboxed|Examples' ./cmd/quire/internal/engines

# Scenarios in which real processes are killed, frozen and cut off, disks are full and clocks wrong: SEEDS of them from
# FIRST on. With EACH=200 instead, as many as it takes to kill servers, runtimes and engines and to cut the network so
# often each while a program runs. KINDS has nothing but these fail; KEEP is a directory for the data of what failed.
SEEDS ?= 1000
FIRST ?= 1
KINDS ?= $(if $(EACH),server killed$(,)runtime killed$(,)engine killed$(,)network cut)
,     := ,

faults:
	$(GO) test ./e2e/faults -count=1 -timeout=24h -v -first=$(FIRST) -seeds=$(SEEDS) $(if $(KEEP),-keep='$(abspath $(KEEP))') \
	$(if $(EACH),-each=$(EACH)) -kinds='$(KINDS)' | grep -v '^=== '

# The program with DuckDB, as bin/quire-duckdb, and the tests of SQL cells with it: 60 MB of C++, which need a C++ compiler, so that
# they are in no other build.
duckdb: web
	CGO_ENABLED=1 $(GO) build -tags duckdb -ldflags "-s -w -X main.version=$(VERSION)" -o bin/quire-duckdb ./cmd/quire
	CGO_ENABLED=1 $(GO) vet -tags duckdb ./internal/sqlcell
	CGO_ENABLED=1 $(GO) test -tags duckdb -count=1 ./internal/sqlcell

# Snippets of notebooks in the built-in Python, with IPython and without, and in ipykernel through Quire, beside ipykernel under
# nbclient. ONLY=magics/ for some; UPDATE=1 keeps what the reference gives for those that are new or changed, and the differences
# that have a reason; PYTHON is one with IPython, ipykernel and nbclient.
PYTHON ?= /usr/bin/python3

compare: build
	$(GO) run ./tools/compare -python=$(PYTHON) $(if $(ONLY),-only='$(ONLY)') $(if $(UPDATE),-update)

# Pictures of every page, for whoever changes how they look: in web/shots.
shots: build
	cd web && npx vitest run --config vitest.shots.config.ts

# The page's figures, each beside a peer's or its budget.
bench-web: build
	cd web && npx vitest run --config vitest.bench.config.ts

check: lint generated test e2e

# For other systems the program is compiled and linked without optimizing it, in two thirds of the time.
lint: web/node_modules/.package-lock.json
	cd web && npx tsc --noEmit && npx oxlint --deny-warnings --quiet .
	@files=$$(cd web && npx oxfmt --list-different .) || { echo "not formatted, run 'npm run format' in web:"; echo "$$files"; exit 1; }
	@files=$$($(GOFUMPT) -l .); \
	if [ -n "$$files" ]; then echo "not formatted, run '$(GOFUMPT) -w .':"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(WASM) vet ./core/... ./host/browser/...
	$(STATICCHECK) ./...
	for os in windows darwin; do GOOS=$$os $(GO) build -gcflags='all=-N -l' -o /dev/null ./cmd/quire; done
	$(GO) run ./tools/figures

generate:
	$(GO) generate ./...

# What go generate writes must be in the tree already.
generated:
	@state() { git status --porcelain; git diff; }; before=$$(state); $(GO) generate ./...; \
	if [ "$$before" != "$$(state)" ]; then echo "generated files were out of date, look at what changed:"; git status --short; exit 1; fi

# The budgets' figures, each beside a peer's or the machine's; BENCH='-only fold,trace' for some of them.
bench: build
	$(GO) run ./bench $(BENCH)

# Each fuzz target for FUZZTIME, one after another, and the page's decoders; FUZZ=Tracebacks for those whose names have that. It
# goes on behind one that fails, and names those that did.
fuzz: web/node_modules/.package-lock.json
	@failed=; for found in $$(grep -rHo --include='*_test.go' --exclude-dir=node_modules '^func Fuzz[A-Za-z0-9_]*' . | sed 's/:func /:/' | grep ':.*$(FUZZ)'); do \
	dir=$$(dirname "$${found%:*}"); target=$${found##*:}; echo "$$target in $$dir"; \
	$(GO) test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) "$$dir" </dev/null || failed="$$failed $$dir:$$target"; done; \
	(cd web && NO_COLOR=1 FUZZTIME=$(FUZZTIME) npx vitest run test/fuzz --testTimeout=0 -t '$(FUZZ)') || failed="$$failed web"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

clean:
	rm -rf bin web/dist/assets web/dist/*.html $(CORE)
