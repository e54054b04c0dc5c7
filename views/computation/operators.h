#pragma once
// The operator library for files that also see Qt, whose keyword macro `emit` is the name of a function there.

#pragma push_macro("emit")
#undef emit
#include "language/te/operators/families.h"
#include "language/te/operators/operator_library.h"
#pragma pop_macro("emit")
