#include "measure/baselines/baseline_worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/sandbox.h"
#include "measure/baselines/baseline_messages.h"
#include "measure/messages.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <sys/mman.h>

namespace loopscope {

namespace {

/// `bytes` of memory; throws when there are none.
class Mapping {
  public:
    Mapping(size_t bytes, int flags, int fd) : m_bytes(std::max<size_t>(bytes, 1)) {
        void *map = ::mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
        if (map == MAP_FAILED) throw Error(std::string("no memory for the operands: ") + std::strerror(errno));
        m_map = static_cast<std::byte *>(map);
    }
    ~Mapping() { ::munmap(m_map, m_bytes); }
    Mapping(const Mapping &) = delete;
    Mapping &operator=(const Mapping &) = delete;
    [[nodiscard]] std::byte *at(size_t offset) const { return m_map + offset; }

  private:
    size_t m_bytes;
    std::byte *m_map = nullptr;
};

/// The operands where the library works on them: private memory, as an inference program has it, where no two begin at
/// the same offset in a page (see codegen/runtime/kernel_arguments.h).
class OwnOperands {
  public:
    OwnOperands(const BaselineFile &places, const Mapping &file)
        : m_memory(places.bytes + kOperands * 2 * kPage, MAP_PRIVATE | MAP_ANONYMOUS, -1) {
        buffers.data = take(places.data, file);
        buffers.weights = take(places.weights, file);
        buffers.bias = take(places.bias, file);
        buffers.scale = take(places.scale, file);
        buffers.offset = take(places.offset, file);
        buffers.residual = take(places.residual, file);
        buffers.out = take(places.out, file);
    }
    BaselineBuffers buffers;

  private:
    static constexpr size_t kOperands = 7;
    static constexpr size_t kPage = 4096;
    static constexpr size_t kBetween = 5 * size_t{64};

    float *take(const BaselineFile::Place &place, const Mapping &file) {
        if (place.bytes == 0) return nullptr;
        std::byte *at = m_memory.at((m_used + kPage - 1) / kPage * kPage + m_taken++ * kBetween);
        std::memcpy(at, file.at(place.offset), place.bytes);
        m_used = static_cast<size_t>(at - m_memory.at(0)) + place.bytes;
        return reinterpret_cast<float *>(at);
    }
    Mapping m_memory;
    size_t m_used = 0;
    size_t m_taken = 0;
};

class BaselineServer {
  public:
    BaselineReply answer(const BaselineRequest &request) {
        BaselineReply reply;
        switch (request.order) {
        case BaselineOrder::Open:
            open(request, reply);
            break;
        case BaselineOrder::Prepare:
            prepare(request, reply);
            break;
        case BaselineOrder::Compute: {
            const BaselineFile::Place place = m_places->out;
            std::fill_n(m_operands->buffers.out, place.bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
            m_prepared->run();
            std::memcpy(m_file->at(place.offset), m_operands->buffers.out, place.bytes);
            break;
        }
        case BaselineOrder::Time: {
            using Clock = std::chrono::steady_clock;
            m_prepared->run(); // wakes its threads and warms the caches after others
            const Clock::time_point start = Clock::now();
            for (int64_t call = 0; call < request.calls; ++call) m_prepared->run();
            reply.seconds = std::chrono::duration<double>(Clock::now() - start).count();
            break;
        }
        }
        return reply;
    }

  private:
    void open(const BaselineRequest &request, BaselineReply &reply) {
        const auto baseline = openBaseline(request.kind, request.ownChoice);
        if (!baseline) {
            reply.refusal = baseline.why();
            return;
        }
        m_baseline = *baseline;
        reply.name = m_baseline->name();
        reply.restSeconds = m_baseline->restSeconds();
    }

    void prepare(const BaselineRequest &request, BaselineReply &reply) {
        m_prepared.reset();
        m_operands.reset();
        m_places.emplace(request.problem);
        m_file = std::make_unique<Mapping>(m_places->bytes, MAP_SHARED, kWorkerDataFd);
        m_operands = std::make_unique<OwnOperands>(*m_places, *m_file);
        auto prepared = m_baseline->prepare(request.problem, m_operands->buffers, request.threads);
        if (!prepared) {
            reply.refusal = prepared.why();
            return;
        }
        m_prepared = std::move(prepared).value();
        reply.implementation = m_prepared->implementation();
    }

    std::shared_ptr<const Baseline> m_baseline;
    std::optional<BaselineFile> m_places;
    std::unique_ptr<Mapping> m_file;
    std::unique_ptr<OwnOperands> m_operands;
    std::unique_ptr<PreparedBaseline> m_prepared;
};

} // namespace

int serveBaseline() {
    restrictProcess(0);
    Channel channel(kWorkerChannelFd);
    BaselineServer server;
    while (const auto bytes = channel.receive()) {
        BaselineReply reply;
        try {
            reply = server.answer(decodeBaselineRequest(*bytes));
        } catch (const std::exception &problem) {
            reply.refusal = problem.what();
        }
        if (!channel.send(encode(reply))) return 0;
    }
    return 0;
}

} // namespace loopscope
