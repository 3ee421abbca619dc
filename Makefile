# SPDX-License-Identifier: Apache-2.0
# The front door. `make build`, `make test` and `make demo` install what is missing and can be run twice.
BUILD ?= build
OUTPUT ?= _output

.PHONY: build
build:
	scripts/install-deps build
	test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	meson compile -C $(BUILD)
