#pragma once
// A program run under somebody's eyes, by commands as they are typed; what it says is text. It holds a machine that was
// started, and changes nothing of what the program computes.

#include "deploy/vm/stepper.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

class Debugger {
  public:
    /// The machine outlives it and is Running or Failed.
    explicit Debugger(VirtualMachine &machine) : m_machine(machine), m_stepper(machine) {}

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
    [[nodiscard]] std::string lineText(const BytecodeFunction &code, size_t at) const;
    [[nodiscard]] std::string endText() const;
    Answer moved();
    Answer move(StepSize size);
    Answer step(const std::string &count);
    Answer breakAt(const std::string &where);
    [[nodiscard]] Outcome<std::vector<CodePlace>> placesOf(const std::string &where) const;
    [[nodiscard]] Answer registers() const;
    [[nodiscard]] Answer print(const std::string &name) const;
    [[nodiscard]] Answer list() const;
    [[nodiscard]] Answer stack() const;

    VirtualMachine &m_machine;
    Stepper m_stepper;
    std::string m_last;
};

/// "float32[2, 3] 1 2 3 4 5 6", with at most so many elements.
std::string tensorContents(const WideTensor &tensor, size_t most);

} // namespace loopscope
