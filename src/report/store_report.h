// What a store of studies holds: the list of studies, one study, its runs.
#pragma once
#include "store/study_view.h"
#include "write/page.h"

typedef struct StoreReport {
  long study; // 0: all; of a store with one study: that one
  long best;  // so many runs with the least objectives; 0: of text: some of them, else all
  PageStyle style;
} StoreReport;

bool store_text(Text *to, Store *s, const StoreReport *what, Err *err);
bool store_json(Text *to, Store *s, const StoreReport *what, Err *err);
bool store_csv(Text *to, Store *s, const StoreReport *what, Err *err); // runs
