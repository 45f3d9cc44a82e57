// The one place that knows NLopt. Its methods are local methods of lsq.h, and this one, which is a way of method sqp.
#pragma once
#include "local/lsq.h"

LocalMethod local_slsqp; // needs slopes, keeps the constraints
