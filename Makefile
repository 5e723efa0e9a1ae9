# Two commands matter: make demo, make test. Each sets up everything it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
SHOWN := $(VENV)/.shown
READY := $(VENV)/.ready
PEERS := .venv-bench/.ready
BLENDER_VENV ?= .venv-blender
BLENDER := $(BLENDER_VENV)/.ready

.PHONY: demo test test-blender blender blender-extension lint types layers pytest fuzz wheel browser docs reference pictures bench bench-full clean

demo: $(SHOWN)
	$(BIN)/motionweave demo

test: lint types layers docs pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

# The browser has the machine to itself: it draws in software, and what a person would wait for
# a little longer must not count as a failure.
pytest: $(READY) browser
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --ignore tests/browser
	$(BIN)/python -m pytest tests/browser

# The studio is tested in a real browser: an installed one, Playwright's own, or the system's.
browser: $(READY)
	@$(BIN)/python tests/browser/find.py || $(BIN)/playwright install chromium \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium; } \
	  || { echo "The studio's tests need Chromium or Chrome: install one, or name it in MOTIONWEAVE_BROWSER."; exit 1; }

# As many bad files as you like: make fuzz INPUTS=1000000 SEED=7
INPUTS ?= 100000
SEED ?= 0
fuzz: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --inputs $(INPUTS) --seed $(SEED)

# README and pages as a new user tries them: with the wheel, in a new environment and folder.
wheel: $(READY)
	$(BIN)/python tests/docs/wheel.py --borrow
	$(BIN)/python tests/docs/wheel.py --borrow --extras

# Links, spelling, and everything that mkdocs finds. docs/cli.md is made from the parsers.
docs: $(READY)
	$(BIN)/python docs/links.py
	$(BIN)/codespell
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

reference: $(READY)
	$(BIN)/python docs/reference.py

# Blender imports what we write and exports what we read.
test-blender: $(READY) $(BLENDER)
	MOTIONWEAVE_BLENDER=$(CURDIR)/$(BLENDER_VENV)/bin/python $(BIN)/python -m pytest tests/blender --ignore tests/blender/extension
	PYTHONPATH=src MOTIONWEAVE_OTHER_PYTHON=$(CURDIR)/$(BIN)/python \
	  $(BLENDER_VENV)/bin/python -m pytest tests/blender/extension

blender: $(BLENDER)

# The extension as users install it: dist/motionweave-blender-VERSION.zip.
blender-extension: $(READY)
	$(BIN)/python blender/build.py

# About 1 GB; bpy 4.5 needs an older NumPy, and so it has an environment of its own. Blender 5:
# make test-blender BLENDER_VENV=.venv-blender5 BPY='bpy>=5,<6' NUMPY='numpy<3'
BPY ?= bpy>=4.2,<5
NUMPY ?= numpy<2
$(BLENDER):
	@$(PYTHON) -m venv $(BLENDER_VENV)
	$(BLENDER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check '$(NUMPY)' '$(BPY)' --editable . pytest hypothesis \
	  && $(BLENDER_VENV)/bin/python -c 'import bpy' \
	  || { echo "Blender's package bpy cannot be installed for this Python (4.5 wants 3.11)"; exit 1; }
	@npm install --silent --no-fund --no-audit --prefix $(BLENDER_VENV) gltf-validator@2.0.0-dev.3.10 \
	  || echo "the glTF validator cannot be installed (it needs Node.js); its tests will be skipped"
	@touch $(BLENDER)

pictures: $(READY) browser
	$(BIN)/python docs/pictures.py
	MOTIONWEAVE_PICTURES=docs/images/studio $(BIN)/python -m pytest tests/browser/test_pictures.py

bench: $(READY) $(PEERS)
	$(BIN)/python -m benchmarks

bench-full: $(READY) $(PEERS)
	$(BIN)/python -m benchmarks --full

# Peers have an environment of their own. One that cannot be had is listed as missing.
$(PEERS): benchmarks/peers.txt
	@$(PYTHON) -m venv .venv-bench
	@grep -v '^#' benchmarks/peers.txt | while read -r peer; do \
	  echo "installing $$peer"; \
	  .venv-bench/bin/python -m pip install --quiet --disable-pip-version-check $$peer \
	    || echo "$$peer cannot be installed; its rows will say so"; \
	done
	@touch $(PEERS)

# The environment is made once, and filled again when the dependencies change: with little for
# the demo, so that it opens soon, and with everything for tests.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "motionweave needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python has no venv module; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $(MADE)

$(SHOWN): pyproject.toml $(MADE)
	$(INSTALL) --editable '.[studio]'
	@touch $(SHOWN)

$(READY): pyproject.toml $(MADE)
	$(INSTALL) --editable '.[dev]'
	@touch $(SHOWN) $(READY)

clean:
	rm -rf $(VENV) .venv-bench .venv-blender* demo site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
