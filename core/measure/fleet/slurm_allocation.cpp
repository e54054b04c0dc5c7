#include "measure/fleet/slurm_allocation.h"

#include "base/isolate/run_program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sstream>
#include <unistd.h>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLookAtQueue = 5;     // seconds
constexpr double kGiveBackWithin = 10; // seconds that salloc has to give the nodes back

/// Reasons that no waiting ends, as long as the cluster stays as it is.
constexpr std::array<std::string_view, 6> kMayNeverStart{"PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit",
                                                         "BadConstraints",  "InvalidAccount",     "InvalidQOS"};

std::string variable(const char *name) {
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// "12" of "salloc: Pending job allocation 12".
std::string jobOf(const std::string &line) {
    const size_t at = line.find("job allocation ");
    if (at == std::string::npos) return {};
    const size_t from = at + std::string_view("job allocation ").size();
    return line.substr(from, line.find_first_not_of("0123456789", from) - from);
}

/// Why it waits, and behind how many; empty where Slurm does not say.
std::string queueText(const std::string &job) {
    const auto listed =
        runProgram({"/usr/bin/env", "squeue", "--noheader", "--states=PENDING", "--sort=-p,i", "--format=%i %r"},
                   {.timeout = 5, .maxBytes = size_t{1} << 20});
    if (!listed || !listed->succeeded()) return {};
    std::istringstream lines(listed->output);
    std::string number, reason;
    for (size_t before = 0; lines >> number && std::getline(lines, reason); ++before) {
        if (number != job) continue;
        reason.erase(0, std::min(reason.find_first_not_of(' '), reason.size()));
        if (reason.empty() || reason == "None") reason = "its turn";
        std::string text =
            fmt::format("job {} waits for {}, {} job{} before it", job, reason, before, before == 1 ? "" : "s");
        if (std::ranges::find(kMayNeverStart, reason) != kMayNeverStart.end())
            text += "; as it is asked for it may never start: fewer nodes, another partition or less time may help";
        return text;
    }
    return {};
}

/// What Slurm said last that is an error, without the program in front.
std::string errorOf(const std::vector<std::string> &lines) {
    std::string error;
    for (const std::string &line : lines) {
        const size_t at = line.find("error: ");
        if (at != std::string::npos) error += (error.empty() ? "" : "; ") + line.substr(at + 7);
    }
    return error;
}

} // namespace

std::optional<Refusal> SlurmAllocation::take(std::string_view job, std::string_view hosts, std::string_view cpus) {
    m_job = job;
    const auto names = hostsOf(hosts);
    if (!names) return names.refusal();
    const auto counts = cpusOf(cpus);
    if (!counts) return counts.refusal();
    if (names->size() != counts->size())
        return Refusal{fmt::format("Slurm names {} nodes and processors of {}", names->size(), counts->size())};
    for (size_t i = 0; i < names->size(); ++i) m_nodes.push_back({(*names)[i], (*counts)[i]});
    return std::nullopt;
}

Outcome<std::unique_ptr<SlurmAllocation>> SlurmAllocation::make(const SlurmChoice &choice,
                                                                const std::function<void(const std::string &)> &tell,
                                                                const std::atomic<bool> *cancel) {
    std::unique_ptr<SlurmAllocation> made(new SlurmAllocation);
    if (const std::string job = variable("SLURM_JOB_ID"); !job.empty()) {
        if (auto wrong = made->take(job, variable("SLURM_JOB_NODELIST"), variable("SLURM_JOB_CPUS_PER_NODE")))
            return Refusal{"the job that this runs in: " + wrong->sentence};
        return made;
    }
    // Whole nodes. What holds them is a shell here that ends with its standard input, and so with this process; salloc
    // itself is told to end, too, should this process die while it waits.
    std::vector<std::string> words{"salloc",
                                   fmt::format("--nodes={}", choice.nodes),
                                   "--exclusive",
                                   "--no-kill",
                                   "--job-name=loopscope",
                                   "--kill-command=TERM"};
    for (const auto &[option, value] :
         {std::pair{"--partition=", &choice.partition}, std::pair{"--constraint=", &choice.constraint},
          std::pair{"--account=", &choice.account}, std::pair{"--time=", &choice.time}})
        if (!value->empty()) words.push_back(option + *value);
    words.insert(words.end(), {"/bin/sh", "-c",
                               "echo \"$SLURM_JOB_ID $SLURM_JOB_NODELIST $SLURM_JOB_CPUS_PER_NODE\"; exec cat "
                               ">/dev/null"});
    auto started = PipedChild::start(made->m_spawner, words, SIGTERM);
    if (!started) return Refusal{started.why() + "; the runner slurm needs Slurm's commands (Debian: slurm-client)"};
    made->m_holder = std::move(started).value();
    PipedChild &holder = *made->m_holder;
    holder.patience = kGiveBackWithin;
    std::string job, said;
    std::vector<std::string> complaints;
    auto looked = Clock::now();
    while (said.find('\n') == std::string::npos) {
        pollfd readable{holder.output(), POLLIN, 0};
        ::poll(&readable, 1, kPollMilliseconds);
        char block[4096];
        for (ssize_t n = ::read(holder.output(), block, sizeof block); n > 0;
             n = ::read(holder.output(), block, sizeof block))
            said.append(block, static_cast<size_t>(n));
        for (std::string &line : holder.complaints()) {
            if (const std::string number = jobOf(line); !number.empty() && number != job) {
                job = number;
                looked = Clock::time_point(); // at once
            }
            complaints.push_back(std::move(line));
        }
        if (cancel != nullptr && *cancel) {
            holder.signal(SIGINT);
            return std::unique_ptr<SlurmAllocation>();
        }
        if (holder.ended() && said.find('\n') == std::string::npos) {
            for (std::string &line : holder.complaints()) complaints.push_back(std::move(line));
            const std::string error = errorOf(complaints);
            return Refusal{"Slurm gives no nodes: " + (error.empty() ? "salloc " + holder.howItEnded() : error)};
        }
        if (!job.empty() && std::chrono::duration<double>(Clock::now() - looked).count() > kLookAtQueue) {
            looked = Clock::now();
            if (const std::string text = queueText(job); !text.empty() && tell) tell(text);
        }
    }
    std::istringstream words2(said);
    std::string number, hosts, cpus;
    words2 >> number >> hosts >> cpus;
    if (auto wrong = made->take(number, hosts, cpus)) return *wrong;
    return made;
}

/// The shell's input ends with the holder, then salloc gives the nodes back.
SlurmAllocation::~SlurmAllocation() = default;

} // namespace loopscope
