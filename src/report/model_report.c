#include "report/model_report.h"

void model_report(Text *out, Model *m, ModelReport what) {
  (void)what;
  text_print(out, "%s: %d states, %d parameters\n", m->flat->name, m->nx, m->np);
}
