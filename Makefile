# Every target installs what it needs (scripts/install says what, and asks for root only for apt).
.DEFAULT_GOAL := help
PY := .venv/bin/python

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: install-demo ## Place one real call on loopback and show it
	@.venv/bin/appliance demo

test: install-test check ## The tests that finish in minutes, and `check`
	@$(PY) -m pytest -m "not slow"

test-all: install-test-all check ## Every test, the slow ones too
	@$(PY) -m pytest

check: install-test ## Format, lint, types and import layers
	@.venv/bin/ruff format --check -q .
	@.venv/bin/ruff check -q .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

bench: install-demo ## Latency of real calls, as an operator's SLA would measure it
	@mkdir -p var/bench
	@$(PY) scripts/bench_latency.py --concurrency 8 --calls 16 --sla scripts/sla.example.toml \
	  --json var/bench/latency.json --html var/bench/latency.html

lock: install-test ## Resolve the dependencies anew into requirements.lock
	@$(PY) -m pip install -q pip-tools
	@$(PY) -m piptools compile -q --extra dev --generate-hashes --strip-extras \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links -o requirements.lock pyproject.toml

install-demo install-test install-test-all: install-%:
	@scripts/install $*

.PHONY: help demo test test-all check bench lock install-demo install-test install-test-all
