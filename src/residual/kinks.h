// A watch over a simulation for places where the equations are not smooth: sensitivities of first order are right beyond
// them, those of second order jump there and are not.
#pragma once
#include "model/second.h"
#include "simulate/simulate.h"

typedef struct Kinks Kinks;

Kinks *kinks_new(Model *m, const int *parameters, int count, CodeChoice code);
void kinks_free(Kinks *k); // NULL is allowed
// Before this run of the model at these parameters.
void kinks_begin(Kinks *k, const double *p, const SimulateRequest *run);
// As Trajectory.stepped; the data are the kinks. The first states are those of the model.
void kinks_watch(void *kinks, Stepper *s);
// After the run: whether second derivatives hold all along it; else why not.
bool kinks_passed(const Kinks *k, const Trajectory *t, char why[700]);
