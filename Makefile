# Shortcuts: meson.build contains the build, and tools/ everything else.
#
#   make run      install what is missing, build, serve on 127.0.0.1:8080; the
#                 neural voices and the models that recognize speech are fetched meanwhile
#   make test     the same set-up, then every test

PREFIX ?= /usr/local
ARGS ?=
SECONDS ?= 30
KILLS ?= 1000
# The default folders of `syrinx voices fetch` and `syrinx models fetch` are here.
VOICES_HOME = $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/syrinx
# Ids for listen and voice-samples; all neural voices by default.
VOICES ?=

.PHONY: help run build voices models test conformance check fuzz crash-test upgrade-test floods bench session-reuse \
	token-replay turn-taking listen hearing-accuracy voice-samples generate deb deb-test install clean

help:
	@echo 'make run       build and serve with ./data (ARGS="--listen 0.0.0.0:8080")'
	@echo 'make voices    fetch the neural voices (110 MB); make run does so in the background'
	@echo 'make models    fetch the models that recognize speech (28 MB, or 39 MB without the voices); make run does so, too'
	@echo 'make test      every test, with sanitizers (about 23 minutes on two idle cores); ends with the number passed'
	@echo 'make conformance  every statement of the documents that Syrinx implements, against a server; ARGS="--only idle-*"'
	@echo 'make build     build/syrinx and the engines beside it'
	@echo 'make check     format, layers, unused functions, clang-tidy, cppcheck for what has changed; ALL=1: for everything'
	@echo 'make fuzz      every fuzz driver for SECONDS (30) seconds'
	@echo 'make crash-test  the ledger, while the server is killed KILLS (1000) times'
	@echo 'make upgrade-test  one voice through five upgrades and three restarts, with busy processors'
	@echo 'make floods    many kinds of hostile clients, a minute each; ARGS="--seconds 10"'
	@echo 'make bench     the benchmark, with ARGS'
	@echo 'make session-reuse  how often a turn that is sent without a flush is heard, with busy processors'
	@echo 'make token-replay  where text that arrives in the tokens of a language model is cut'
	@echo 'make turn-taking  how soon ends of turns and interruptions are noticed, and how often wrongly; ARGS="--recognize"'
	@echo 'make listen    word errors and loudness of the neural voices (VOICES="1071 1072")'
	@echo 'make hearing-accuracy  word errors on what people say, compared with the reference runtime; ALL=1: all prompts'
	@echo 'make voice-samples  a WAV file and a picture of each'
	@echo 'make deb       a Debian package: build/deb/syrinx_VERSION_ARCH.deb; make deb-test tries it'
	@echo 'make generate  conf/syrinx.conf and man/syrinx.conf.5 from the table'
	@echo 'make install   into PREFIX (/usr/local), below DESTDIR'
	@echo 'make clean     remove everything built; ./data, the neural voices and the models stay'

# The output of meson is shown only if it fails.
build/build.ninja:
	@tools/setup build
	@mkdir -p build
	@echo 'meson setup build -Dtests=false'
	@meson setup build -Dtests=false >build/meson-setup.txt 2>&1 || { cat build/meson-setup.txt; exit 1; }

build: build/build.ninja
	@tools/setup build
	ninja -C build

run: build
	build/syrinx serve --greet --fetch-voices $(ARGS)

voices: build
	build/syrinx voices fetch

models: build
	build/syrinx models fetch

test:
	tools/setup test
	tools/run-tests

# Another server: ARGS="--server URL --key KEY"; the page: ARGS="--write docs/conformance.md".
conformance: build
	tools/setup test
	test/conformance/run --build build $(ARGS)

# Checks the files that have changed on this branch, about two seconds each; ALL=1 checks all files.
check:
	tools/setup check
	tools/check-layers
	tools/check-unused
	tools/check-format
	tools/check-static $(if $(ALL),--all)

fuzz:
	tools/setup fuzz
	tools/run-fuzz $(SECONDS)

# A tenth as many kills each are tried with a database that stops and on a full disk.
crash-test: build
	tools/setup test
	test/crash/crash.py --kills $(KILLS)
	test/crash/crash.py --kills $$(( ($(KILLS) + 9) / 10 )) --store postgresql
	test/crash/crash.py --kills $$(( ($(KILLS) + 9) / 10 )) --disk || [ $$? = 2 ]

upgrade-test: build
	tools/setup test
	tools/test-voices build/syrinx
	SYRINX_BUILD=$(CURDIR)/build SYRINX_UPGRADES=5 SYRINX_RESTARTS=3 \
		/usr/bin/python3 -m pytest -q -s -p no:cacheprovider test/e2e/test_one_voice.py

# For another build: ARGS="--server-build build-asan".
floods: build
	tools/setup test
	test/abuse/floods.py --server-build build $(ARGS)

bench: build
	build/syrinx bench $(ARGS)

session-reuse: build
	tools/setup test
	test/bench/session_reuse.py $(ARGS)

token-replay: build
	tools/setup test
	ninja -C build chunker-replay
	test/bench/token_replay.py $(ARGS)

turn-taking: build
	tools/setup accuracy
	ninja -C build turn-taking
	test/bench/turn_taking $(ARGS)

listen: build
	ninja -C build test/listen/listen
	test/listen/report $(if $(VOICES),,--write docs/voices.md) $(VOICES)

hearing-accuracy: build
	tools/setup accuracy
	ninja -C build test/listen/versions
	test/listen/accuracy $(if $(ALL),--all) $(ARGS)

voice-samples: build
	test/listen/samples $(VOICES)

deb:
	tools/setup deb
	tools/make-deb

deb-test:
	tools/setup deb
	tools/deb-test

generate: build
	build/syrinx check --sample > conf/syrinx.conf
	build/syrinx check --manual > man/syrinx.conf.5

install: build
	meson configure build -Dprefix=$(PREFIX)
	meson install -C build

clean:
	rm -rf build build-test build-asan build-tsan build-fuzz build-check
	@if [ -d "$(VOICES_HOME)" ]; then \
		echo 'Neural voices and models stay in $(VOICES_HOME); to remove them: rm -r $(VOICES_HOME)'; \
	fi
