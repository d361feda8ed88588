# make play        a game in the terminal (installs into .venv first)
# make test        the tests, in some minutes; make test-all also the slow ones
# make bench       how fast it is here; ARGS="light-9 --json" chooses
# make lint        style and types

VENV := .venv
RUN := $(VENV)/bin/python -m
PIP := $(RUN) pip install --quiet --disable-pip-version-check
PYTHONS := python3 python3.14 python3.13 python3.12 python3.11 python

# What failed, once more by itself. Many tests talk to other programs by the clock, and a machine that stands
# still for seconds fails one of four thousand; a real fault fails again.
AGAIN := (echo "some tests failed: they are run once more, one at a time" >&2; \
	$(RUN) pytest -q -m "not slow" --last-failed --last-failed-no-failures none)

.PHONY: play test test-all warmed test-uncompiled test-bounds bench lint clean
.DELETE_ON_ERROR:

play: $(VENV)/.installed
	@$(RUN) playout play $(ARGS)

test: $(VENV)/.installed-dev
	$(MAKE) --no-print-directory -j2 warmed test-uncompiled
	$(RUN) pytest -n 2 --dist worksteal -q -m "not slow" $(ARGS) || $(AGAIN)
	$(MAKE) --no-print-directory test-bounds

test-all: $(VENV)/.installed-dev
	$(MAKE) --no-print-directory -j2 warmed test-uncompiled
	$(RUN) pytest -n 2 --dist worksteal -q $(ARGS)
	$(MAKE) --no-print-directory test-bounds

# Compiling what most tests need keeps one core busy; the uncompiled tests have the other.
warmed: $(VENV)/.installed-dev
	$(RUN) playout warmup

# The small cases once more as plain Python, where a wrong index is an error and not a wrong number.
test-uncompiled: $(VENV)/.installed-dev
	NUMBA_DISABLE_JIT=1 $(RUN) pytest -n 2 -q -m "small and not slow" -W "ignore:overflow encountered:RuntimeWarning"

# And compiled with bounds checks: nothing is read or written outside its array.
test-bounds: $(VENV)/.installed-dev
	NUMBA_BOUNDSCHECK=1 $(RUN) pytest -n 2 -q -m "small and not slow"

bench: $(VENV)/.installed
	@$(RUN) playout bench $(ARGS)

lint: $(VENV)/.installed-dev
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Installed again when pyproject.toml changes; the sources are used where they lie.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing playout into $(VENV) …" >&2
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "installing playout and its development tools into $(VENV) …" >&2
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/bin/python:
	@for python in $(PYTHONS); do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "playout needs Python 3.11 or newer, and none is on the PATH." >&2; exit 1
