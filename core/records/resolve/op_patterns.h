#pragma once
// What networks are made of: the operators tuning tasks begin with, as `.te` text over the extents their keys name. A
// new one is a row of a table; what may follow it in a task is in fused_ops.h.

#include "records/resolve/window_choices.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// Binds S, D, P, Q, K, O (stride, dilation, padding before and behind, kernel, output padding) with the number of the
/// window behind them: S0, P0, ...
struct PatternWindow {
    WindowKind kind = WindowKind::Convolution;
    std::string in, kernel, out; // names of extents; a pooling has no kernel
};

/// Operators that leave the stage out where nothing is padded are two patterns.
enum class WindowPads : uint8_t { Any, Some, None };

struct OpPattern {
    std::string name; // for people
    /// Inputs a, b, ... and the result, in the order of the key: "N H W CI, KH KW CG CO -> N OH OW CO". An extent is a
    /// name, a number, NAME+number, or NAME*NAME of names known by then.
    std::string shapes;
    /// `.te` statements over the inputs and the extents; the last one defines `r`. `$T` stands for the argument that
    /// widens the result, where there is one, `$I` for the type of the inputs. Empty: the input itself.
    std::string text;
    std::string details; // for people, extents in braces: "{KH}x{KW}, stride {S0}"
    std::vector<PatternWindow> windows = {};
    /// Names of other versions, for the ops and the axes of the text: "pad_temp=PaddedInput", "rv0=dh".
    std::vector<std::pair<std::string, std::string>> ops = {};
    std::vector<std::pair<std::string, std::string>> axes = {};
    bool paddingShows = false; // in the hashed text, as does the kernel of a pooling
    WindowPads pads = WindowPads::Any;
    /// Extents the key does not tell, each a divisor of one that it does: blocks of channels.
    std::vector<std::pair<std::string, std::string>> divisors = {};
};

const std::vector<OpPattern> &opPatterns();

/// By family.
std::vector<OpPattern> convolutionPatterns();
std::vector<OpPattern> densePatterns();
std::vector<OpPattern> poolingPatterns();
std::vector<OpPattern> normalizationPatterns();
std::vector<OpPattern> transposedPatterns();

} // namespace loopscope
