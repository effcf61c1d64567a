# The named verbs of this project. `make` alone lists them.
#
# ENGINE=system links the distribution's SQLCipher, whatever its version, instead of the one that
# `make deps` builds, and keeps its artifacts apart, so that both can be tested side by side.

ENGINE ?= built
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unreleased)

ifeq ($(ENGINE),built)
  DEPS := engine
  SCRATCH := $(CURDIR)/.build
  PC_PATH := $(CURDIR)/.build/sqlcipher/lib/pkgconfig
else ifeq ($(ENGINE),system)
  DEPS := system
  SCRATCH := $(CURDIR)/.build/system-engine
  PC_PATH :=
else
  $(error ENGINE is built or system, not '$(ENGINE)')
endif

# On Linux the Swift runtime goes into the binary, and with it the C++ runtime that it needs: a
# folder that holds nothing but the static one is searched first; libcrypto is then looked for where
# the system has it, and not beside the binary first. On macOS both are part of the system, and
# Homebrew keeps OpenSSL out of pkg-config's own path.
ifeq ($(shell uname -s),Darwin)
  STATIC :=
  PC_PATH := $(PC_PATH):$(shell brew --prefix openssl@3 2>/dev/null)/lib/pkgconfig
else
  STATIC_DIR := $(CURDIR)/.build/static
  STATIC := --static-swift-stdlib --disable-local-rpath -Xswiftc -L$(STATIC_DIR) \
    -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
endif
# The multi-buffer library where `make deps` found it. Looked for when a rule runs: it may come then.
MULTI := $(CURDIR)/.build/multibuffer
export DBSEAL_MULTIBUFFER = $(if $(wildcard $(MULTI)/libdbseal-ipsec-mb.a),$(MULTI))
export PKG_CONFIG_PATH := $(PC_PATH):$(PKG_CONFIG_PATH)

SWIFT_FLAGS := --scratch-path $(SCRATCH)
BINARY := $(SCRATCH)/release/dbseal
PEERS := $(CURDIR)/.build/peers
PYTHON := $(PEERS)/a/bin/python
BUILT_SHELL := $(CURDIR)/.build/sqlcipher/bin/sqlcipher
TEST_ENV = DBSEAL_PEERS=$(PEERS) DBSEAL_ENGINE=$(ENGINE) \
  DBSEAL_SQLCIPHER=$$(test -x $(BUILT_SHELL) && echo $(BUILT_SHELL) || command -v sqlcipher)
PYTESTS := $(wildcard $(addprefix Tests/,Scripts Interop Properties Faults Shells Packaging))

.PHONY: help deps peers build release test quick lint bench faults try install uninstall dist clean

help:
	@echo 'make deps       install what is missing, and SQLCipher 4.5 or newer'
	@echo 'make build      debug build            (ENGINE=system: with the distribution'"'"'s engine)'
	@echo 'make release    the binary: $(SCRATCH:$(CURDIR)/%=%)/release/dbseal'
	@echo 'make test       everything that is tested'
	@echo 'make quick      the unit tests only'
	@echo 'make lint       formatting, layers, traps'
	@echo 'make bench      against the sqlcipher shell and cp, as ratios'
	@echo 'make faults     every call on files fails once, and the process dies at each: the long form'
	@echo 'make try        a guided demonstration on a sample database'
	@echo 'make install    to $(DESTDIR)$(PREFIX)/bin (PREFIX, DESTDIR); make uninstall'
	@echo 'make dist       dist/: a tarball of the binary with its SHA-256'
	@echo 'make peers      other SQLCipher builds that only the tests use'
	@echo 'make clean      removes builds, keeps the engine and the peers'

deps:
	@Scripts/deps $(DEPS)

peers:
	@Scripts/deps peers

build: deps
	swift build $(SWIFT_FLAGS)

release: deps
ifdef STATIC_DIR
	@mkdir -p $(STATIC_DIR)
	@ln -sf "$$($(CC) -print-file-name=libstdc++.a)" $(STATIC_DIR)/libstdc++.a
endif
	swift build $(SWIFT_FLAGS) -c release $(STATIC)

test: release peers
	$(TEST_ENV) swift test $(SWIFT_FLAGS)
ifneq ($(PYTESTS),)
	$(TEST_ENV) DBSEAL_BIN=$(BINARY) $(PYTHON) -m pytest -q $(PYTESTS)
endif

quick: deps peers
	$(TEST_ENV) swift test $(SWIFT_FLAGS)

lint:
	Scripts/lint
	swift format lint --strict -r Sources Tests Package.swift

bench: release peers
	@DBSEAL_BIN=$(BINARY) $(TEST_ENV) $(PYTHON) Scripts/bench $(ARGS)

faults: release peers
	$(TEST_ENV) DBSEAL_BIN=$(BINARY) DBSEAL_FAULTS=all $(PYTHON) -m pytest -q -s Tests/Faults

try: release
	@DBSEAL_BIN=$(BINARY) $(TEST_ENV) Scripts/try

install: release
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/dbseal"
	@for page in $(wildcard Docs/man/*.1); do \
	  install -d "$(DESTDIR)$(PREFIX)/share/man/man1" && \
	  install -m 644 $$page "$(DESTDIR)$(PREFIX)/share/man/man1/"; done
	@$(call completion,dbseal.bash,bash-completion/completions,dbseal)
	@$(call completion,_dbseal,zsh/site-functions,_dbseal)
	@$(call completion,dbseal.fish,fish/vendor_completions.d,dbseal.fish)

# completion(file, folder below share/, installed name): installs a completion that is there.
define completion
if [ -f "completions/$(1)" ]; then \
  install -d "$(DESTDIR)$(PREFIX)/share/$(2)" && \
  install -m 644 "completions/$(1)" "$(DESTDIR)$(PREFIX)/share/$(2)/$(3)"; fi
endef

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/dbseal"
	rm -f $(foreach p,$(notdir $(wildcard Docs/man/*.1)),"$(DESTDIR)$(PREFIX)/share/man/man1/$(p)")
	rm -f "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/dbseal"
	rm -f "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_dbseal"
	rm -f "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/dbseal.fish"

DIST := dbseal-$(VERSION)-$(shell uname -s | tr A-Z a-z)-$(shell uname -m)
dist: release
	rm -rf dist/$(DIST) && mkdir -p dist/$(DIST)
	cp $(BINARY) $(wildcard README.md CHANGELOG.md LICENSE) dist/$(DIST)/
	strip dist/$(DIST)/dbseal
	$(if $(wildcard Docs/man completions),cp -r $(wildcard Docs/man completions) dist/$(DIST)/)
	tar -C dist -czf dist/$(DIST).tar.gz $(DIST)
	rm -rf dist/$(DIST)
	cd dist && { command -v sha256sum >/dev/null && sha256sum $(DIST).tar.gz || \
	  shasum -a 256 $(DIST).tar.gz; } | tee $(DIST).tar.gz.sha256

clean:
	swift package clean --scratch-path $(SCRATCH)
	rm -rf dist
