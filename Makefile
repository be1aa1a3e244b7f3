# The two commands of a newcomer are `make quickstart` and `make test`. Both set up what they need and may be called again.
.PHONY: quickstart test wheel trainers page-test clients new-environment real-models fuzz faults bench format setup setup-checks build checks \
  sanitizers sanitizers-all clean

JOBS ?= $(shell nproc)

setup:
	@scripts/bootstrap

# The same, and the Clang that the checks and the sanitizers ask for.
setup-checks:
	@scripts/bootstrap checks

build: setup
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS)

# Fetches a small real model (93 MB, kept), and trains it with adaptive and with static difficulty; scripts/quickstart says more.
quickstart: setup
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target redqueen
	@scripts/quickstart

# Everything that continuous integration runs.
test: checks
	@ctest --preset release --parallel $(JOBS)
	@$(MAKE) --no-print-directory sanitizers
	@echo "make test: all is well"

checks: setup-checks build
	@scripts/check_layers
	@scripts/check_files
	@scripts/check_format
	@scripts/check_docs
	@scripts/check_speed
	@scripts/check_dead
	@scripts/check_faults --list > /dev/null
	@REDQUEEN_TIDY_FILES=$${REDQUEEN_TIDY_FILES:-24} scripts/check_tidy

# Address and undefined-behaviour sanitizers over base, core, one environment of each family and the sandbox's quick tests,
# five seconds of each fuzz target; the thread sanitizer over base, core and the sandbox's tests. `sanitizers-all` adds all of the
# gym, the runs, the sandbox's slow tests and the transformer, whose libtorch is not instrumented, and takes half an hour.
sanitizers: setup-checks
	@test -f build-asan-quick/build.ninja || cmake --preset asan-ubsan-quick
	@cmake --build --preset asan-ubsan-quick --parallel $(JOBS) --target base_test core_test gym_test sandbox_test
	@ctest --preset asan-ubsan-quick --parallel $(JOBS) -R '^((base|core|gym)(\.[0-9]+)?|sandbox-quick)$$'
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=5
	@test -f build-tsan/build.ninja || cmake --preset tsan
	@cmake --build --preset tsan --parallel $(JOBS) --target base_test core_test sandbox_test
	@ctest --preset tsan --parallel $(JOBS) -R '^((base|core)(\.[0-9]+)?|sandbox-quick)$$'

sanitizers-all: sanitizers
	@test -f build-asan-ubsan/build.ninja || cmake --preset asan-ubsan
	@cmake --build --preset asan-ubsan --parallel $(JOBS) --target gym_test run_test sandbox_test redqueen-sandbox-worker \
	  model_test
	@ctest --preset asan-ubsan --parallel $(JOBS) -R '^(gym|run|sandbox)(\.[0-9]+)?$$'
	@ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0 ctest --preset asan-ubsan --parallel $(JOBS) -R '^model(\.[0-9]+)?$$'
	@cmake --build --preset tsan --parallel $(JOBS) --target sandbox_test redqueen-sandbox-worker
	@ctest --preset tsan --parallel $(JOBS) -R '^sandbox(\.[0-9]+)?$$'

# libFuzzer on what the server reads, on answers to one environment of each family, on the sandbox's wire and on what its readers of arguments and values take (Python,
# which is not instrumented, leaks at exit), FUZZ_SECONDS each. What they find lies in build-asan-quick/.
FUZZ_SECONDS ?= 60
FUZZ = -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build-asan-quick/
fuzz: setup-checks
	@cmake --preset asan-ubsan-quick >/dev/null
	@cmake --build --preset asan-ubsan-quick --parallel $(JOBS) --target net_connection_fuzz serve_bodies_fuzz data_sets_math_fuzz \
	  gym_answers_fuzz sandbox_wire_fuzz sandbox_arguments_fuzz
	@build-asan-quick/serve_bodies_fuzz -max_len=4096 $(FUZZ)
	@build-asan-quick/net_connection_fuzz -max_len=4096 $(FUZZ)
	@build-asan-quick/data_sets_math_fuzz -max_len=400 $(FUZZ)
	@build-asan-quick/gym_answers_fuzz -max_len=4096 $(FUZZ)
	@build-asan-quick/sandbox_wire_fuzz -max_len=4096 $(FUZZ)
	@ASAN_OPTIONS=detect_leaks=0 build-asan-quick/sandbox_arguments_fuzz -max_len=200 $(FUZZ)

# Makes the one-line faults of scripts/faults.toml, one at a time, and prints those that no test notices. Takes hours: for the
# night, not for `make test`. FAULTS selects some by number or path, or is --resume after an interruption.
faults: setup
	@scripts/check_faults --jobs $(JOBS) $(FAULTS)

bench: build
	@build/redqueen bench gym
	@build/redqueen bench train

# The Python package for other machines (docs/python.md), tried in a clean environment.
wheel: setup
	@scripts/make_wheel

# Every view of the page of runs in a browser (docs/watch.md). Needs Debian's chromium and chromium-driver, and npm.
page-test: build
	@scripts/check_page build/redqueen

# The adapters with the trainers themselves, in environments of their own: a network, some GB, a few minutes (docs/trainers/).
trainers: build
	@scripts/check_trainers

# A new environment in a copy of the checkout: three files have to be enough (docs/environments-howto.md). A nightly test: it
# builds the generic tests once more, which takes 150 CPU seconds at first, and 11 where ccache has them.
new-environment: setup
	@JOBS=$(JOBS) scripts/check_new_environment

# The released clients of other projects against the server (docs/serve.md). Needs the network the first time.
clients: build
	@scripts/check_clients build/redqueen

# The tokenizers and chat templates of released models against `tokenizers` and transformers, and a whole model against
# transformers, peft and PyTorch (docs/models.md). Needs the network and 420 MB of downloads the first time.
real-models: setup
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target text_test train_test redqueen
	@scripts/real_models

format: setup
	@git ls-files -z 'redqueen/*.h' 'redqueen/*.cc' 'redqueen/*.cu' 'redqueen/*.cuh' 'bench/*.cc' 'python/native/*.cc' 'python/native/*.h' | xargs -0 .venv/bin/clang-format -i

clean:
	rm -rf build build-debug build-alone build-asan-ubsan build-asan-quick build-tsan build-wheel build-new-environment build-faults
