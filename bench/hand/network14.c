// A signalling cascade: receptor with recycling, decoy receptor, kinase, transcription factor, a feedback inhibitor
// (SOCS) and a reporter. 14 states, 18 parameters; structure in the manner of published cytokine models, constants
// chosen here. The same as models/network14.mo.
#include "hand/hand.h"

enum {
  REC,
  REC_I,
  LREC,
  PREC,
  PREC_I,
  JAK,
  PJAK,
  STAT,
  PSTAT,
  MSOCS,
  SOCS,
  MCD,
  DECOY,
  LDECOY,
  STATES
};
enum {
  KON,
  REC_INTERN,
  REC_RECYCLE,
  REC_PHOS,
  JAK_PHOS,
  JAK_INHIBIT,
  JAK_DEPHOS,
  STAT_PHOS,
  STAT_DEPHOS,
  DECOY_BIND,
  PREC_INTERN,
  PREC_DEGRADE,
  SOCS_MRNA,
  MRNA_DEGRADE,
  SOCS_TRANSLATE,
  SOCS_SATURATE,
  SOCS_DEGRADE,
  CD_MRNA,
  PARAMETERS,
  LIGAND = PARAMETERS,
  SHP
};
enum {
  V_BIND,
  V_INTERN,
  V_RECYCLE,
  V_RPHOS,
  V_JPHOS,
  V_JDEPHOS,
  V_SPHOS,
  V_SDEPHOS,
  V_DECOY,
  V_PINTERN,
  V_PDEGRADE,
  V_MSOCS,
  V_MDEGRADE,
  V_TRANSLATE,
  V_SDEGRADE,
  V_MCD,
  RATES
};

static void balance(const double *v, double *dx) {
  dx[REC] = -v[V_BIND] - v[V_INTERN] + v[V_RECYCLE];
  dx[REC_I] = v[V_INTERN] - v[V_RECYCLE];
  dx[LREC] = v[V_BIND] - v[V_RPHOS];
  dx[PREC] = v[V_RPHOS] - v[V_PINTERN];
  dx[PREC_I] = v[V_PINTERN] - v[V_PDEGRADE];
  dx[JAK] = -v[V_JPHOS] + v[V_JDEPHOS];
  dx[PJAK] = v[V_JPHOS] - v[V_JDEPHOS];
  dx[STAT] = -v[V_SPHOS] + v[V_SDEPHOS];
  dx[PSTAT] = v[V_SPHOS] - v[V_SDEPHOS];
  dx[MSOCS] = v[V_MSOCS] - v[V_MDEGRADE];
  dx[SOCS] = v[V_TRANSLATE] - v[V_SDEGRADE];
  dx[MCD] = v[V_MCD];
  dx[DECOY] = -v[V_DECOY];
  dx[LDECOY] = v[V_DECOY];
}

static void rhs(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double v[RATES];
  v[V_BIND] = p[KON] * p[LIGAND] * x[REC];
  v[V_INTERN] = p[REC_INTERN] * x[REC];
  v[V_RECYCLE] = p[REC_RECYCLE] * x[REC_I];
  v[V_RPHOS] = p[REC_PHOS] * x[LREC] * x[PJAK];
  v[V_JPHOS] = p[JAK_PHOS] * (x[LREC] + x[PREC]) * x[JAK] / (1 + p[JAK_INHIBIT] * x[SOCS]);
  v[V_JDEPHOS] = p[JAK_DEPHOS] * p[SHP] * x[PJAK];
  v[V_SPHOS] = p[STAT_PHOS] * x[STAT] * x[PJAK];
  v[V_SDEPHOS] = p[STAT_DEPHOS] * p[SHP] * x[PSTAT];
  v[V_DECOY] = p[DECOY_BIND] * p[LIGAND] * x[DECOY];
  v[V_PINTERN] = p[PREC_INTERN] * x[PREC];
  v[V_PDEGRADE] = p[PREC_DEGRADE] * x[PREC_I];
  v[V_MSOCS] = p[SOCS_MRNA] * x[PSTAT];
  v[V_MDEGRADE] = p[MRNA_DEGRADE] * x[MSOCS];
  v[V_TRANSLATE] = p[SOCS_TRANSLATE] * x[MSOCS] / (p[SOCS_SATURATE] + x[MSOCS]);
  v[V_SDEGRADE] = p[SOCS_DEGRADE] * x[SOCS];
  v[V_MCD] = p[CD_MRNA] * x[PSTAT];
  balance(v, dx);
}

static void jacobian(double t, const double *x, const double *p, double *J) {
  (void)t;
#define AT(i, j) J[STATES * (j) + (i)]
  double inhibit = 1 / (1 + p[JAK_INHIBIT] * x[SOCS]), kinase = p[JAK_PHOS] * inhibit;
  double active = x[LREC] + x[PREC], saturate = p[SOCS_SATURATE] + x[MSOCS];
  AT(REC, REC) = -p[KON] * p[LIGAND] - p[REC_INTERN];
  AT(REC_I, REC) = p[REC_INTERN];
  AT(LREC, REC) = p[KON] * p[LIGAND];
  AT(REC, REC_I) = p[REC_RECYCLE];
  AT(REC_I, REC_I) = -p[REC_RECYCLE];
  AT(LREC, LREC) = -p[REC_PHOS] * x[PJAK];
  AT(PREC, LREC) = p[REC_PHOS] * x[PJAK];
  AT(JAK, LREC) = -kinase * x[JAK];
  AT(PJAK, LREC) = kinase * x[JAK];
  AT(PREC, PREC) = -p[PREC_INTERN];
  AT(PREC_I, PREC) = p[PREC_INTERN];
  AT(JAK, PREC) = -kinase * x[JAK];
  AT(PJAK, PREC) = kinase * x[JAK];
  AT(PREC_I, PREC_I) = -p[PREC_DEGRADE];
  AT(JAK, JAK) = -kinase * active;
  AT(PJAK, JAK) = kinase * active;
  AT(LREC, PJAK) = -p[REC_PHOS] * x[LREC];
  AT(PREC, PJAK) = p[REC_PHOS] * x[LREC];
  AT(JAK, PJAK) = p[JAK_DEPHOS] * p[SHP];
  AT(PJAK, PJAK) = -p[JAK_DEPHOS] * p[SHP];
  AT(STAT, PJAK) = -p[STAT_PHOS] * x[STAT];
  AT(PSTAT, PJAK) = p[STAT_PHOS] * x[STAT];
  AT(STAT, STAT) = -p[STAT_PHOS] * x[PJAK];
  AT(PSTAT, STAT) = p[STAT_PHOS] * x[PJAK];
  AT(STAT, PSTAT) = p[STAT_DEPHOS] * p[SHP];
  AT(PSTAT, PSTAT) = -p[STAT_DEPHOS] * p[SHP];
  AT(MSOCS, PSTAT) = p[SOCS_MRNA];
  AT(MCD, PSTAT) = p[CD_MRNA];
  AT(MSOCS, MSOCS) = -p[MRNA_DEGRADE];
  AT(SOCS, MSOCS) = p[SOCS_TRANSLATE] * p[SOCS_SATURATE] / (saturate * saturate);
  AT(JAK, SOCS) = kinase * active * x[JAK] * p[JAK_INHIBIT] * inhibit;
  AT(PJAK, SOCS) = -kinase * active * x[JAK] * p[JAK_INHIBIT] * inhibit;
  AT(SOCS, SOCS) = -p[SOCS_DEGRADE];
  AT(DECOY, DECOY) = -p[DECOY_BIND] * p[LIGAND];
  AT(LDECOY, DECOY) = p[DECOY_BIND] * p[LIGAND];
#undef AT
}

// The sensitivities obey the same balance with linearised rates.
static void sens(double t, const double *x, const double *const *sensitivities, const double *p,
                 double *const *ds) {
  (void)t;
  double inhibit = 1 / (1 + p[JAK_INHIBIT] * x[SOCS]), kinase = p[JAK_PHOS] * inhibit;
  double active = x[LREC] + x[PREC], saturate = 1 / (p[SOCS_SATURATE] + x[MSOCS]);
  double jak_by_active = kinase * x[JAK], jak_by_jak = kinase * active;
  double jak_by_socs = -kinase * active * x[JAK] * p[JAK_INHIBIT] * inhibit;
  double translate = p[SOCS_TRANSLATE] * p[SOCS_SATURATE] * saturate * saturate;
  static const int RATE_OF[PARAMETERS] = {
      V_BIND,    V_INTERN,   V_RECYCLE,   V_RPHOS,     V_JPHOS,    V_JPHOS,
      V_JDEPHOS, V_SPHOS,    V_SDEPHOS,   V_DECOY,     V_PINTERN,  V_PDEGRADE,
      V_MSOCS,   V_MDEGRADE, V_TRANSLATE, V_TRANSLATE, V_SDEGRADE, V_MCD};
  const double by_p[PARAMETERS] = {p[LIGAND] * x[REC],
                                   x[REC],
                                   x[REC_I],
                                   x[LREC] * x[PJAK],
                                   inhibit * active * x[JAK],
                                   -kinase * active * x[JAK] * x[SOCS] * inhibit,
                                   p[SHP] * x[PJAK],
                                   x[STAT] * x[PJAK],
                                   p[SHP] * x[PSTAT],
                                   p[LIGAND] * x[DECOY],
                                   x[PREC],
                                   x[PREC_I],
                                   x[PSTAT],
                                   x[MSOCS],
                                   x[MSOCS] * saturate,
                                   -p[SOCS_TRANSLATE] * x[MSOCS] * saturate * saturate,
                                   x[SOCS],
                                   x[PSTAT]};
  for (int k = 0; k < PARAMETERS; k++) {
    const double *s = sensitivities[k];
    double v[RATES];
    v[V_BIND] = p[KON] * p[LIGAND] * s[REC];
    v[V_INTERN] = p[REC_INTERN] * s[REC];
    v[V_RECYCLE] = p[REC_RECYCLE] * s[REC_I];
    v[V_RPHOS] = p[REC_PHOS] * (s[LREC] * x[PJAK] + x[LREC] * s[PJAK]);
    v[V_JPHOS] = jak_by_active * (s[LREC] + s[PREC]) + jak_by_jak * s[JAK] + jak_by_socs * s[SOCS];
    v[V_JDEPHOS] = p[JAK_DEPHOS] * p[SHP] * s[PJAK];
    v[V_SPHOS] = p[STAT_PHOS] * (s[STAT] * x[PJAK] + x[STAT] * s[PJAK]);
    v[V_SDEPHOS] = p[STAT_DEPHOS] * p[SHP] * s[PSTAT];
    v[V_DECOY] = p[DECOY_BIND] * p[LIGAND] * s[DECOY];
    v[V_PINTERN] = p[PREC_INTERN] * s[PREC];
    v[V_PDEGRADE] = p[PREC_DEGRADE] * s[PREC_I];
    v[V_MSOCS] = p[SOCS_MRNA] * s[PSTAT];
    v[V_MDEGRADE] = p[MRNA_DEGRADE] * s[MSOCS];
    v[V_TRANSLATE] = translate * s[MSOCS];
    v[V_SDEGRADE] = p[SOCS_DEGRADE] * s[SOCS];
    v[V_MCD] = p[CD_MRNA] * s[PSTAT];
    v[RATE_OF[k]] += by_p[k];
    balance(v, ds[k]);
  }
}

static const double P[] = {0.0034, 0.1,  0.0013, 1000, 0.16, 0.017, 6e-4,  0.04, 3.4e-4, 1.2e-4,
                           0.15,   0.17, 2.2,    0.01, 11.9, 3.7,   0.043, 8e-5, 2.265,  91};
static const double X0[STATES] = {
    [REC] = 1.3, [REC_I] = 113, [JAK] = 2.8, [STAT] = 165, [DECOY] = 0.34};
static const char *const NAMES[] = {
    "kon",        "rec_intern",   "rec_recycle",    "rec_phos",      "jak_phos",     "jak_inhibit",
    "jak_dephos", "stat_phos",    "stat_dephos",    "decoy_bind",    "prec_intern",  "prec_degrade",
    "socs_mrna",  "mrna_degrade", "socs_translate", "socs_saturate", "socs_degrade", "cd_mrna"};

const HandModel HAND_NETWORK14 = {.name = "network14",
                                  .nx = STATES,
                                  .np = PARAMETERS,
                                  .parameters = PARAMETERS + 2,
                                  .p = P,
                                  .x0 = X0,
                                  .rhs = rhs,
                                  .jacobian = jacobian,
                                  .sens = sens,
                                  .parameter_names = NAMES};
