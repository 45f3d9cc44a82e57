#include "closed/input_message.h"

void input_put(Message *m, const Input *in) {
  int count;
  const double *t, *v;
  put_int(m, in != NULL);
  if (!in) return;
  put_int(m, input_kind(in));
  count = input_samples(in, &t, &v);
  put_numbers(m, t, (size_t)count);
  put_numbers(m, v, (size_t)count);
}

const Input *input_get(Message *m, Arena *a) {
  if (!get_int(m)) return NULL;
  long kind = get_int(m);
  int count, values;
  const double *t = get_numbers(m, a, &count), *v = get_numbers(m, a, &values);
  if (count != values || kind < 0 || kind >= INPUT_KINDS) m->bad = true;
  if (m->bad) return NULL;
  Err err = {0};
  const Input *in = input_new(a, t, v, count, (InputKind)kind, &err);
  if (!in) m->bad = true;
  return in;
}
