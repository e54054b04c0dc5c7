#pragma once
// A program run in steps of every size that somebody may want, with places at which it stops. It holds a machine that
// was started, and changes nothing of what the program computes.

#include "deploy/vm/machine.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace loopscope {

/// An instruction of a program.
struct CodePlace {
    size_t function = 0; // of the program
    size_t at = 0;
    auto operator<=>(const CodePlace &) const = default;
};

enum class StepSize : uint8_t {
    Into, // one instruction; of a call, to the first one of what is called
    Over, // one instruction; calls as a whole
    Out,  // to where the function that runs was called
    On,   // to the end
};

class Stepper {
  public:
    /// The machine outlives it and is Running or Failed.
    explicit Stepper(VirtualMachine &machine);

    [[nodiscard]] VirtualMachine &machine() const { return m_machine; }
    [[nodiscard]] bool running() const { return m_machine.state() == VirtualMachine::State::Running; }
    /// The instruction that is next. Of Running alone, as what moves.
    [[nodiscard]] CodePlace here() const;

    /// One instruction at least; then until the size says so, before a place to stop, or when somebody sets `stop`.
    void move(StepSize size, const std::atomic<bool> *stop = nullptr);
    /// On, but to this place at most.
    void moveTo(CodePlace place, const std::atomic<bool> *stop = nullptr);

    /// Where it stops.
    [[nodiscard]] const std::set<CodePlace> &stops() const { return m_stops; }
    void setStops(std::set<CodePlace> stops) { m_stops = std::move(stops); }
    void addStop(CodePlace place) { m_stops.insert(place); }

    /// The instruction that wrote a register ('t', 'i' or 's') of a call that is not over last; nothing for what the
    /// call was handed, and for what was never written. The first call is `main`.
    [[nodiscard]] std::optional<size_t> writerOf(size_t call, char kind, int number) const;

  private:
    struct Writers { // of a call: -1 where nothing was written
        std::vector<int> tensors;
        std::vector<int> integers;
        std::vector<int> stacks;
    };
    static Writers nothingWritten(const BytecodeFunction &code);
    void forget();
    void step();

    VirtualMachine &m_machine;
    std::set<CodePlace> m_stops;
    std::vector<Writers> m_writers;
};

} // namespace loopscope
