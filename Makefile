# Each target makes .venv by itself. Another Python: make demo PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test test-slow lint bench docs clean

help:
	@echo "make demo       run the drape demo: a picture and a film in out/"
	@echo "make test       the tests (a few minutes)"
	@echo "make test-slow  the long tests"
	@echo "make lint       ruff, mypy, import contracts"
	@echo "make bench      the benchmarks"
	@echo "make docs       write the made pages of docs/ again: components, pictures, gallery"
	@echo "make clean      remove .venv, out/ and tool caches"

# Written for any Python from 2.7 on, so that an old one gets a message and not a syntax error.
define CHECK_PYTHON
import sys
found = "%d.%d (%s)" % (sys.version_info[0], sys.version_info[1], sys.executable)
other = "Choose another with: make PYTHON=python3.12"
if sys.version_info < (3, 11):
    sys.exit("pliant needs Python 3.11, 3.12 or 3.13; $(PYTHON) is " + found + ", which is too old. " + other)
if sys.version_info >= (3, 14):
    sys.exit("pliant needs Python 3.11, 3.12 or 3.13; $(PYTHON) is " + found + ", newer than numba supports. " + other)
try:
    import venv, ensurepip
except ImportError:
    sys.exit("$(PYTHON) is " + found + " without its venv module. On Debian or Ubuntu: apt install python3-venv. " + other)
endef
export CHECK_PYTHON

$(READY): pyproject.toml
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	    command -v $(PYTHON) >/dev/null 2>&1 || \
	        { echo "$(PYTHON) not found: pliant needs Python 3.11, 3.12 or 3.13 (make PYTHON=/path/to/python3)" >&2; exit 1; }; \
	    $(PYTHON) -c "$$CHECK_PYTHON" || exit 1; \
	    echo "Making $(VENV) (once; some minutes on a slow connection)"; \
	    $(PYTHON) -m venv --clear $(VENV) || exit 1; \
	fi
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

# A Python that is named must be that of the environment that is there.
.PHONY: same-python
same-python:
	@if [ "$(origin PYTHON)" = "command line" ] && [ -x $(BIN)/python ]; then \
	    wanted=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || \
	        { echo "$(PYTHON) not found: pliant needs Python 3.11, 3.12 or 3.13 (make PYTHON=/path/to/python3)" >&2; exit 1; }; \
	    found=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); \
	    [ "$$wanted" = "$$found" ] || \
	        { echo "$(VENV) was made with Python $$found, not $$wanted; to make it anew: make clean" >&2; exit 1; }; \
	fi

demo: same-python $(READY)
	@mkdir -p out
	@$(BIN)/pliant run drape --picture out/drape.png --film out/drape.mp4

test: same-python $(READY)
	$(BIN)/python -m pytest -q -m "not slow" -n 2 --dist loadfile

test-slow: same-python $(READY)
	$(BIN)/python -m pytest -q -m slow

lint: same-python $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: same-python $(READY)
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: same-python $(READY)
	@for file in reference pictures tutorial gallery verification; do $(BIN)/python docs/make_$$file.py || exit 1; done

clean:
	rm -rf $(VENV) out build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
