#include "measure/baselines/baseline_process.h"

#include "base/isolate/wire.h"
#include "measure/answer/reference_data.h"
#include "measure/baselines/baseline_messages.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <unistd.h>

namespace loopscope {

namespace {

constexpr double kPatience = 120; // seconds; then a library is taken not to return

void copyIn(int file, const BaselineFile::Place &place, const float *from) {
    size_t done = 0;
    while (done < place.bytes) {
        const ssize_t n = ::pwrite(file, reinterpret_cast<const char *>(from) + done, place.bytes - done,
                                   static_cast<off_t>(place.offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw Error(std::string("no memory for the operands of a library: ") + std::strerror(errno));
        done += static_cast<size_t>(n);
    }
}

void copyOut(int file, size_t offset, size_t bytes, float *to) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t n =
            ::pread(file, reinterpret_cast<char *>(to) + done, bytes - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw Error(std::string("the result of a library cannot be read: ") + std::strerror(errno));
        done += static_cast<size_t>(n);
    }
}

} // namespace

BaselineProcess::BaselineProcess(BaselineKind kind, const std::string &path)
    : m_kind(kind), m_file(makeAnonymousFile()),
      m_child(std::make_unique<ChildProcess>(m_spawner, path, "baseline", m_file)) {}

BaselineProcess::~BaselineProcess() {
    m_child.reset();
    ::close(m_file);
}

Outcome<BaselineReply> BaselineProcess::ask(const BaselineRequest &request, const char *doing) {
    if (!m_child) return Refusal{m_end};
    std::string message;
    auto wait = ChildProcess::Wait::Ended;
    if (m_child->channel().send(encode(request))) wait = m_child->waitForMessage(message, kPatience, nullptr);
    if (wait == ChildProcess::Wait::Message) {
        try {
            BaselineReply reply = decodeBaselineReply(message);
            if (!reply.refusal.empty()) return Refusal{std::move(reply.refusal)};
            return reply;
        } catch (const WireError &) {
            m_end = std::string("the library corrupted its process while it was ") + doing;
        }
    } else if (wait == ChildProcess::Wait::TimedOut) {
        m_end = std::string("the library did not return within ") + std::to_string(static_cast<int>(kPatience)) +
                " s while it was " + doing;
    } else {
        m_end = std::string("the library's process ") + m_child->howItEnded() + ", while it was " + doing;
    }
    m_child.reset();
    return Refusal{m_end};
}

Outcome<std::unique_ptr<BaselineProcess>> BaselineProcess::start(BaselineKind kind, const std::string &workerPath) {
    const std::string path = workerProgram(workerPath);
    BaselineRequest request;
    request.order = BaselineOrder::Open;
    request.kind = kind;
    for (const bool ownChoice : {false, true}) {
        std::unique_ptr<BaselineProcess> process(new BaselineProcess(kind, path));
        request.ownChoice = ownChoice;
        const auto reply = process->ask(request, "opened");
        // What helps it on one processor ends it on another: once more as it is by itself.
        if (!reply && process->died() && !ownChoice) continue;
        if (!reply) return reply.refusal();
        process->m_name = reply->name;
        process->m_restSeconds = reply->restSeconds;
        return process;
    }
    return Refusal{"the library cannot be opened"}; // not reached: the second turn always returns
}

Outcome<std::string> BaselineProcess::prepare(const BaselineProblem &problem, const BaselineBuffers &buffers,
                                              int threads) {
    const BaselineFile places(problem);
    if (::ftruncate(m_file, static_cast<off_t>(places.bytes)) != 0)
        throw Error(std::string("no memory for the operands of a library: ") + std::strerror(errno));
    copyIn(m_file, places.data, buffers.data);
    copyIn(m_file, places.weights, buffers.weights);
    copyIn(m_file, places.bias, buffers.bias);
    copyIn(m_file, places.scale, buffers.scale);
    copyIn(m_file, places.offset, buffers.offset);
    copyIn(m_file, places.residual, buffers.residual);
    m_outOffset = places.out.offset;
    m_outBytes = places.out.bytes;
    BaselineRequest request;
    request.order = BaselineOrder::Prepare;
    request.problem = problem;
    request.threads = threads;
    const auto reply = ask(request, "prepared");
    if (!reply) return reply.refusal();
    return reply->implementation;
}

Outcome<size_t> BaselineProcess::compute(float *out) {
    BaselineRequest request;
    request.order = BaselineOrder::Compute;
    const auto reply = ask(request, "computing");
    if (!reply) return reply.refusal();
    copyOut(m_file, m_outOffset, m_outBytes, out);
    return m_outBytes / sizeof(float);
}

Outcome<double> BaselineProcess::time(int64_t calls) {
    BaselineRequest request;
    request.order = BaselineOrder::Time;
    request.calls = calls;
    const auto reply = ask(request, "timed");
    if (!reply) return reply.refusal();
    return reply->seconds;
}

} // namespace loopscope
