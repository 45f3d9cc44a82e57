#include "report/model_report.h"

#include "report/model_dot.h"
#include "report/model_equations.h"
#include "report/model_facts.h"
#include "report/model_json.h"
#include "report/model_summary.h"
#include "report/model_text.h"

static void with_facts(Text *out, Model *m, void (*print)(Text *, const ModelFacts *)) {
  ModelFacts *f = model_facts_new(m);
  print(out, f);
  model_facts_free(f);
}

static void summary(Text *out, Model *m) {
  with_facts(out, m, model_summary);
}
static void json(Text *out, Model *m) {
  with_facts(out, m, model_json);
}

void model_report(Text *out, Model *m, ModelReport what) {
  static void (*const REPORTS[])(Text *, Model *) = {[MODEL_SUMMARY] = summary,
                                                     [MODEL_FLAT] = model_flat,
                                                     [MODEL_EQUATIONS] = model_equations,
                                                     [MODEL_JSON] = json,
                                                     [MODEL_DOT] = model_dot};
  REPORTS[what](out, m);
}
