#!/bin/bash
# tools/check-abi notices what programs that were compiled with a former header would notice.
. "$(dirname "$0")/lib.sh"
root=$(cd "$models/.." && pwd)
command -v cc >/dev/null || { skip "the C interface" "there is no cc"; exit; }
check() { "$root/tools/check-abi" --header h.h --file h.abi "$@" >out 2>err; code=$?; }
# edit SED: a header that differs; it must differ
edit() { sed -e "$1" "$root/include/entrain.h" >h.h; ! cmp -s h.h "$root/include/entrain.h" || wrong "nothing was changed"; }
fresh() { rm -f h.abi; cp "$root/include/entrain.h" h.h; "$root/tools/check-abi" --header h.h --file h.abi --write >/dev/null; }
fresh

it "is content with the header as it stands"
check
status 0; no_out

it "notices a function that is gone"
edit '/^int entrain_threads(void)/d'
check
status 1; out "function entrain_threads is gone"; out "raise ENTRAIN_ABI"

it "notices another type of a parameter, and of a result, but not another name"
edit 's/entrain_figures_count(const EntrainFigures \*figures)/entrain_figures_count(EntrainFigures *figures)/'
check
status 1; out "function entrain_figures_count was"
edit 's/^int entrain_threads(void)/long entrain_threads(void)/'
check
status 1; out "function entrain_threads was 'int (void)' and is 'long (void)'"
edit 's/entrain_figures_count(const EntrainFigures \*figures)/entrain_figures_count(const EntrainFigures *all)/'
check
status 0

it "notices a member with another type, in another place, or gone"
edit '/^typedef struct EntrainEstimate/,/^}/s/  bool inactive;/  int inactive;/'
check
status 1; out "member EntrainEstimate.inactive was"
edit '/^typedef struct EntrainStep /,/^}/{/ int iteration;/d}'
check
status 1; out "member EntrainStep.iteration is gone"; out "member EntrainStep.objective was"
edit '/^typedef struct EntrainStep /,/^}/s/^  long simulations;/  long more;\n  long simulations;/'
check
status 1; out "member EntrainStep.more is new, but not behind the end"

it "notices another value of an enum"
edit 's/^  ENTRAIN_STATE,/  ENTRAIN_NEW,\n  ENTRAIN_STATE,/'
check
status 1; out "value ENTRAIN_STATE was '0' and is '1'"

it "notices another constant, and another type of a listener"
edit 's/^#define ENTRAIN_HTML (-1)/#define ENTRAIN_HTML (-2)/'
check
status 1; out "constant ENTRAIN_HTML"
edit 's/typedef bool EntrainGoesOn(void \*data);/typedef int EntrainGoesOn(void *data);/'
check
status 1; out "callback EntrainGoesOn was"

it "allows a function, a member behind all others and a further value, and asks to write them down"
edit 's/^int entrain_threads(void)/int entrain_more(void);\n&/'
check
status 1; out "function entrain_more is new"; out "Run tools/check-abi --write"
edit 's/^} EntrainStep;/  double more;\n} EntrainStep;/'
check
status 1; out "member EntrainStep.more is new"; out "Run tools/check-abi --write"
check --write
status 0; no_out
check
status 0
fresh

it "refuses members of structs without size, which are elements of arrays, and members in former padding"
edit 's/^} EntrainColumn;/  double more;\n} EntrainColumn;/'
check
status 1; out "member EntrainColumn.more is new, but"
edit 's/^} EntrainScanRequest;/  bool more;\n} EntrainScanRequest;/'
check
status 1; out "member EntrainScanRequest.more is new, but"

it "writes nothing that breaks programs, unless the number was raised"
edit '/^int entrain_threads(void)/d'
check --write
status 1; out "entrain_threads is gone"
check
status 1
edit '/^int entrain_threads(void)/d; s/^#define ENTRAIN_ABI 0/#define ENTRAIN_ABI 1/'
check --write
status 0; out "entrain_threads is gone"
check
status 0; no_out
fresh

it "notices what a library exports besides, and what it lacks"
cat >small.c <<'END'
int entrain_abi(void) { return 0; }
int helper(void) { return 0; }
END
holds cc -shared -fPIC -Wl,-soname,libentrain.so.7 small.c -o small.so
check --library small.so
status 1; out "helper is exported"; out "entrain_threads is not exported"; out "calls itself libentrain.so.7, not libentrain.so.0"
