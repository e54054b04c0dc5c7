// Linked into tests that have a main of their own.

#include "own_turns.h"

#include <errno.h> // program_invocation_short_name

[[maybe_unused]] static const bool g_ownTurns = loopscope::takeOwnTurns(program_invocation_short_name);
