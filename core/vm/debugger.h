#pragma once
// A program run under somebody's eyes, by commands as they are typed; what it says is text. It holds a machine that was
// started, and changes nothing of what the program computes.

#include "vm/machine.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

class Debugger {
  public:
    /// The machine outlives it and is Running or Failed.
    explicit Debugger(VirtualMachine &machine) : m_machine(machine) {}

    struct Answer {
        std::string text; // lines, each with its end
        bool ok = true;   // false: the command was not understood
        bool quit = false;
    };
    /// An empty line does what the last one did, as long as it was a step.
    Answer command(std::string_view line);
    /// What is next, and in which function.
    [[nodiscard]] std::string whereText() const;

    static std::string helpText();

  private:
    struct Place {
        size_t function = 0;
        size_t at = 0;
        auto operator<=>(const Place &) const = default;
    };
    [[nodiscard]] Place here() const;
    [[nodiscard]] std::string lineText(const BytecodeFunction &code, size_t at) const;
    [[nodiscard]] std::string endText() const;
    Answer moved();
    Answer step(const std::string &count);
    Answer next();
    Answer finish();
    Answer goOn();
    Answer breakAt(const std::string &where);
    [[nodiscard]] Outcome<std::vector<Place>> placesOf(const std::string &where) const;
    [[nodiscard]] Answer registers() const;
    [[nodiscard]] Answer print(const std::string &name) const;
    [[nodiscard]] Answer list() const;
    [[nodiscard]] Answer stack() const;
    /// One instruction, then on to where the calls are at most so deep.
    void runUntilDepth(size_t depth);

    VirtualMachine &m_machine;
    std::set<Place> m_breaks;
    std::string m_last;
};

/// "float32[2, 3] 1 2 3 4 5 6", with at most so many elements.
std::string tensorContents(const WideTensor &tensor, size_t most);

} // namespace loopscope
