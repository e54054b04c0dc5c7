#pragma once
// What one core can do at most: independent fused multiply-adds that never leave the registers.

namespace loopscope {

/// float32 GFLOP/s of the calling core, with the widest vectors it has; takes about 0.1 s.
double fmaPeakGflops();

} // namespace loopscope
