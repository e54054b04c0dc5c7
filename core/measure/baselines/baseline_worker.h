#pragma once
// The process a library lives in: opens it, binds a problem to memory of its own, runs and times it, as it is told.
// Whatever the library does to this process, the program that asked goes on without it.

namespace loopscope {

/// The role `baseline` of loopscope-worker; returns the exit code.
int serveBaseline();

} // namespace loopscope
