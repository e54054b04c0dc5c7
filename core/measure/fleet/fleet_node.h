#pragma once
// One node as the controller sees it: the program that reaches it, what it said of itself, and what it has in flight. A
// thread of its own talks to it, so that a node that hangs holds up nobody.

#include "base/isolate/piped_child.h"
#include "measure/fleet/messages.h"
#include "measure/fleet/piece_stream.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace loopscope {

struct FleetNodeSpec {
    std::string name;
    std::vector<std::string> command; // that runs `loopscope-worker serve` there
};

/// What the thread of a node asks and tells; every call is on that thread.
class FleetNodeOwner {
  public:
    virtual ~FleetNodeOwner() = default;
    /// It said what it is. A sentence refuses it for good.
    virtual std::string welcome(size_t node, const NodeHello &hello) = 0;
    virtual void received(size_t node, const std::string &message) = 0; // throws WireError
    /// What is to be sent next; empty: nothing now.
    virtual std::string next(size_t node) = 0;
    /// Its process ended, it said nothing, or spoke wrongly. True: it is started again after a while.
    virtual bool lost(size_t node, const std::string &why) = 0;
    virtual void refused(size_t node, const std::string &why) = 0;
};

struct FleetNodeTimes {
    double start = 60;       // seconds until it says what it is
    double silence = 20;     // seconds without a sign of life
    double ask = 5;          // seconds between two questions whether it is there
    double restartAfter = 3; // seconds
};

class FleetNode {
  public:
    FleetNode(size_t number, FleetNodeSpec spec, FleetNodeTimes times, SpawnThread &spawner, FleetNodeOwner &owner);
    ~FleetNode(); // ends its process
    FleetNode(const FleetNode &) = delete;
    FleetNode &operator=(const FleetNode &) = delete;

    [[nodiscard]] const FleetNodeSpec &spec() const { return m_spec; }
    /// It is to end; the destructor waits for that.
    void stop();
    /// There may be something to send. Any thread.
    void wake();

  private:
    void run();
    /// One life of its process; how it ended. `refused`: for good.
    std::string live(bool &refused);
    void waitForNews(double seconds);

    size_t m_number;
    FleetNodeSpec m_spec;
    FleetNodeTimes m_times;
    SpawnThread &m_spawner;
    FleetNodeOwner &m_owner;
    std::atomic<bool> m_stop{false};
    int m_wake = -1; // an eventfd
    int m_from = -1; // of the process that lives
    std::thread m_thread;
};

} // namespace loopscope
