# The named verbs of this project. `make` alone lists them.
#
# ENGINE=system links the distribution's SQLCipher, whatever its version, instead of the one that
# `make deps` builds, and keeps its artifacts apart, so that both can be tested side by side.

ENGINE ?= built
PREFIX ?= /usr/local
DESTDIR ?=
# The one place where the version stands.
VERSION := $(shell sed -n 's/^  static let version = "\(.*\)"$$/\1/p' Sources/SealCLI/Tool.swift)

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
PYTESTS := $(wildcard $(addprefix Tests/,\
  Scripts Interop Properties Faults Secrets Shells Packaging Docs))

.PHONY: help deps peers build release test quick lint bench faults soak fuzz fuzz-corpus sanitize \
  try install uninstall dist deb version clean

help:
	@echo 'make deps       install what is missing, and SQLCipher 4.5 or newer'
	@echo 'make build      debug build            (ENGINE=system: with the distribution'"'"'s engine)'
	@echo 'make release    the binary: $(SCRATCH:$(CURDIR)/%=%)/release/dbseal'
	@echo 'make test       everything that is tested'
	@echo 'make quick      the unit tests only'
	@echo 'make lint       formatting, layers, traps'
	@echo 'make bench      against the sqlcipher shell and cp, as ratios'
	@echo 'make faults     every call on files fails once, and the process dies at each: the long form'
	@echo 'make soak       signals at random moments over 200 MB, for SOAK_SECONDS (900)'
	@echo 'make fuzz       coverage-guided fuzzing (FUZZ_TARGET=name, FUZZ_SECONDS=30 a target)'
	@echo 'make sanitize   the Swift tests with the sanitizers for addresses, undefined behavior, threads'
	@echo 'make try        a guided demonstration on a sample database'
	@echo 'make install    to $(DESTDIR)$(PREFIX)/bin (PREFIX, DESTDIR); make uninstall'
	@echo 'make dist       dist/: a tarball of binary, manual pages and completions, and SHA256SUMS'
	@echo 'make deb        dist/: a Debian package of the same'
	@echo 'make version    prints the version'
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

soak: release peers
	$(TEST_ENV) DBSEAL_BIN=$(BINARY) SOAK_SECONDS=$${SOAK_SECONDS:-900} $(PYTHON) -m pytest -q -s \
	  Tests/Faults/test_random_kills.py

# libFuzzer and the sanitizers come with the toolchain. Their builds stand apart; gold, which is what
# Swift links with elsewhere, warns of every function of theirs. Swift's own report of a crash would
# wait for a terminal that is not there.
FUZZ_FLAGS := --scratch-path $(SCRATCH)/fuzz -c release --product dbseal-fuzz \
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing -Xswiftc -use-ld=lld
FUZZ = FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_TARGET="$(FUZZ_TARGET)" Scripts/fuzz \
  $(SCRATCH)/fuzz/release/dbseal-fuzz

fuzz: deps
	DBSEAL_FUZZ=1 swift build $(FUZZ_FLAGS)
	@$(FUZZ)

fuzz-corpus: deps
	DBSEAL_FUZZ=1 swift build $(FUZZ_FLAGS)
	@$(FUZZ) --corpus

# Of the C targets undefined behavior is looked for too; swiftc has no such sanitizer on Linux.
ADDRESS := --scratch-path $(SCRATCH)/asan --sanitize address -Xswiftc -use-ld=lld \
  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined \
  --filter 'Derivation|Format|KeyStores|DecodedPages|PageShelf|Pipeline|Replay|Secret'
THREADS := --scratch-path $(SCRATCH)/tsan --sanitize thread -Xswiftc -use-ld=lld \
  --filter 'Pipeline|Derivation|DecodedPages|PageShelf|Prover|Snapshot|FilesLock'

sanitize: deps peers
	$(TEST_ENV) SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 swift test $(ADDRESS)
	$(TEST_ENV) SWIFT_BACKTRACE=enable=no \
	  TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt swift test $(THREADS)

try: release
	@DBSEAL_BIN=$(BINARY) $(TEST_ENV) Scripts/try

version:
	@echo $(VERSION)

# DBSEAL_BIN names a binary that is there already, to install or pack in the place of a new one.
PACKED := $(or $(DBSEAL_BIN),$(BINARY))
install dist deb: $(if $(DBSEAL_BIN),,release)
install uninstall dist deb: export BINARY := $(PACKED)
install uninstall dist deb: export VERSION := $(VERSION)
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)
dist deb: export DIST := $(or $(DIST),dist)
install uninstall dist deb:
	@Scripts/package $@

clean:
	swift package clean --scratch-path $(SCRATCH)
	rm -rf dist
