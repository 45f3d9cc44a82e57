// Texts that stand in the program and go into its pages: style, scripts, the chart library with its licence.
#pragma once
#include "base/text.h"

typedef enum Asset {
  ASSET_PAGE_CSS, // of all pages
  ASSET_PAGE_JS,  // charts and their zoom, of all pages
  ASSET_LIVE_CSS, // of the page that follows a fit
  ASSET_LIVE_JS,
  ASSET_CHART_CSS, // of the chart library dygraphs
  ASSET_CHART_JS,
  ASSET_TERMS, // the words of reports, explained: docs/terms.md as HTML
} Asset;

void asset_add(Text *out, Asset asset);
