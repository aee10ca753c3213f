# One word per job. Each makes or refreshes .venv/ first; ARGS="..." goes to the program behind it.
.DEFAULT_GOAL := help
.PHONY: help setup run play web test test-fast check format constraints cuda bench sanitize soak compat wheels wheelhouse clean

PY := .venv/bin/python
# Two processes more than there are processors: tests often wait for a browser, a box, a server or a deadline.
PARALLEL := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make or refresh .venv/ and the native build
	@scripts/setup dev

run: ## set up and start a league on this machine: the server, a demo season with built-in policies, the pages
	@scripts/setup run
	@exec $(PY) -m observatory demo $(ARGS)

play: ARGS ?= play -m machina_1 -p cogsguard -r gui --autostart
play: ## set up and play a mission with a built-in policy in the browser; ARGS is any other command line of cogames
	@scripts/setup run
	@$(PY) -m cogames $(ARGS)

web: ## build the pages of the viewer, the league and BitWorld (ARGS="test": their unit tests, ARGS="check": their types)
	@scripts/setup run
	@$(PY) scripts/web.py $(ARGS)

test: setup ## set up and run the tests
	@$(PY) -m pytest $(PARALLEL) $(ARGS)

test-fast: setup ## the tests that take under a minute together
	@$(PY) -m pytest -m "not slow" $(PARALLEL) $(ARGS)

check: setup ## format, lint, types, import arrows, dependencies, generated files; `make test` runs it too
	@$(PY) scripts/check.py $(ARGS)

format: setup ## rewrite Python, C++, TypeScript and CSS as `make check` wants them
	@$(PY) -m ruff format
	@$(PY) -m ruff check --fix
	@$(PY) scripts/check.py --list-native | xargs .venv/bin/clang-format -i
	@$(PY) scripts/web.py format

constraints: setup ## pin the installed versions of all packages in constraints.txt
	@$(PY) scripts/constraints.py

cuda: setup ## compile the kernels for GPUs (sm_80, sm_90); needs no GPU
	@$(PY) scripts/gpu_compile.py

bench: setup ## speed, threads, creation, memory, bandwidth and imports, beside the published engine; learning from pictures
	@$(PY) benchmarks/bench.py $(ARGS)

sanitize: setup ## every recorded episode under the address and undefined-behaviour sanitizers
	@$(PY) scripts/sanitize.py

compat: setup ## 2,000 random configurations through the published engine and ours
	@$(PY) scripts/compat.py --count 2000 $(ARGS)

soak: setup ## what is long: mutated configurations under the sanitizers, a million steps, a long replay, 20,000 games in two engines, 100 kills
	@$(PY) scripts/soak.py $(ARGS)

wheels: setup ## build the distributions, use them in an empty environment and in a container, build again with a second standard library
	@WHEELS_BUILD_TYPE=Release $(PY) -m pytest tests/wheels -m "" $(ARGS)

wheelhouse: setup ## dist/wheelhouse: wheels of all packages and their dependencies, to install offline without a compiler
	@$(PY) scripts/wheelhouse.py $(ARGS)

clean: ## remove what was built; .venv/, .cache/ and the league's data in .league/ stay
	rm -rf build dist packages/*/build web/node_modules web/dist packages/mettagrid/src/mettagrid/viewer/pages packages/observatory/src/observatory/pages/site packages/bitworld/src/bitworld/pages .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -not -path './.venv/*' -not -path './.cache/*' -prune -exec rm -rf {} +
	rm -f .venv/stamps/web .venv/stamps/web-modules $(patsubst packages/%,.venv/stamps/%,$(wildcard packages/*))
