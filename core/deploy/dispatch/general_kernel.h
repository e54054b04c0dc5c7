#pragma once
// A schedule that was found for one size of a symbolic dim, as a kernel for many: compiled once, told the size when it
// is called. What is left to the size is the outermost loops over tiles and what does not fill a tile; the tiles stay.
// Some schedules have one program for all sizes; others need whole tiles, and hold for the multiples of a number.

#include "base/outcome.h"
#include "codegen/code_generator.h"
#include "deploy/dispatch/symbolic_program.h"
#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "schedule/step.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loopscope {

/// One kernel of a network over the sizes of a symbol.
struct KernelFamily {
    std::string name;
    std::string symbol;
    int64_t bound = 0;           // sizes are 1 to this
    std::vector<bool> constants; // by argument: known before the first run, and so laid out as the kernel wants them
    Target target;
    std::function<Outcome<DagPtr>(int64_t size)> dagAt;
};

struct GeneralKernel {
    Steps steps;
    int64_t multiple = 1;       // of which sizes are; 1: all
    int64_t tile = 1;           // sizes are padded to multiples of it (padded_program.h)
    int64_t only = 0;           // the one size of a kernel that is not general; 0: it is
    std::vector<bool> holds;    // by size - 1: it is the program of the static kernel there
    std::string exception;      // why it does not hold for the first size, of its multiples, that it does not hold for
    std::string whyMultiple;    // why the schedule is no program for all sizes, where it is one for multiples
    SymbolicProgramPtr program; // null: only
    std::string hash;           // of program and bound
    [[nodiscard]] bool holdsAt(int64_t size) const {
        return size >= 1 && size <= static_cast<int64_t>(holds.size()) && holds[static_cast<size_t>(size - 1)];
    }
    [[nodiscard]] bool takesSize() const { return only == 0; }
};

/// The schedule lowered at one size: as the plan of a network has its kernels.
Outcome<LoopProgram> loweredAt(const KernelFamily &family, const Steps &steps, int64_t size);

/// All that the schedule generalises to: for all sizes, and for multiples where that has less to guard. Refuses
/// schedules that do neither, with why not.
Outcome<std::vector<GeneralKernel>> generalise(const KernelFamily &family, const Steps &steps);

/// What generalise made of the schedule and gave that hash, without another look at which sizes it holds for (`holds`
/// is empty). Refuses schedules that are another program now.
Outcome<GeneralKernel> generalKernelOfHash(const KernelFamily &family, const Steps &steps, int64_t multiple,
                                           int64_t tile, const std::string &hash);

/// Why a general kernel is not to be called with that size: it computes something else than the static kernel. Empty:
/// it may be.
std::string whyNotAt(const KernelFamily &family, const GeneralKernel &kernel, int64_t size);

/// The schedule for one size alone: for sizes at which a network computes otherwise (a sum of one term).
Outcome<GeneralKernel> fixedKernel(const KernelFamily &family, const Steps &steps, int64_t size);

/// Where it takes the size, that is its last argument (programForSizes).
Outcome<BuiltKernel> buildGeneral(const KernelFamily &family, const GeneralKernel &kernel, CodeGenerator &generator);

} // namespace loopscope
