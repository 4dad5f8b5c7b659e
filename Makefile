# foresee: one Makefile for all of it.  `make help' lists the targets.
#
# Four unlike things are built: a C library with the foresee command over it,
# the compiler drivers, the runtime that lives inside recorded programs, and one compiler
# pass for each LLVM found.  Objects go to build/FLAVOUR/; what the default
# flavour makes is used in place from build/bin, the others' from build/FLAVOUR/bin.

VERSION := 0.1.0
FLAVOUR ?= dev
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc)
FUZZ_SECONDS ?= 10

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
SHELL := /bin/bash

# Parallel by default; -j on the command line wins, and so does a make above us.
ifeq ($(findstring jobserver,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(JOBS)
endif
MAKEFLAGS += --no-builtin-rules

Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')

# --- packages -------------------------------------------------------------
# demo and check must work on a machine with only git and make, so what is
# missing is installed here, before the lines below look for compilers.
DRY_RUN  := $(findstring n,$(firstword -$(MAKEFLAGS)))
DEPS_SET := $(if $(filter check check-units check-long tidy deps,$(MAKECMDGOALS)),test,$(if $(filter demo,$(MAKECMDGOALS)),build))
ifneq ($(if $(DRY_RUN),,$(DEPS_SET)),)
ifneq ($(shell scripts/deps $(DEPS_SET) >&2 && echo ok),ok)
$(error packages are missing)
endif
endif
# Without it the test of pages says so and is skipped.
ifneq ($(if $(DRY_RUN),,$(filter check check-long deps screens,$(MAKECMDGOALS))),)
BROWSER := $(shell scripts/deps browser >&2 && echo ok)
endif

# --- compilers and flags --------------------------------------------------
LLVMS := $(shell for n in 14 15 16 17 18 19 20; do \
	command -v llvm-config-$$n clang-$$n >/dev/null && echo $$n; done)
LLVM  := $(firstword $(LLVMS))
CLANG := clang-$(LLVM)
CC    := $(if $(filter clang,$(FLAVOUR)),$(CLANG),gcc)
CXX   := $(if $(filter clang,$(FLAVOUR)),clang++-$(LLVM),g++)

WARN   := -Wall -Wextra -Wshadow -Wvla $(if $(filter true,$(CI)),-Werror)
CWARN  := $(WARN) -Wstrict-prototypes -Wmissing-prototypes
DEFS   := -D_GNU_SOURCE -DFORESEE_VERSION='"$(VERSION)"' -Isrc -Iinclude
CSTD   := -std=gnu11 $(CWARN) $(DEFS) -MMD -MP
LIBS   := -ldw -lelf -lpthread -ldl

FLAGS_dev     := -O2 -g
FLAGS_release := -O3 -g
FLAGS_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan    := -O1 -g -fno-omit-frame-pointer -fsanitize=thread -Wno-tsan
FLAGS_cov     := -O0 -g --coverage
FLAGS_clang   := -O2 -g
FLAGS         := $(FLAGS_$(FLAVOUR))
ifeq ($(FLAGS),)
$(error unknown FLAVOUR '$(FLAVOUR)': dev, release, asan, tsan, cov, clang)
endif

# The runtime and the pass live in somebody else's process: never sanitised.
RT_FLAGS := -O2 -g -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector \
	-fno-omit-frame-pointer -mcx16
RT_LINK   = -shared -Wl,-soname,$(@F) -Wl,-z,now -Wl,-z,defs -Wl,-z,nodelete
# A lock call must cost little: its wrapper takes in what lies in other files.
LOCKS_FLAGS := $(RT_FLAGS) -DFORESEE_LOCKS $(if $(filter clang,$(FLAVOUR)),,-flto -flto-partition=one)
PASS_FLAGS := -O2 -g -fPIC

B    := build/$(FLAVOUR)
ROOT := $(if $(filter dev,$(FLAVOUR)),build,$(B))
BIN  := $(ROOT)/bin
LIB  := $(ROOT)/lib/foresee
MAN  := $(ROOT)/share/man
F    := build/fuzz

# --- sources --------------------------------------------------------------
ROOMS := base spec know trace text names recording merge link order finding monitor lattice predict compare witness report export \
	launch analyse replay explore live
objs   = $(patsubst %,$(B)/%.o,$(basename $(wildcard $(1))))

# What the lock recorder has in common with the runtime.
SHARED := annotate assert barrier c11 cond create elf exec file fork habit idle jump \
	linger lock log log_chunk log_control object once real sem start sync sys tag text thread

LIB_C     := $(wildcard $(ROOMS:%=src/%/*.c))
LIB_O     := $(call objs,$(ROOMS:%=src/%/*.c))
CLI_O     := $(call objs,src/cli/*.c)
DRIVER_O  := $(call objs,src/driver/*.c)
RT_O      := $(call objs,$(filter-out src/capture/locks_%,$(wildcard src/capture/*.c)))
# What judges knowledge lives in both.
KNOW_RT_O := $(patsubst %.c,$(B)/rt/%.o,$(wildcard src/know/*.c))
LOCKS_C   := $(wildcard src/capture/locks_*.c) $(SHARED:%=src/capture/%.c)
LOCKS_O   := $(LOCKS_C:%.c=$(B)/locks/%.o)
PASS_SRC  := $(wildcard src/instrument/*.c src/instrument/*.cc src/base/*.c)
UNIT_C    := $(wildcard tests/unit/test_*.c)
UNIT_HELP := $(call objs,$(filter-out $(UNIT_C),$(wildcard tests/unit/*.c)))
UNITS     := $(UNIT_C:%.c=$(B)/%)
CAPTURE_C := $(wildcard tests/capture/test_*.c)
CAPTURES  := $(CAPTURE_C:%.c=$(B)/%)
BENCHES   := $(patsubst %.c,$(B)/%,$(wildcard tests/perf/bench_*.c))
BENCH_AID := $(B)/tests/perf/children $(B)/tests/perf/tracegen $(B)/tests/perf/timing $(B)/tests/perf/steps $(B)/tests/perf/lattices
FUZZ_C    := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS   := $(FUZZ_C:%.c=$(F)/%)
HEADERS   := $(wildcard include/*.h src/*/*.h)
SOURCES   := $(wildcard src/*/*.c src/*/*.cc tests/*/*.c tools/*/*.c examples/*.c)
MAN_PAGES := $(wildcard doc/man/*.1 doc/man/*.3 doc/man/*.5)
man_path   = $(foreach p,$(MAN_PAGES),$(1)/man$(subst .,,$(suffix $(p)))/$(notdir $(p)))

LIBRARY := $(B)/libforesee.a
RUNTIME := $(LIB)/libforesee_rt.so
LOCKS   := $(LIB)/libforesee_locks.so
PASSES  := $(LLVMS:%=$(LIB)/pass-%.so)
# The Valgrind tool, where Valgrind's headers and libraries are.  It has Valgrind's core inside and no
# C library, at an address of its own; a second part is preloaded into the program.
VALGRIND_A   := $(wildcard /usr/lib/x86_64-linux-gnu/valgrind)
VALGRIND_EXE := $(wildcard /usr/libexec/valgrind/vgpreload_core-amd64-linux.so)
VALGRIND_C   := $(filter-out %/preload.c %/strings.c,$(wildcard tools/valgrind/*.c))
VALGRIND_O   := $(VALGRIND_C:%.c=$(B)/%.o) $(B)/tools/valgrind/capture/habit.o
VALGRIND_LIB := $(LIB)/valgrind
VALGRIND     := $(if $(and $(VALGRIND_A),$(VALGRIND_EXE),$(wildcard /usr/include/valgrind/pub_tool_basics.h)),\
	$(VALGRIND_LIB)/foresee-amd64-linux $(VALGRIND_LIB)/vgpreload_foresee-amd64-linux.so $(VALGRIND_LIB)/version)
VALGRIND_FLAGS := -std=gnu11 $(WARN) -O2 -g -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 \
	-DVGPV_amd64_linux_vanilla=1 -isystem /usr/include/valgrind -Itools/valgrind -Isrc -MMD -MP \
	-fno-stack-protector -fno-builtin -fno-strict-aliasing
TOOLS   := $(BIN)/foresee $(BIN)/foresee-cc $(BIN)/foresee-c++
COPIES  := $(patsubst %,$(ROOT)/%,$(wildcard include/*.h)) $(call man_path,$(MAN))

.PHONY: all demo screens check check-units check-long fuzz bench bench-engines bench-capture bench-instructions bench-capture-real bench-deadlock bench-lattice bench-atomicity bench-replay bench-explore bench-scenarios bench-valgrind bench-guard format format-check tidy \
	hdr-check check-layers check-symbols install uninstall clean help deps FORCE

all: $(TOOLS) $(RUNTIME) $(LOCKS) $(PASSES) $(VALGRIND) $(COPIES) ## everything a user needs, under build/
ifeq ($(LLVMS),)
	$(error no LLVM found: need llvm-config-N and clang-N for an N in 14..20; try 'make deps')
endif

# --- what is built --------------------------------------------------------
# The list of objects is a file of its own: a source that goes away must not
# stay in the library.
$(B)/objects: FORCE
	@mkdir -p $(@D); echo '$(LIB_O) $(CLI_O) $(RT_O) $(KNOW_RT_O) $(LOCKS_O) $(DRIVER_O) $(UNIT_HELP) $(PASS_SRC)' | \
		cmp -s - $@ || echo '$(LIB_O) $(CLI_O) $(RT_O) $(KNOW_RT_O) $(LOCKS_O) $(DRIVER_O) $(UNIT_HELP) $(PASS_SRC)' >$@

$(LIBRARY): $(LIB_O) $(B)/objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsD $@ $(LIB_O)

$(BIN)/foresee: $(CLI_O) $(LIBRARY)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(FLAGS) -o $@ $(CLI_O) $(LIBRARY) $(LIBS)

# One program under two names: it looks at how it was called.
$(BIN)/foresee-cc: $(DRIVER_O) $(B)/objects
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(FLAGS) -o $@ $(DRIVER_O)

$(BIN)/foresee-c++: $(BIN)/foresee-cc
	$(Q)ln -f $< $@

$(RUNTIME): $(RT_O) $(KNOW_RT_O) src/capture/full.map $(B)/objects
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(RT_LINK) -Wl,--version-script=src/capture/full.map \
		-o $@ $(RT_O) $(KNOW_RT_O) -ldl -lpthread

$(LOCKS): $(LOCKS_O) src/capture/locks.map $(B)/objects
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LOCKS_FLAGS) $(RT_LINK) -Wl,--version-script=src/capture/locks.map \
		-o $@ $(LOCKS_O) -ldl -lpthread

$(VALGRIND_C:%.c=$(B)/%.o): $(B)/%.o: %.c Makefile
	$(call say,VG,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(VALGRIND_FLAGS) -fno-pie -flto -c -o $@ $<

# Records of accesses are the runtime's; tools/valgrind/capture/log.h is its log to them.  They are stored by
# memcpy, which must not be a call.
$(B)/tools/valgrind/capture/habit.o: src/capture/habit.c Makefile
	$(call say,VG,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(VALGRIND_FLAGS) -fno-pie -flto -c -o $@ $<
$(addprefix $(B)/tools/valgrind/,capture/habit.o moved.o): VALGRIND_FLAGS += -fbuiltin

valgrind_a = $(VALGRIND_A)/lib$(1)-amd64-linux.a
$(VALGRIND_LIB)/foresee-amd64-linux: $(VALGRIND_O) $(B)/objects
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) -O2 -flto -static -nodefaultlibs -nostartfiles -no-pie -u _start -Wl,--build-id=none \
		-Wl,-Ttext-segment=0x58000000 -o $@ $(VALGRIND_O) $(call valgrind_a,coregrind) \
		$(call valgrind_a,vex) $(call valgrind_a,gcc-sup) -lgcc

VALGRIND_PRE := $(addprefix $(B)/tools/valgrind/,preload.o strings.o)
$(VALGRIND_PRE): $(B)/%.o: %.c Makefile
	$(call say,VG,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(VALGRIND_FLAGS) -fPIC -c -o $@ $<

$(VALGRIND_LIB)/vgpreload_foresee-amd64-linux.so: $(VALGRIND_PRE)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared -Wl,-z,interpose,-z,initfirst -o $@ $(VALGRIND_PRE) \
		-Wl,--whole-archive $(call valgrind_a,replacemalloc_toolpreload) -Wl,--no-whole-archive

# With what belongs to it of Valgrind itself.
$(VALGRIND_LIB)/version: $(VALGRIND_EXE)
	$(Q)mkdir -p $(@D) && ln -sf $(VALGRIND_EXE) $(dir $(VALGRIND_EXE))default.supp $(@D) && \
		ln -sf $(dir $(VALGRIND_EXE))*.xml $(@D) && valgrind --version >$@

-include $(VALGRIND_O:.o=.d) $(VALGRIND_PRE:.o=.d)

$(ROOT)/include/%.h: include/%.h
	$(Q)mkdir -p $(@D) && cp $< $@

$(MAN)/man1/%: doc/man/%
	$(Q)mkdir -p $(@D) && cp $< $@

$(MAN)/man3/%: doc/man/%
	$(Q)mkdir -p $(@D) && cp $< $@

$(MAN)/man5/%: doc/man/%
	$(Q)mkdir -p $(@D) && cp $< $@

$(RT_O): $(B)/%.o: %.c Makefile
	$(call say,RT,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(RT_FLAGS) -c -o $@ $<

$(KNOW_RT_O): $(B)/rt/%.o: %.c Makefile
	$(call say,RT,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(RT_FLAGS) -c -o $@ $<

$(LOCKS_O): $(B)/locks/%.o: %.c Makefile
	$(call say,LOCKS,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(LOCKS_FLAGS) -c -o $@ $<

$(UNIT_HELP): CSTD += -Itests

$(filter-out $(RT_O),$(LIB_O) $(CLI_O) $(DRIVER_O) $(UNIT_HELP)): $(B)/%.o: %.c Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(FLAGS) -c -o $@ $<

# The page of reports is taken in by the assembler, which tells nobody.
$(B)/src/report/html_parts.o $(F)/src/report/html_parts.o: $(wildcard src/report/html/*)

# A pass per LLVM.  Not linked to libLLVM: the compiler that loads it has it.
define pass_rules
PASS_O_$(1) := $$(patsubst %,$(B)/llvm-$(1)/%.o,$$(basename $$(PASS_SRC)))
PASS_DEFS_$(1) = -isystem $$(shell llvm-config-$(1) --includedir) -DFORESEE_LLVM=$(1) $$(DEFS) -MMD -MP
$(B)/llvm-$(1)/%.o: %.c Makefile
	$$(call say,CC$(1),$$<)
	$$(Q)mkdir -p $$(@D) && $(CC) -std=gnu11 $(CWARN) $$(PASS_DEFS_$(1)) $(PASS_FLAGS) \
		-fvisibility=hidden -c -o $$@ $$<
$(B)/llvm-$(1)/%.o: %.cc Makefile
	$$(call say,CXX$(1),$$<)
	$$(Q)mkdir -p $$(@D) && $(CXX) -std=gnu++17 -fno-rtti -fno-exceptions $(WARN) $$(PASS_DEFS_$(1)) \
		$(PASS_FLAGS) -c -o $$@ $$<
$(LIB)/pass-$(1).so: $$(PASS_O_$(1)) $(B)/objects
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $(CXX) -shared -Wl,-Bsymbolic -o $$@ $$(PASS_O_$(1))
-include $$(PASS_O_$(1):.o=.d)
endef
$(foreach n,$(LLVMS),$(eval $(call pass_rules,$(n))))

# Not kept apart as objects: one program, one compiler call.
$(UNITS) $(BENCHES) $(BENCH_AID): $(B)/%: %.c $(LIBRARY) $(UNIT_HELP) Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) -Itests -MF $@.d $(FLAGS) -o $@ $< $(UNIT_HELP) $(LIBRARY) $(LIBS)

# One has the whole tool inside, with another checker.
REFUSED      := $(B)/tests/unit/test_refused
REFUSED_WRAP := main checker_run checker_run_cut
$(REFUSED): $(CLI_O)
$(REFUSED): private UNIT_HELP := $(CLI_O) $(REFUSED_WRAP:%=-Wl,--wrap=%)

# Tests of the runtime have all of it inside, and decide which of its system calls fail.
CAPTURE_WRAP := syscall madvise posix_fallocate getrlimit pthread_getattr_np open
$(CAPTURES): $(B)/%: %.c tests/capture/harness.c $(RT_O) $(KNOW_RT_O) Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) -Itests -MF $@.d $(RT_FLAGS) $(CAPTURE_WRAP:%=-Wl,--wrap=%) -o $@ \
		$< tests/capture/harness.c $(RT_O) $(KNOW_RT_O) -ldl -lpthread

FUZZ_O     := $(LIB_C:%.c=$(F)/%.o)
FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
$(FUZZ_O): $(F)/%.o: %.c Makefile
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(CSTD) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(F)/libforesee.a: $(FUZZ_O) $(B)/objects
	$(Q)rm -f $@ && ar rcsD $@ $(FUZZ_O)

$(FUZZERS): $(F)/%: %.c $(F)/libforesee.a Makefile
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(CSTD) -MF $@.d $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< \
		$(F)/libforesee.a $(LIBS)

-include $(patsubst %.o,%.d,$(LIB_O) $(CLI_O) $(DRIVER_O) $(RT_O) $(KNOW_RT_O) $(LOCKS_O) $(UNIT_HELP) $(FUZZ_O))
-include $(addsuffix .d,$(UNITS) $(CAPTURES) $(BENCHES) $(BENCH_AID) $(FUZZERS))

# --- running it -----------------------------------------------------------
demo: all ## build, then predict a race, a deadlock and a broken promise from one run each of three examples
	@scripts/demo $(BIN) $(ROOT)/demo

screens: all ## pages of the examples (-f html) and pictures of them, in build/screens/
	$(Q)scripts/screens $(BIN) $(ROOT)/screens

deps: ## install the Debian packages that building and testing need
	@true

# One item per test file, a quoted command line; `plain:' marks commands that
# do not speak TAP and pass or fail as a whole.
CHECKS := 'plain:scripts/check-layers' 'plain:scripts/check-symbols $(RUNTIME) $(LOCKS) $(LIBRARY)' \
	'plain:scripts/check-headers'
FACTS  := $(if $(wildcard tests/facts/run.sh),$(foreach n,$(LLVMS),$(foreach o,0 1 2 3 s,\
	'tests/facts/run.sh $(LIB)/pass-$(n).so clang-$(n) -O$(o)')) \
	$(foreach n,$(LLVMS),'tests/facts/dynamic.sh $(LIB)/pass-$(n).so clang-$(n)'))
SUITES := $(foreach s,$(filter-out tests/facts/%,$(wildcard tests/*/run.sh)),'$(s)')
CLI    := $(foreach s,$(sort $(wildcard tests/cli/t*.sh)),'$(s)')
fuzz_items = $(foreach f,$(FUZZERS),'plain:scripts/fuzz $(f) $(1)')
# The checkout may lie anywhere: blanks in its path are the shell's to keep together.
RUN    := FORESEE_ROOT="$(CURDIR)/$(ROOT)" FORESEE_LLVMS='$(LLVMS)' tests/run -j $(JOBS) $(if $(T),-t '$(T)')

# With a pattern only the programs that it names are built: fuzzers are the library once more.
matching = $(if $(T),$(shell printf '%s\n' $(1) | grep -E -e '$(T)'),$(1))

check: all $(call matching,$(UNITS) $(CAPTURES) $(FUZZERS) $(BENCHES) $(BENCH_AID)) ## run all tests; T=PATTERN only those whose name matches
	@$(RUN) $(CHECKS) $(foreach u,$(UNITS) $(CAPTURES),'$(u)') $(SUITES) $(FACTS) $(CLI) \
		$(call fuzz_items,$(FUZZ_SECONDS))

# Those that have threads of their own, or that ask each engine with threads for several jobs.
THREADED   := atomicity_random counts_random deadlocks_random labels lattice monitor_config pool properties_random races_random \
	syncp
UNITS_HERE  = $(if $(filter tsan,$(FLAVOUR)),$(filter $(THREADED:%=$(B)/tests/unit/test_%),$(UNITS)),$(UNITS))
check-units: $(UNITS_HERE) ## unit tests alone, for FLAVOUR=asan, and tsan (those with threads)
	@$(RUN) $(foreach u,$(UNITS_HERE),'$(u)')

check-long: all $(UNITS) $(CAPTURES) $(FUZZERS) compile_commands.json ## check, with clang-tidy and ten minutes of fuzzing
	@LONG=1 $(RUN) $(CHECKS) 'plain:scripts/tidy' 'plain:scripts/format --check' \
		$(foreach u,$(UNITS) $(CAPTURES),'$(u)') $(SUITES) $(FACTS) $(CLI) $(call fuzz_items,600)

fuzz: $(FUZZERS) ## fuzz every parser, FUZZ_SECONDS=N each
	$(Q)for f in $^; do scripts/fuzz $$f $(FUZZ_SECONDS) || exit 1; done

bench: bench-engines bench-capture bench-instructions bench-capture-real bench-deadlock bench-atomicity bench-lattice bench-replay bench-explore bench-scenarios bench-valgrind bench-guard ## run the benchmarks

bench-engines: $(BENCHES) ## how fast the race engines are, on synthetic traces
bench-capture: ## what recording costs, on small programs
bench-instructions: ## the same for single accesses, in instructions
bench-capture-real: ## what recording costs, on real programs, in FORESEE_REAL=DIRECTORY
bench-deadlock: ## what recording locks costs, and how fast the deadlock engines are
bench-atomicity: ## how fast blocks are looked at, beside races
bench-lattice: ## how fast lattices are built, beside Spin
bench-replay: ## what replaying a finding costs, beside recording it
bench-scenarios: ## twenty scenarios by both captures, beside Helgrind and DRD
bench-valgrind: ## what recording under Valgrind costs, beside Helgrind and DRD
bench-explore: ## how many schedules a second are run, beside bare children
bench-guard: ## what monitors inside a program cost
bench-engines bench-capture bench-instructions bench-capture-real bench-deadlock bench-atomicity bench-lattice bench-replay bench-explore bench-scenarios bench-valgrind bench-guard: all $(BENCH_AID)
	$(Q)for b in $(filter $(BENCHES),$^); do $$b || exit 1; done
	$(Q)FORESEE_ROOT="$(CURDIR)/$(ROOT)" BENCH_BIN="$(CURDIR)/$(B)/tests/perf" tests/perf/$@.sh $(ARGS)

# --- house rules ----------------------------------------------------------
format: ## lay out all sources as .clang-format says
	$(Q)scripts/format

format-check: ## fail if format would change something
	$(Q)scripts/format --check

tidy: compile_commands.json ## clang-tidy over src/; QUICK=1 without the analyzer of paths
	$(Q)scripts/tidy $(if $(QUICK),--quick)

hdr-check: ## every header compiles alone
	$(Q)scripts/check-headers

check-layers: ## includes between rooms point upward only
	$(Q)scripts/check-layers

check-symbols: $(RUNTIME) $(LOCKS) $(LIBRARY) ## exported names are ours, or meant to be
	$(Q)scripts/check-symbols $^

command = {"directory": "$(CURDIR)", "file": "$(1)", "command": "clang -std=gnu11 $(CWARN) -D_GNU_SOURCE \
	-DFORESEE_VERSION=\\\"$(VERSION)\\\" -Isrc -Iinclude -Itests -isystem $(shell llvm-config-$(LLVM) --includedir) -c $(1)"}
compile_commands.json: Makefile $(filter %.c,$(SOURCES)) ## for editors and clang-tidy
	$(call say,GEN,$@)
	$(Q){ echo '['; sep=; for f in $(filter src/%.c tests/unit/%.c,$(SOURCES)); do printf '%s' "$$sep"; sep=$$',\n'; \
		sed "s|FILE|$$f|g; s|-c src/capture/locks_|-DFORESEE_LOCKS &|" <<<'$(call command,FILE)' | \
		tr -d '\n\t'; done; printf '\n]\n'; } >$@

# --- installing -----------------------------------------------------------
D := $(DESTDIR)$(PREFIX)
# Completions, where each shell looks for them: shell:path.
COMPLETIONS := bash:share/bash-completion/completions/foresee zsh:share/zsh/site-functions/_foresee \
	fish:share/fish/vendor_completions.d/foresee.fish
completion_path = $(lastword $(subst :, ,$(1)))

install: all ## install under PREFIX (default /usr/local), below DESTDIR
	install -d "$(D)/bin" "$(D)/lib/foresee" "$(D)/include" "$(D)/share/man/man1" "$(D)/share/man/man3" "$(D)/share/man/man5" \
		"$(D)/share/pkgconfig" $(foreach c,$(COMPLETIONS),"$(D)/$(dir $(call completion_path,$(c)))")
	install $(TOOLS) "$(D)/bin"
	install $(RUNTIME) $(LOCKS) $(PASSES) "$(D)/lib/foresee"
	$(if $(VALGRIND),cp -P -r "$(VALGRIND_LIB)" "$(D)/lib/foresee")
	install -m 644 include/*.h "$(D)/include"
	install -m 644 $(filter %.1,$(MAN_PAGES)) "$(D)/share/man/man1"
	install -m 644 $(filter %.3,$(MAN_PAGES)) "$(D)/share/man/man3"
	install -m 644 $(filter %.5,$(MAN_PAGES)) "$(D)/share/man/man5"
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' scripts/foresee.pc.in >"$(D)/share/pkgconfig/foresee.pc"
	$(foreach c,$(COMPLETIONS),$(BIN)/foresee help --completion $(firstword $(subst :, ,$(c))) >"$(D)/$(call completion_path,$(c))" &&) true

uninstall: ## remove what install put there
	cd "$(D)" && rm -f $(TOOLS:$(BIN)/%=bin/%) $(wildcard include/*.h) $(call man_path,share/man) \
		share/pkgconfig/foresee.pc $(foreach c,$(COMPLETIONS),$(call completion_path,$(c)))
	rm -rf "$(D)/lib/foresee"

clean: ## remove build/
	rm -rf build compile_commands.json

help: ## this list
	@sed -n 's/^\([a-z][a-z_.-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | sort | expand -t 26
	@echo '  variables: FLAVOUR=dev|release|asan|tsan|cov|clang  T=PATTERN  V=1  CI=true  PREFIX=  DESTDIR='
