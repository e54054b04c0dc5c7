#pragma once
// The worker on a node of a fleet: builds, checks and times what the controller sends it, with worker processes of its
// own, as a search on this machine would. It never builds beside a timing, and ends by itself when nobody is there any
// more.

namespace loopscope {

/// Of `loopscope-worker serve`: speaks over standard input and output. Exit code.
int serveFleet();

} // namespace loopscope
