#include "measure/timing/machine_use.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <string_view>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace loopscope {

/// A descriptor of a lock file; closing it gives the lock back.
class LockFile {
  public:
    LockFile() = default;
    explicit LockFile(const std::string &path) : m_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
    ~LockFile() { close(); }
    LockFile(LockFile &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    LockFile &operator=(LockFile &&other) noexcept {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    void close() {
        if (m_fd < 0) return;
        ::flock(m_fd, LOCK_UN); // a child that is being started may still have the descriptor
        ::close(m_fd);
        m_fd = -1;
    }
    [[nodiscard]] bool open() const { return m_fd >= 0; }
    [[nodiscard]] bool tryLock(int how) const {
        int result = 0;
        do {
            result = ::flock(m_fd, how | LOCK_NB);
        } while (result != 0 && errno == EINTR);
        return result == 0;
    }
    void write(const std::string &text) const {
        if (::pwrite(m_fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()))
            (void)!::ftruncate(m_fd, static_cast<off_t>(text.size()));
    }
    [[nodiscard]] std::string read() const {
        std::array<char, 200> text{};
        const ssize_t n = ::pread(m_fd, text.data(), text.size(), 0);
        return {text.data(), static_cast<size_t>(n > 0 ? n : 0)};
    }

  private:
    int m_fd = -1;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(5);         // between two tries
constexpr auto kNoticeable = std::chrono::milliseconds(700); // a wait that is told

std::string programName() {
    std::array<char, 4096> path{};
    const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
    const std::string_view whole(path.data(), static_cast<size_t>(size > 0 ? size : 0));
    return std::string(whole.substr(whole.rfind('/') + 1));
}

/// Where the files are, found once. Without a folder, memory of this process takes their place: its own threads still
/// keep out of each other's way.
struct LockPlace {
    std::string turn;
    std::string next;
    std::string problem;
    std::string self = fmt::format("{} {}", ::getpid(), programName());

    LockPlace() {
        const std::string folder = machineLockFolder();
        // A folder of somebody else's would let him hold us up.
        struct stat info{};
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
            problem = fmt::format("{}: {}", folder, std::strerror(errno));
        } else if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
            problem = fmt::format("{}: not a folder", folder);
        } else if (info.st_uid != ::geteuid()) {
            problem = fmt::format("{}: belongs to another user", folder);
        } else {
            turn = folder + "/machine.lock";
            next = folder + "/machine.next";
            if (!LockFile(turn).open() || !LockFile(next).open())
                problem = fmt::format("{}: {}", turn, std::strerror(errno));
        }
        if (problem.empty()) return;
        turn = fmt::format("/proc/self/fd/{}", ::memfd_create("loopscope-turn", MFD_CLOEXEC));
        next = fmt::format("/proc/self/fd/{}", ::memfd_create("loopscope-next", MFD_CLOEXEC));
    }
};

const LockPlace &lockPlace() {
    static const LockPlace place;
    return place;
}

std::mutex g_listenerMutex;
std::function<void(const std::string &)> g_listener;

void tellWait(const std::string &holder) {
    const std::lock_guard lock(g_listenerMutex);
    if (g_listener) g_listener(holder);
}

/// "4711 loopscope-cli" -> "loopscope-cli (process 4711)"; empty when it is this process or nobody.
std::string holderText(const std::string &written) {
    int pid = 0;
    const auto [end, failure] = std::from_chars(written.data(), written.data() + written.size(), pid);
    if (failure != std::errc() || pid == ::getpid()) return {};
    const auto rest = static_cast<size_t>(end - written.data());
    const std::string name = written.substr(std::min(rest + 1, written.size()));
    return fmt::format("{} (process {})", name.empty() ? "a program" : name, pid);
}

/// Tells of a wait once it is noticeable, and of its end.
class WaitNews {
  public:
    ~WaitNews() {
        if (m_told) tellWait({});
    }
    void still(const LockFile &turn) {
        if (m_told || Clock::now() - m_start < kNoticeable) return;
        const std::string holder = holderText(turn.read());
        if (holder.empty()) return;
        m_told = true;
        tellWait(holder);
    }

  private:
    Clock::time_point m_start = Clock::now();
    bool m_told = false;
};

} // namespace

struct MachineUse::Hold {
    Kind kind = Kind::Work;
    const std::atomic<bool> *cancel = nullptr;
    Hold *outer = nullptr; // of the same thread
    LockFile turn;         // closed: part of the outer use, or resting

    static thread_local Hold *innermost;

    [[nodiscard]] bool cancelled() const { return cancel != nullptr && cancel->load(); }
    Hold &outermost() { return outer ? outer->outermost() : *this; }

    bool take() {
        const LockPlace &place = lockPlace();
        LockFile next(place.next);
        LockFile mine(place.turn);
        // No descriptors are left: what follows will say so better.
        if (!next.open() || !mine.open()) return true;
        WaitNews news;
        while (!next.tryLock(LOCK_EX)) {
            if (cancelled()) return false;
            news.still(mine);
            std::this_thread::sleep_for(kLook);
        }
        bool alone = mine.tryLock(LOCK_EX);
        while (!alone && !(kind == Kind::Work && mine.tryLock(LOCK_SH))) {
            if (cancelled()) return false;
            news.still(mine);
            std::this_thread::sleep_for(kLook);
            alone = mine.tryLock(LOCK_EX);
        }
        // The first of those who share is named: the others would not be there without it.
        if (alone) mine.write(place.self);
        // Nobody else can be taking it, as that needs `next`.
        if (alone && kind == Kind::Work) (void)mine.tryLock(LOCK_SH);
        turn = std::move(mine);
        return true;
    }
};

thread_local MachineUse::Hold *MachineUse::Hold::innermost = nullptr;

MachineUse::MachineUse(std::unique_ptr<Hold> hold) : m_hold(std::move(hold)) { Hold::innermost = m_hold.get(); }
MachineUse::MachineUse(MachineUse &&other) noexcept = default;

std::optional<MachineUse> MachineUse::begin(Kind kind, const std::atomic<bool> *cancel) {
    auto hold = std::make_unique<Hold>();
    hold->kind = kind;
    hold->cancel = cancel;
    hold->outer = Hold::innermost;
    const bool part = hold->outer && (kind == Kind::Work || hold->outer->kind == Kind::Timing);
    if (!part) {
        if (hold->outer) hold->outermost().turn.close();
        if (!hold->take()) return std::nullopt; // the work around it is being cancelled, too
    }
    return MachineUse(std::move(hold));
}

MachineUse::~MachineUse() {
    if (!m_hold) return;
    Hold::innermost = m_hold->outer;
    const bool hadTurn = m_hold->turn.open();
    m_hold->turn.close();
    // The work around this timing goes on.
    if (hadTurn && m_hold->outer) m_hold->outermost().take();
}

bool MachineUse::wanted() const {
    if (!m_hold->turn.open()) return false;
    const LockFile next(lockPlace().next);
    return next.open() && !next.tryLock(LOCK_EX);
}

void MachineUse::rest() {
    if (!m_hold->outer) m_hold->turn.close();
}

bool MachineUse::giveWay() {
    if (m_hold->outer) return true;
    if (m_hold->turn.open()) {
        if (!wanted()) return true;
        m_hold->turn.close(); // who is next has `next`, so that this one cannot come first
    }
    return m_hold->take();
}

void onMachineWait(std::function<void(const std::string &)> listener) {
    const std::lock_guard lock(g_listenerMutex);
    g_listener = std::move(listener);
}

std::string machineLockFolder() {
    const char *chosen = std::getenv("LOOPSCOPE_LOCK_FOLDER");
    if (chosen != nullptr && *chosen != '\0') return chosen;
    return fmt::format("/tmp/loopscope-{}", ::geteuid());
}

std::string machineLockProblem() { return lockPlace().problem; }

} // namespace loopscope
