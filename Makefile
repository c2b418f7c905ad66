# The commands of this project; `make` alone lists them. The work is done in scripts/, which set up what is missing.

SHELL = bash
BIN = "$${CARGO_TARGET_DIR:-target}/release/a2a-conformance"

.PHONY: help
help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Build all, then serve the page beside the scripted agent (ARGS="…" goes to `serve`)
	@scripts/build-all
	@$(BIN) serve --page dist $(ARGS)

.PHONY: watch
watch: ## Serve the page beside the scripted agent, and show each change of it in the browser
	@scripts/watch

.PHONY: test
test: ## Run every test (SUITES="native fuzz wasm python foreign field e2e" chooses)
	@scripts/test $(SUITES)

.PHONY: field
field: ## Check servers of other people's frameworks, all of them (UPDATE_FIELD=1 writes docs/FIELD.md anew)
	@scripts/test field-all

.PHONY: hostile
hostile: ## Play every attack of docs/HOSTILE.md and print tried, survived, worst time and memory (HOSTILE=WORD chooses, UPDATE_HOSTILE=1 writes it anew)
	@scripts/test hostile

.PHONY: stability
stability: ## Check agents many times, quiet and under loads, and list the rows that differ (ARGS="--takes 100 timed" chooses)
	@scripts/stability $(ARGS)

.PHONY: screens
screens: ## Show every state of the page, light and dark, wide and narrow: axe, and pictures in test-results/screens (UPDATE_PICTURES=1 for the README's)
	@scripts/test screens

.PHONY: history
history: ## Check SDKs before and after the fixes of bugs that users had, and write docs/HISTORY.md (ARGS="WORD" chooses)
	@scripts/history $(ARGS)

.PHONY: fuzz
fuzz: ## Fuzz the readers and the judge with libFuzzer, all targets for a minute each (ARGS="TARGET... SECONDS" chooses), and print a table
	@scripts/fuzz $(ARGS)

.PHONY: coverage
coverage: ## Run the native tests and print which part of wire, a2a, engine, suite and report they reach
	@scripts/coverage

.PHONY: mutants
mutants: ## Change the judging code in small ways and print which changes no test notices (ARGS="SAMPLE SEED" chooses)
	@scripts/mutants $(ARGS)

.PHONY: lint
lint: ## Check format, clippy on both targets, spelling, crates, advisories, Markdown and shell scripts
	@scripts/lint

.PHONY: fmt
fmt: ## Format the Rust sources
	@cargo fmt

.PHONY: dist
dist: ## Build the page to host, in dist/, and hold it to its size budget
	@scripts/build-page
	@PATH="$$(. scripts/env && echo "$$PATH")" node scripts/page-size.mjs

.PHONY: npm
npm: ## Build the npm package for scripts, in target/npm
	@scripts/build-npm

.PHONY: docs
docs: ## Write docs/CHECKS.md, docs/TRACEABILITY.md, docs/MUSTS.md, docs/CLIENT-CHECKS.md, docs/FILES.md and docs/public-items.txt anew from the sources
	@cargo run --quiet --locked -- checks --format markdown > docs/CHECKS.md.new
	@mv docs/CHECKS.md.new docs/CHECKS.md
	@cargo run --quiet --locked -- checks --format traceability > docs/TRACEABILITY.md.new
	@mv docs/TRACEABILITY.md.new docs/TRACEABILITY.md
	@cargo run --quiet --locked -- checks --format musts > docs/MUSTS.md.new
	@mv docs/MUSTS.md.new docs/MUSTS.md
	@cargo run --quiet --locked -- checks --format clients > docs/CLIENT-CHECKS.md.new
	@mv docs/CLIENT-CHECKS.md.new docs/CLIENT-CHECKS.md
	@. scripts/env && node scripts/file-index.mjs --write
	@scripts/list-public-items --write

.PHONY: bench
bench: ## Measure the hot paths, and the page in a browser
	@scripts/bench

.PHONY: audit
audit: ## Look up advisories about our crates and npm packages; fails where their databases cannot be reached
	@scripts/audit

.PHONY: reproducible
reproducible: ## Build what is released twice, in two folders, and compare it byte by byte
	@scripts/check-reproducible

.PHONY: setup
setup: ## Install what is missing, without building
	@scripts/setup

.PHONY: clean-tools
clean-tools: ## Remove the tools that the set-up installed (all clones share them)
	@. scripts/env && rm -rf "$$TOOLS"/trunk-* "$$TOOLS"/wasm-bindgen-* "$$TOOLS"/node-* "$$TOOLS"/python-* "$$TOOLS"/npm-* "$$TOOLS"/cargo-llvm-cov-* "$$TOOLS"/cargo-mutants-* node_modules
