#include "measure/kernel_answer.h"

#include "base/check.h"
#include "measure/answer/answer_check.h"
#include "measure/answer/reference_data.h"
#include "measure/worker_pool.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

/// Memory that a child of a child writes to, and this process reads.
class AnswerFile {
  public:
    explicit AnswerFile(size_t bytes) : m_fd(makeAnonymousFile()), m_bytes(bytes) {
        if (::fallocate(m_fd, 0, 0, static_cast<off_t>(bytes)) != 0) {
            ::close(m_fd);
            throw Error(
                fmt::format("the memory for {} bytes of outputs cannot be had: {}", bytes, std::strerror(errno)));
        }
    }
    ~AnswerFile() {
        if (m_map != nullptr) ::munmap(m_map, m_bytes);
        ::close(m_fd);
    }
    AnswerFile(const AnswerFile &) = delete;
    AnswerFile &operator=(const AnswerFile &) = delete;

    [[nodiscard]] int fd() const { return m_fd; }
    const std::byte *data() {
        if (m_map == nullptr) {
            void *mapped = ::mmap(nullptr, m_bytes, PROT_READ, MAP_SHARED, m_fd, 0);
            if (mapped == MAP_FAILED)
                throw Error(fmt::format("the outputs of the kernel cannot be mapped: {}", std::strerror(errno)));
            m_map = static_cast<std::byte *>(mapped);
        }
        return m_map;
    }

  private:
    int m_fd;
    size_t m_bytes;
    std::byte *m_map = nullptr;
};

size_t bytesOf(const Tensor &tensor) {
    auto bytes = static_cast<size_t>(dtypeBytes(tensor.dtype));
    for (const int64_t extent : tensor.shape) bytes *= static_cast<size_t>(extent);
    return bytes;
}

Refusal failed(TrialError error, const std::string &reason) {
    return {fmt::format("{}: {}", trialErrorName(error), reason)};
}

int inputFile(const ComputeDag &dag, std::vector<TensorValue> inputs) {
    const int fd = makeAnonymousFile();
    try {
        fillInputFile(fd, dag, std::move(inputs));
    } catch (...) {
        ::close(fd);
        throw;
    }
    return fd;
}

} // namespace

Outcome<KernelAnswer> runOnInputs(const Task &task, const Steps &steps, std::vector<TensorValue> inputs,
                                  const MeasureOptions &options, const std::atomic<bool> *cancel) {
    LOOPSCOPE_CHECK(options.runner == RunnerKind::Machine, "the executor keeps no answers");
    const Refusal ended{"it was ended before it had an answer"};
    WorkerPool pool(options);
    RunRequest request;
    request.task = pool.add(task, inputFile(*task.dag, std::move(inputs)));
    MeasureWatch watch;
    watch.cancel = cancel;
    std::optional<BuildReply> built =
        std::move(pool.builds().build({{request.task, stepsText(steps), Fault::None}}, watch).front());
    if (!built) return ended;
    if (built->error != TrialError::None) return failed(built->error, built->reason);

    size_t bytes = 0;
    for (const Tensor *arg : task.dag->args())
        if (!arg->op->isPlaceholder()) bytes += bytesOf(*arg);
    AnswerFile file(bytes);
    request.kernels = {std::move(built->kernel)};
    request.timeout = options.runTimeout;
    request.sampling = options.sampling;
    request.answers = true;
    std::optional<RunReply> reply = pool.runs().run(request, cancel, file.fd());
    if (!reply) return ended;
    if (reply->error != TrialError::None) return failed(reply->error, reply->reason);

    KernelAnswer answer;
    size_t at = 0;
    for (const Tensor *arg : task.dag->args()) {
        if (arg->op->isPlaceholder()) continue;
        answer.outputs.push_back(loadElements(arg->dtype, arg->shape, file.data() + at));
        at += bytesOf(*arg);
    }
    answer.trial.steps = steps;
    answer.trial.seconds = std::move(reply->samples.at(0));
    answer.trial.unstable = reply->unstable;
    answer.trial.buildSeconds = built->seconds;
    answer.trial.runSeconds = reply->seconds;
    answer.trial.timestamp = static_cast<int64_t>(std::time(nullptr));
    if (!pool.runs().note().empty()) answer.notes.push_back(pool.runs().note());
    return answer;
}

AnswerDifference differenceOf(const ComputeDag &dag, const KernelAnswer &answer, std::vector<TensorValue> expected) {
    AnswerDifference difference;
    size_t next = 0;
    for (const Tensor *arg : dag.args()) {
        if (arg->op->isPlaceholder()) continue;
        TensorValue &reference = expected[next];
        openOverflows(reference);
        std::vector<std::byte> got(bytesOf(*arg));
        storeElements(answer.outputs[next++], got.data());
        const auto *values = isFloat(reference.dtype) ? reinterpret_cast<const std::byte *>(reference.floats.data())
                                                      : reinterpret_cast<const std::byte *>(reference.integers.data());
        const AnswerCheck check = checkAnswer({tensorText(*arg), true, arg->dtype, arg->shape, {}}, values,
                                              reference.bounds.empty() ? nullptr : reference.bounds.data(), got.data());
        difference.maxError = std::max(difference.maxError, check.maxError);
        if (difference.problem.empty()) difference.problem = check.problem;
    }
    return difference;
}

} // namespace loopscope
