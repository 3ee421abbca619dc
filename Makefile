# SPDX-License-Identifier: Apache-2.0
# The front door. `make build`, `make test` and `make demo` install what is missing (Debian packages,
# as root) and can be run twice. `make help` lists the targets.
BUILD  ?= build-release
DEV    ?= build-dev
OUTPUT ?= _output
DIST   ?= dist
PREFIX ?= /usr/local
export COMPASS_OUTPUT = $(abspath $(OUTPUT))

BINARIES = cli/compass sidecar/compass-sidecar ext/compass.so addon/compass.node

.PHONY: help build dev test test-unprivileged test-docker test-image test262 node-versions demo lint race fuzz bench record soak screenshot fresh install generate deb dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## compass, compass-sidecar, compass.so and compass.node into _output/
	@scripts/install-deps build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release
	@meson compile -C $(BUILD)
	@mkdir -p $(OUTPUT)
	@for file in $(BINARIES); do \
	    if test -f $(BUILD)/$$file; then install -m 755 $(BUILD)/$$file $(OUTPUT)/ || exit 1; fi; \
	done
	@ls -l $(OUTPUT)

dev: ## the build that developers use: AddressSanitizer, UBSan, warnings are errors
	@scripts/install-deps unit
	@test -f $(DEV)/build.ninja || meson setup $(DEV) --native-file dev.ini
	@meson compile -C $(DEV)

test: reconfigure build dev ## every test; closes with "N passed, N failed"
	@scripts/test --plain $(BUILD) --dev $(DEV)

test-unprivileged: build dev ## the tests that load no eBPF program, as `docker build --target=test .` runs them
	@scripts/test --unprivileged --plain $(BUILD) --dev $(DEV)

test-docker: ## of the tests those of the images and the compose stack, in a Docker engine of its own (as root)
	@scripts/install-deps test
	@tests/e2e/docker_stack

test-image: ## docker build --target=test in such an engine: lint, and the tests that need no privilege (long, as root)
	@scripts/install-deps docker
	@tests/docker/engine-run --base docker build --target=test .

test262: build ## the language's own tests, with and without the Node addon's transform (long; 150 MB from Debian)
	@scripts/test262

node-versions: reconfigure build ## the tests for Node.js with each of NODE_VERSIONS (18 20 22 24), from npm (as root)
	@scripts/test --plain $(BUILD) --node-versions $(if $(NODE_VERSIONS),"$(NODE_VERSIONS)")

# A folder that was set up for the demo, before the packages for tests were there, lacks the tests.
.PHONY: reconfigure
reconfigure:
	@scripts/install-deps test
	@test ! -f $(BUILD)/build.ninja || meson setup --reconfigure $(BUILD) >/dev/null

demo: ## sample applications in PHP and Node.js, the sidecar and the UI; without a terminal a summary
	@scripts/install-deps demo
	@$(MAKE) --no-print-directory build
	@scripts/demo

lint: dev ## clang-format, clang-tidy, cppcheck, a clang build with warnings as errors, shellcheck, pyflakes
	@scripts/lint $(DEV)

race: ## the unit tests under ThreadSanitizer
	@scripts/install-deps unit
	@test -f build-race/build.ninja || meson setup build-race -Db_sanitize=thread -Db_lundef=false
	@meson test -C build-race --suite unit --print-errorlogs

fuzz: ## each fuzzer for FUZZ_SECONDS (60)
	@scripts/install-deps test
	@scripts/fuzz

bench: build ## what tracing costs, against the peers
	@scripts/install-deps bench
	@bench/run
	@bench/node

record: build ## record the real requests that the tests of the UI show (as root)
	@scripts/install-deps test
	@scripts/record-traces

soak: build ## the whole chain under load for SOAK_SECONDS (600); what 100,000 requests leave in Node.js
	@scripts/install-deps test
	@scripts/soak
	@meson test -C $(BUILD) --suite soak --print-errorlogs
	@scripts/soak-node

screenshot: build ## draw docs/images/*.svg from recorded requests
	@scripts/install-deps test
	@scripts/screenshot

fresh: ## make demo and make test on a clean clone in a minimal Debian root (long, as root)
	@tests/fresh-root

install: ## into DESTDIR and PREFIX (/usr/local); the extension into PHP's folder
	@scripts/install-deps build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@meson compile -C $(BUILD)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild
	@test ! -f $(BUILD)/addon/compass.node || scripts/install-addon $(DESTDIR)$(PREFIX)/lib/compass/node

generate: ## what is generated and not committed: the eBPF object and its skeleton
	@scripts/install-deps programs
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release
	@meson compile -C $(BUILD) compass.bpf.o compass.skel.h

deb: ## Debian packages of the sidecar, the UI and the extension into dist/
	@scripts/install-deps build
	@scripts/package-deb $(DIST)

dist: ## the release into dist/: tarball, npm package, bill of materials, checksums
	@scripts/install-deps build
	@scripts/dist $(DIST)

clean: ## remove the build folders and _output/
	rm -rf $(DIST) $(BUILD) $(DEV) build-clang build-fuzz build-race $(OUTPUT)
