# Every target installs what it needs (scripts/install says what, and asks for root only for apt).
.DEFAULT_GOAL := help
PY := .venv/bin/python

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: install-demo ## Place one real call on loopback and show it
	@.venv/bin/appliance demo

# Two halves side by side, one a core: calls take time and little of a processor, the others both.
CALLS := tests/call tests/checkup tests/fault tests/health tests/session tests/telephony
define run_tests
	@others=$$(mktemp); \
	$(PY) -m pytest $(1) -p no:cacheprovider $(addprefix --ignore=,$(CALLS)) >$$others 2>&1 & half=$$!; \
	$(PY) -m pytest $(1) $(CALLS); calls=$$?; \
	wait $$half; rest=$$?; cat $$others; rm -f $$others; exit $$((calls | rest))
endef

test: install-test check ## The tests that finish in minutes, and `check`
	$(call run_tests,-m "not slow")

test-all: install-test-all check ## Every test, the slow ones too
	$(call run_tests,)

check: install-test ## Format, lint, types and import layers
	@.venv/bin/ruff format --check -q .
	@.venv/bin/ruff check -q .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

bench: install-demo ## Latency of real calls, as an operator's SLA would measure it
	@mkdir -p var/bench
	@$(PY) scripts/bench_latency.py --concurrency 8 --calls 16 --sla scripts/sla.example.toml \
	  --json var/bench/latency.json --html var/bench/latency.html

package: install-package ## The bundle that a box is installed from, in dist/ (SIGNING_KEY=FILE; docs/install.md)
	@$(PY) scripts/package.py $(if $(SIGNING_KEY),--signing-key "$(SIGNING_KEY)")

airgap: install-test-all package ## Prove that an installed box talks to its PBX only (root; docs/security.md)
	@scripts/prove_airgap.sh

COMPILE := $(PY) -m piptools compile -q --generate-hashes --strip-extras \
  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links
lock: install-test ## Resolve the dependencies anew: of the tests, of the box, of what builds the bundle
	@$(PY) -m pip install -q pip-tools
	@$(COMPILE) --extra dev -o requirements.lock pyproject.toml
	@$(COMPILE) --extra llama -c requirements.lock -o requirements.box.lock pyproject.toml
	@$(COMPILE) --allow-unsafe -o packaging/build.lock packaging/build.in
	@$(PY) scripts/package.py --relock

install-demo install-test install-test-all install-package: install-%:
	@scripts/install $*

.PHONY: help demo test test-all check bench package airgap lock install-demo install-test install-test-all install-package
