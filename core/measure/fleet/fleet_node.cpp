#include "measure/fleet/fleet_node.h"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

} // namespace

FleetNode::FleetNode(size_t number, FleetNodeSpec spec, FleetNodeTimes times, SpawnThread &spawner,
                     FleetNodeOwner &owner)
    : m_number(number), m_spec(std::move(spec)), m_times(times), m_spawner(spawner), m_owner(owner),
      m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), m_thread([this] { run(); }) {}

void FleetNode::stop() {
    m_stop = true;
    wake();
}

FleetNode::~FleetNode() {
    stop();
    m_thread.join();
    ::close(m_wake);
}

void FleetNode::wake() {
    const uint64_t one = 1;
    if (::write(m_wake, &one, sizeof one) < 0 && errno != EAGAIN) return; // EAGAIN: it is awake already
}

void FleetNode::waitForNews(double seconds) {
    pollfd news[2] = {{m_wake, POLLIN, 0}, {m_from, POLLIN, 0}};
    ::poll(news, m_from >= 0 ? 2 : 1, static_cast<int>(seconds * 1000));
    uint64_t count = 0;
    if (::read(m_wake, &count, sizeof count) < 0) return; // nobody woke it
}

void FleetNode::run() {
    // A node that is gone is told by what writing to it returns, and must not end the program.
    sigset_t broken;
    ::sigemptyset(&broken);
    ::sigaddset(&broken, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken, nullptr);
    while (!m_stop) {
        bool refused = false;
        const std::string why = live(refused);
        if (m_stop) return;
        if (refused) return m_owner.refused(m_number, why);
        if (!m_owner.lost(m_number, why)) return;
        const auto begin = Clock::now();
        while (!m_stop && since(begin) < m_times.restartAfter) waitForNews(m_times.restartAfter);
    }
}

std::string FleetNode::live(bool &refused) {
    auto started = PipedChild::start(m_spawner, m_spec.command, SIGKILL);
    if (!started) return started.why();
    PipedChild &child = **started;
    child.patience = 3;
    PieceStream stream(child.output(), child.input(), PieceStream::End::Controller);
    m_from = child.output();
    const auto begin = Clock::now();
    auto heardAt = begin;
    auto askedAt = begin;
    uint64_t heard = 0;
    bool known = false;
    std::string why, error;
    while (!m_stop && why.empty()) {
        waitForNews(0.2);
        const bool there = stream.pump();
        for (const std::string &line : child.complaints()) // read on, or its pipe fills
            if (const size_t at = line.find(" error: "); at != std::string::npos) error = line.substr(at + 8);
        if (stream.heard() != heard) {
            heard = stream.heard();
            heardAt = Clock::now();
        }
        try {
            while (auto message = stream.take()) {
                if (known) {
                    m_owner.received(m_number, *message);
                    continue;
                }
                const auto hello = helloFromText(*message);
                std::string problem = hello ? m_owner.welcome(m_number, *hello) : hello.why();
                known = problem.empty();
                if (!known) {
                    refused = true;
                    return problem;
                }
            }
        } catch (const std::exception &problem) {
            why = problem.what();
            break;
        }
        if (!stream.problem().empty()) {
            why = stream.problem();
        } else if (!there) {
            const auto until = Clock::now();
            while (!child.ended() && since(until) < 2) waitForNews(0.02);
            why = child.ended() ? child.howItEnded() : "its connection ended";
            if (!error.empty() && why.find(error) == std::string::npos) why += " (" + error + ")";
        } else if (!known && since(begin) > m_times.start) {
            why = fmt::format("it did not say what it is within {:.0f} s", m_times.start);
        } else if (known && since(heardAt) > m_times.silence) {
            why = fmt::format("it said nothing for {:.0f} s", since(heardAt));
        }
        if (!why.empty() || !known) continue;
        for (std::string message = m_owner.next(m_number); !message.empty(); message = m_owner.next(m_number))
            if (!stream.send(message)) break; // the next pump tells why
        if (since(askedAt) > m_times.ask) {
            stream.ping();
            askedAt = Clock::now();
        }
    }
    m_from = -1;
    // srun passes on that its step is to end. Killed itself it leaves there whatever hangs, with what that holds.
    if (!why.empty()) child.signal(SIGTERM);
    return why;
}

} // namespace loopscope
