#pragma once
// Who has the machine now. A timing has it alone: nothing of ours computes beside it, neither in this process nor in
// another one of the same user, or the time would be of both. Everything else that keeps cores busy (building,
// evolving, lowering for a view, a reference answer) is work, and work shares the machine with other work.
//
// Two files in a folder of the user's are locked (flock, which the system gives back when a process dies): one by
// whoever has the machine, the other by whoever is next, so that all take turns.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace loopscope {

class MachineUse {
  public:
    enum class Kind : uint8_t { Timing, Work };

    /// Waits for its turn; nothing when `cancel`, which outlives the use, was raised meanwhile. Within a use of the
    /// same thread it is part of that; a timing within work gives the work's share back for as long as it lasts.
    static std::optional<MachineUse> begin(Kind kind, const std::atomic<bool> *cancel = nullptr);
    /// Ends it, on the thread that began it.
    ~MachineUse();
    MachineUse(MachineUse &&other) noexcept;
    MachineUse &operator=(MachineUse &&) = delete;

    /// Somebody else waits for a turn.
    [[nodiscard]] bool wanted() const;
    /// For work at a safe point: lets those who wait have their turn first. False when `cancel` was raised meanwhile,
    /// and then it goes on without a turn.
    bool giveWay();
    /// For work that is to stand still: the machine is others' until giveWay.
    void rest();

  private:
    struct Hold;
    explicit MachineUse(std::unique_ptr<Hold> hold);
    std::unique_ptr<Hold> m_hold;
};

/// Told on the thread that waits, when it has waited noticeably for another process ("loopscope-cli (process 4711)"),
/// and with an empty text when that is over. One listener for the process; null: nobody.
void onMachineWait(std::function<void(const std::string &holder)> listener);

/// Where the two files are: LOOPSCOPE_LOCK_FOLDER, or a folder of the user's in /tmp.
std::string machineLockFolder();
/// Why other processes are not waited for ("/tmp/loopscope-1000: Permission denied"); empty: they are.
std::string machineLockProblem();

} // namespace loopscope
