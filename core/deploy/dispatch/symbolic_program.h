#pragma once
// One loop program for every size of a symbolic dim. Lowering knows constant extents alone, so a schedule is lowered at
// several sizes, and what these programs have in common is the program; the numbers in which they differ (trip counts
// of the loops over tiles, strides, remainders) become functions of the size (size_form.h). Whether that is the program
// of another size, too, is not believed but looked at: the schedule is lowered there and compared, statement by
// statement. Where they agree the order of every sum is that of the static kernel.

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "deploy/dispatch/size_form.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct SymbolicNumber {
    Expr variable; // of the program; a float where one counts elements, as a mean does
    SizeForm form;
    bool padded = false;     // of the next multiple of the tile, not of the size
    bool reciprocal = false; // of a float: one over the form
    /// Of the variable's type.
    [[nodiscard]] Expr at(int64_t size) const;
};

struct SymbolicProgram;
using SymbolicProgramPtr = std::shared_ptr<const SymbolicProgram>;

struct SymbolicProgram {
    struct Dims {
        std::vector<SizeForm> shape;
        std::vector<SizeForm> strides;
    };
    std::string symbol;
    LoopProgram program; // over the variables of `numbers`
    std::vector<SymbolicNumber> numbers;
    /// Of all buffers. Where the program is padded, of arguments over the size, of others over the next multiple.
    std::map<const Buffer *, Dims> dims;
    std::vector<LoopProgram> samples; // what it was made from
    int64_t tile = 1;                 // it runs for the next multiple of it (padded_program.h); 1: for the size
    SymbolicProgramPtr base;          // what it was made from: the program of multiples; null: samples
    [[nodiscard]] int64_t padded(int64_t size) const { return (size + tile - 1) / tile * tile; }
    [[nodiscard]] std::string text() const; // the numbers' meanings, then the loops
};

/// `programs` of one schedule at `sizes`, five or more. Refuses those that have not one form, saying where.
Outcome<SymbolicProgramPtr> mergedProgram(std::vector<LoopProgram> programs, const std::vector<int64_t> &sizes,
                                          const std::string &symbol);

/// Why `fixed`, the same schedule lowered at that size, is another program; empty: it is the same but for loops that
/// run once or never, and for what is asked of loops (threads, lanes, unrolling), which changes no sum.
std::string differenceAt(const SymbolicProgram &symbolic, int64_t size, const LoopProgram &fixed);

/// For a code generator: the size is what the last argument, one int64, holds when the kernel is called, 1 to `bound`.
/// Other arguments are those of the task; their shapes are the largest. Loops in lanes that run as often as the size
/// says go by vectors of `lanes`.
LoopProgram programForSizes(const SymbolicProgramPtr &symbolic, int64_t bound, int64_t lanes);

} // namespace loopscope
