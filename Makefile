# Every target sets up what it needs: a virtual environment with the package and its tools, and Debian's spin as oracle.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
# WORKERS: how many processes run the tests; one more than there are cores, since some tests wait.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
# BROWSERS: how many run the tests of pages.
BROWSERS ?= 3
# MODELS: a folder with Promela models of others, to measure with too.
MODELS ?=

.DEFAULT_GOAL := help
.PHONY: help oracles chromium demo test test-browser cluster check conditions coverage sanitize soak man notebooks docs vscode wheels bench clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

$(READY): pyproject.toml setup.py $(shell find src -path '*/runtime/*.[ch]')
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m compileall -q src
	@touch $@

# SPIN is the oracle of the Promela tests, Rumur that of the Murphi ones, Icarus that of Verilog, ABC that of AIGER; without them the tests
# use the figures recorded in the models, or are left out.
oracles:
	@{ command -v spin && command -v rumur && command -v iverilog && command -v berkeley-abc; } >/dev/null 2>&1 || { command -v apt-get >/dev/null 2>&1 \
	  && { apt-get update && apt-get install --yes spin rumur iverilog berkeley-abc gcc tcc; } >/dev/null 2>&1; } \
	  || echo 'spin, rumur, iverilog or berkeley-abc is not installed: the tests compare with recorded figures, or leave these out'

# Debian's Chromium, which Playwright drives by its path and never replaces by one of its own.
chromium:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || { command -v apt-get >/dev/null 2>&1 \
	  && { apt-get update && apt-get install --yes --no-install-recommends chromium; } >/dev/null 2>&1; } \
	  || echo 'Chromium is not installed and could not be: install it to run the tests of pages (Debian: apt-get install chromium)'

demo: $(READY)  ## check some example models and show their symmetry
	$(BIN)/quorbit why examples/readers_writers.edges "(2 3)" || true
	@echo
	$(BIN)/quorbit symmetry examples/promela/service.pml
	@echo
	$(BIN)/quorbit check examples/b/PhoneBook.mch
	@echo
	$(BIN)/quorbit check examples/promela/floors.pml

test: $(READY) oracles  ## run the tests
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not soak and not ray' --ignore tests/browser

cluster: $(READY)  ## run the tests of shared searches on Ray, which is installed if need be
	$(BIN)/python -m pip install --quiet --editable '.[cluster]'
	$(BIN)/python -m pytest -m 'ray and not soak' tests/agree/test_cluster_ray.py

test-browser: $(READY) chromium  ## run the tests of the explorer and the reports in Chromium
	$(BIN)/python -m pytest -n $(BROWSERS) --dist loadfile tests/browser

soak: $(READY) oracles  ## run the tests with the full numbers of random cases
	$(BIN)/python -m pytest -n $(WORKERS) --ignore tests/browser

check: $(READY)  ## format, lint, types, structure, and warnings of two C compilers
	$(BIN)/ruff format --check src tests tools benchmarks
	$(BIN)/ruff check src tests tools benchmarks
	$(BIN)/mypy
	$(BIN)/python tools/check_structure.py src/quorbit
	$(BIN)/python tools/c_warnings.py src/quorbit

# The runtimes are built for gcov while the tests run, and as usual afterwards.  What a short run loads is not
# tested here: the measuring itself loads more.  Nor is a time limit inside this process: it may interrupt the measuring
# where it holds a lock of its own, which is never given back.
coverage: $(READY) oracles  ## run the tests and measure which lines of Python and C they reach
	rm -rf build/coverage .coverage .coverage.*
	QUORBIT_COVERAGE=1 $(BIN)/python setup.py --quiet build_ext --inplace --force --build-temp build/coverage
	$(BIN)/coverage run -m pytest -n $(WORKERS) -m 'not soak and not ray' --ignore tests/cli/test_short_runs.py --ignore tests/browser \
	  --deselect tests/cli/test_faults.py::test_the_time_limit_of_the_python_interface; status=$$?; \
	  $(BIN)/python setup.py --quiet build_ext --inplace --force; \
	  $(BIN)/coverage combine --quiet && $(BIN)/coverage report --skip-covered --sort=cover \
	  && $(BIN)/python tools/c_coverage.py build/coverage; exit $$status

# The runtimes are built with sanitizers while the tests of what is written in C run, and as usual afterwards.  What a test
# compiles or starts itself runs with them too; native code of models does not.  A finding ends the process and is told in a file.
FINDINGS := build/sanitize/finding
SANITIZED := tests/unit/machine tests/unit/engines tests/agree/test_explicit_*.py tests/agree/test_adaptive_kernel.py \
  tests/agree/test_temporal_random.py tests/agree/test_partial_order_random.py tests/agree/test_cluster_random.py
THREADED := tests/unit/machine tests/agree/test_explicit_checkpoint.py tests/agree/test_explicit_everything.py tests/agree/test_explicit_random.py
sanitize: $(READY)  ## run the tests of the C runtimes under the sanitizers of addresses, undefined behaviour and threads
	QUORBIT_SANITIZE=address,undefined $(BIN)/python setup.py --quiet build_ext --inplace --force --build-temp build/sanitize
	rm -f $(FINDINGS).*
	LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:log_path=$$PWD/$(FINDINGS) UBSAN_OPTIONS=log_path=$$PWD/$(FINDINGS) \
	  $(BIN)/python -m pytest -n $(WORKERS) -m 'not soak and not ray' $(SANITIZED); status=$$?; \
	  QUORBIT_SANITIZE=thread $(BIN)/python setup.py --quiet build_ext --inplace --force --build-temp build/sanitize; \
	  LD_PRELOAD=$$(gcc -print-file-name=libtsan.so) TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 log_path=$$PWD/$(FINDINGS)" \
	  $(BIN)/python -m pytest -m 'not soak and not ray' $(THREADED) || status=1; \
	  $(BIN)/python setup.py --quiet build_ext --inplace --force; cat $(FINDINGS).* 2>/dev/null && status=1; exit $$status

conditions: $(READY)  ## drop the conditions of partial order one by one; ONLY=word: those with the word
	$(BIN)/python tools/drop_conditions.py --only "$(ONLY)"

man: $(READY)  ## write the manual page to build/man/quorbit.1
	@mkdir -p build/man
	$(BIN)/argparse-manpage --module quorbit.cli.registry --function build_parser --prog quorbit --project-name quorbit \
	  --description 'check models by looking at one state per orbit' --manual-title 'Quorbit' --format pretty --output build/man/quorbit.1

notebooks: $(READY)  ## run the notebooks of docs/notebooks and compare what they print; write them to build/notebooks
	$(BIN)/python tools/notebooks.py

docs: $(READY) notebooks  ## build the documentation site into build/site; a link that leads nowhere is an error
	$(BIN)/python -m pip install --quiet 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5,<10' 'mkdocstrings-python>=1.10,<3'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

vscode:  ## package the extension for Visual Studio Code as build/quorbit.vsix
	@mkdir -p build
	rm -rf build/vscode && cp -r editors/vscode build/vscode && cp LICENSE build/vscode/
	cd build/vscode && npm install --no-audit --no-fund --omit=dev && npx --yes @vscode/vsce@2.32.0 package --allow-missing-repository --out ../quorbit.vsix

wheels: $(READY)  ## build wheels and the sdist into dist/, and try them
	$(BIN)/python -m pip install --quiet 'build>=1.2' 'auditwheel>=6' 'cyclonedx-bom>=5' 'setuptools>=77' wheel ziglang
	@command -v qemu-aarch64 >/dev/null 2>&1 || { command -v apt-get >/dev/null 2>&1 && { apt-get update \
	  && apt-get install --yes qemu-user libc6-arm64-cross; } >/dev/null 2>&1; } || echo 'qemu-user is not installed: aarch64 is not tried'
	$(BIN)/python tools/wheels.py dist

bench: $(READY) oracles  ## measure against the peers
	$(BIN)/python -m benchmarks $(MODELS)

clean:  ## remove what the other targets made
	rm -rf .venv build dist *.egg-info src/*.egg-info .coverage .coverage.*
