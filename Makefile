# make             the command build/entrain, the libraries build/libentrain.{a,so}, programs and FMUs of the examples
# make demo        installs what is missing (apt.txt), builds, runs the first example
# make check       the same set-up, then all tests
# make site        the documents as a web site in build/site, with search; needs no server and no network
# make python      the Python package as a wheel in build/python, tested in a virtual environment
# Others: setup bench tables results papers lint analyse docs examples-data fuzz ci install clean.
# Variables: CC=clang, SAN=1 (sanitizers, in build-san), WERROR=1, BUILD=dir, PREFIX, DESTDIR.

SAN ?=
WERROR ?=
BUILD ?= build$(if $(SAN),-san)
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wdouble-promotion \
  $(if $(WERROR),-Werror)
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPTIMISE = $(if $(SAN),-O1 $(SANITIZE),-O3)
# Contracted multiply-adds would make the machine code and the interpreter differ in the last bit.
FLAGS = -std=c11 -D_GNU_SOURCE $(OPTIMISE) -g -fPIC -fvisibility=hidden -ffp-contract=off $(WARN) \
  -Isrc -Iinclude -I$(BUILD)/made
LINK = $(CC) $(if $(SAN),$(SANITIZE)) $(LDFLAGS)
LIBS = -Wl,--as-needed -lsundials_cvodes -lsundials_idas -lsundials_nvecserial \
  -lsundials_sunmatrixdense -lsundials_sunmatrixsparse -lsundials_sunlinsoldense \
  -lsundials_sunlinsolklu -lklu -lyaml -lnlopt -lcminpack -lminizip -lexpat -lsqlite3 -ldl -lpthread -lm

# Layers stand in src/LAYERS, the lowest first; each becomes an archive.
LAYERS := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' src/LAYERS)
INSIDE := $(filter-out cli worker,$(LAYERS))
# USES_<layer> from src/LAYERS; USES_<file> of the files in tests/unit from their includes: layers and other files there.
$(foreach l,$(LAYERS),$(eval USES_$l := $(shell sed -n 's/^$l://p' src/LAYERS)))
$(foreach pair,$(shell awk -F '["/]' '/^\#include "/ { f = FILENAME; sub(/.*\//, "", f); print f "=" $$2 }' tests/unit/*.[ch]),\
  $(eval USES_$(subst =, += ,$(pair))))
wider = $(sort $(1) $(foreach l,$(1),$(USES_$l)))
closure = $(if $(filter-out $(1),$(wider)),$(call closure,$(wider)),$(1))
objects = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/$(1)/*.c))
archives = $(patsubst %,$(BUILD)/layers/%.a,$(1))
# Tests link the layer of src/*/<file>.c, what they include, and all that these need; tests of the command its objects.
# Without such a file: all layers.
layer_of = $(patsubst src/%/,%,$(dir $(firstword $(wildcard src/*/$(1).c))))
needs = $(call archives,$(filter $(INSIDE),$(if $(call layer_of,$(1)),$(call closure,test_$(1).c $(call layer_of,$(1))),$(INSIDE))))

OBJECTS := $(foreach l,$(INSIDE),$(call objects,$l))
CLI := $(call objects,cli)
CLI_PARTS := $(filter-out %/main.o,$(CLI))
TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
BENCH := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))

# What the source is, for stores: a study goes on with the same source only.
SOURCE := $(BUILD)/made/source_digest.h
$(shell mkdir -p $(BUILD)/made; d=$$(cat src/*/*.[ch] src/*/*.def src/*/*.inc src/*/*.css src/*/*.js src/*/*.html lib/*.mo | sha256sum | cut -c1-12); \
  echo "#define SOURCE_DIGEST \"$$d\"" | cmp -s - $(SOURCE) || echo "#define SOURCE_DIGEST \"$$d\"" > $(SOURCE))

.PHONY: all objects demo check setup bench lint tidy analyse docs fuzz ci install clean print-libs $(BUILD)/inside
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/entrain $(BUILD)/entrain-worker $(BUILD)/libentrain.a $(BUILD)/libentrain.so
objects: $(OBJECTS) $(CLI) $(call objects,worker)

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/instance/builtin_text.o: $(wildcard lib/*.mo)
$(BUILD)/obj/html/asset.o: $(wildcard src/html/*.css src/html/*.js src/html/*.html)
# Square roots of several numbers at once: those of negative numbers, which there are none of, need not set errno.
$(BUILD)/obj/num/distance_sums.o: FLAGS += -fno-math-errno

# The public functions; entrain.map and objcopy keep everything else private.
$(call objects,api): FLAGS += -fvisibility=default

define LAYER_ARCHIVE
$(BUILD)/layers/$(1).a: $(call objects,$(1)) | $(BUILD)/layers
	@rm -f $$@
	ar rcs $$@ $$(filter %.o,$$^)
endef
$(foreach l,$(LAYERS),$(eval $(call LAYER_ARCHIVE,$l)))

$(BUILD)/layers $(BUILD)/tests $(BUILD)/bench:
	@mkdir -p $@

$(BUILD)/libentrain.a: $(OBJECTS)
	ld -r -o $(BUILD)/libentrain.o $^
	objcopy -w --keep-global-symbol='entrain_*' --keep-global-symbol='__lsan_*' $(BUILD)/libentrain.o
	@rm -f $@
	ar rcs $@ $(BUILD)/libentrain.o

$(BUILD)/libentrain.so: $(OBJECTS) src/api/entrain.map
	$(LINK) -shared -Wl,-soname,libentrain.so.0 -Wl,--version-script=src/api/entrain.map \
	  $(OBJECTS) $(LIBS) -o $@
	@ln -sf libentrain.so $@.0

# The command sees nothing but the public functions.
$(BUILD)/entrain: $(CLI) $(BUILD)/libentrain.a | $(BUILD)/entrain-worker
	$(LINK) $^ $(LIBS) -o $@

# The process in which closed simulators run: nothing but the layers that it needs.
$(BUILD)/entrain-worker: $(call objects,worker) $(call archives,$(filter $(INSIDE),$(call closure,worker)))
	$(LINK) $(call objects,worker) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS) -o $@

.SECONDEXPANSION:
$(BUILD)/tests/test_%: tests/unit/test_%.c $$(if $$(filter cli,$$(call layer_of,$$*)),$$(CLI_PARTS) $(BUILD)/libentrain.a,$$(call needs,$$*)) | $(BUILD)/tests
	$(LINK) $(FLAGS) $(CFLAGS) $(TEST_FLAGS_$*) -Itests/unit -MMD -MP -MF $@.d -MT $@ $< \
	  -Wl,--start-group $(filter %.a %.o,$^) -Wl,--end-group -lcmocka $(LIBS) -o $@

$(BUILD)/bench/%: bench/%.c $(call archives,$(INSIDE)) | $(BUILD)/bench
	$(LINK) $(FLAGS) $(CFLAGS) -MMD -MP -MF $@.d -MT $@ $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS) -o $@

# Again only when the object was made again.
$(BUILD)/tidy/%.ok: $(BUILD)/obj/%.o
	@mkdir -p $(@D)
	@clang-tidy --quiet src/$*.c -- -std=c11 -D_GNU_SOURCE -Isrc -Iinclude -I$(BUILD)/made 2>/dev/null && touch $@

-include bench/Makefile.inc
include tests/fmu/Makefile.inc
include examples/Makefile.inc
include python/Makefile.inc

-include $(OBJECTS:.o=.d) $(CLI:.o=.d) $(patsubst %.o,%.d,$(call objects,worker)) $(TESTS:=.d) $(BENCH:=.d)

setup:
	@tools/setup

# Set-up comes first, then the work in a second make that finds what was installed.
demo: setup
	@$(MAKE) -s --no-print-directory -j$(JOBS) $(BUILD)/entrain
	@tools/demo $(BUILD)

check: setup
	@$(MAKE) -s --no-print-directory -j$(JOBS) all $(TESTS) $(FMUS) $(WHEEL_TO_TEST)
	@tools/run-tests $(BUILD) $(JOBS)

bench: setup
	@tools/setup bench
	@$(MAKE) -s --no-print-directory -j$(JOBS) all $(BENCH)
	@tools/run-bench $(BUILD) $(BENCH)

lint: setup
	@tools/setup lint
	@$(MAKE) -s --no-print-directory -j$(JOBS) $(BUILD)/entrain $(BUILD)/libentrain.so
	@tools/lint $(BUILD)

# Of the analyser only what needs no knowledge of other files.
$(BUILD)/analysed/%.ok: $(BUILD)/obj/%.o
	@mkdir -p $(@D)
	@clang-tidy --quiet --checks='clang-analyzer-deadcode.*,clang-analyzer-unix.*' src/$*.c -- -std=c11 -D_GNU_SOURCE \
	  -Isrc -Iinclude -I$(BUILD)/made 2>/dev/null && touch $@

tidy: $(patsubst $(BUILD)/obj/%.o,$(BUILD)/tidy/%.ok,$(OBJECTS) $(CLI))
analyse: $(patsubst $(BUILD)/obj/%.o,$(BUILD)/analysed/%.ok,$(OBJECTS) $(CLI))

docs: setup
	@$(MAKE) -s --no-print-directory -j$(JOBS) $(BUILD)/entrain
	@tools/gen-docs $(BUILD)/entrain docs
	@tools/gen-terms docs/terms.md >$(BUILD)/made/terms.html && cp $(BUILD)/made/terms.html src/html/terms.html

.PHONY: site
site:
	@tools/setup site
	@tools/site $(BUILD)/site

# Every table and figure of five papers: docs/papers.md, pictures in build/papers. Under half an hour on two cores.
.PHONY: papers
papers: setup
	@tools/setup papers
	@$(MAKE) -s --no-print-directory -j$(JOBS) $(BUILD)/entrain
	@tools/papers $(BUILD)

.PHONY: examples-data
examples-data: $(BUILD)/entrain
	@tools/examples-data $(BUILD)

fuzz: setup
	@tools/setup lint
	@tools/fuzz

$(BUILD)/inside: $(call archives,$(INSIDE))

print-libs:
	@echo '$(LIBS)'

ci:
	@.ci/run

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig \
	  $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BUILD)/entrain $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(PREFIX)/libexec/entrain
	install -m 755 $(BUILD)/entrain-worker $(DESTDIR)$(PREFIX)/libexec/entrain
	install -m 644 include/entrain.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(BUILD)/libentrain.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/libentrain.so $(DESTDIR)$(PREFIX)/lib/libentrain.so.0
	ln -sf libentrain.so.0 $(DESTDIR)$(PREFIX)/lib/libentrain.so
	install -m 644 docs/entrain.1 $(DESTDIR)$(PREFIX)/share/man/man1
	tools/gen-pc $(PREFIX) $(shell $(BUILD)/entrain version 2>/dev/null | sed 's/.* //') '$(LIBS)' \
	  > $(DESTDIR)$(PREFIX)/lib/pkgconfig/entrain.pc

clean:
	rm -rf build build-* $(EXAMPLES)
