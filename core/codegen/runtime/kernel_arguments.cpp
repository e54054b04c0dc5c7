#include "codegen/runtime/kernel_arguments.h"

#include "base/check.h"
#include "base/outcome.h"
#include "codegen/runtime/large_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace loopscope {

namespace {

constexpr size_t kAlign = 64;       // guaranteed to kernels at an argument's first byte
constexpr size_t kStagger = 5 * 64; // between the page offsets of two buffers
constexpr std::byte kCanary{0xa5};

size_t roundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

size_t pageBytes() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

} // namespace

void packElements(const KernelArg &arg, const std::byte *from, std::byte *to) {
    const auto bytes = static_cast<size_t>(dtypeBytes(arg.dtype));
    const size_t dims = arg.packing.size();
    std::vector<int64_t> originStride(arg.shape.size(), 1);
    for (size_t d = arg.shape.size(); d-- > 1;) originStride[d - 1] = originStride[d] * arg.shape[d];
    std::vector<int64_t> index(dims, 0);              // packed
    std::vector<int64_t> origin(arg.shape.size(), 0); // where that is in the tensor
    for (int64_t element = 0; element < arg.elements; ++element, to += bytes) {
        int64_t flat = 0;
        bool inside = true;
        for (size_t d = 0; d < origin.size(); ++d) {
            inside = inside && origin[d] < arg.shape[d];
            flat += origin[d] * originStride[d];
        }
        if (inside) {
            std::memcpy(to, from + static_cast<size_t>(flat) * bytes, bytes);
        } else {
            std::memset(to, 0, bytes);
        }
        for (size_t p = dims; p-- > 0;) {
            const PackedDim &dim = arg.packing[p];
            int64_t &at = origin[static_cast<size_t>(dim.origin)];
            at += dim.stride;
            if (++index[p] < dim.extent) break;
            at -= dim.stride * dim.extent;
            index[p] = 0;
        }
    }
}

namespace {

/// How often weights are there, so that reading all of the copies moves so many bytes.
size_t copiesOfWeights(const std::vector<KernelArg> &args, int64_t weightBytes) {
    constexpr size_t kMost = 16384; // smaller weights than are copied so often are a few lines of cache
    size_t own = 0;
    for (const KernelArg &arg : args) own += arg.weights ? roundUp(argBytes(arg), kAlign) : 0;
    if (own == 0 || weightBytes <= 0) return 1;
    return std::clamp((static_cast<size_t>(weightBytes) + own - 1) / own, size_t{1}, kMost);
}

} // namespace

TimingArguments::TimingArguments(const std::vector<KernelArg> &args, const ArgumentData &data)
    : m_calls(copiesOfWeights(args, data.weightBytes)) {
    LOOPSCOPE_CHECK(args.size() == data.inputs.size(), "every argument of a kernel has data or is an output");
    std::vector<size_t> offsets;
    size_t at = 0;
    for (size_t i = 0; i < args.size(); ++i) {
        LOOPSCOPE_CHECK(args[i].output == (data.inputs[i] == nullptr), "inputs have data, outputs have none");
        at = roundUp(at, pageBytes()) + i * kStagger;
        offsets.push_back(at);
        at += argBytes(args[i]);
    }
    for (size_t call = 1; call < m_calls; ++call) {
        for (size_t i = 0; i < args.size(); ++i) {
            if (args[i].weights) at = roundUp(at, kAlign);
            offsets.push_back(args[i].weights ? at : offsets[i]);
            if (args[i].weights) at += argBytes(args[i]);
        }
    }
    // As the memory of a network (plan_runner.cpp) where the kernel is timed as one of a network.
    m_memory = data.weightBytes > 0 ? allocateLarge(at) : std::aligned_alloc(pageBytes(), roundUp(at, pageBytes()));
    if (m_memory == nullptr) throw Error(fmt::format("{} bytes for the arguments cannot be had", at));
    for (size_t i = 0; i < offsets.size(); ++i) {
        auto *to = static_cast<std::byte *>(m_memory) + offsets[i];
        m_pointers.push_back(to);
        const KernelArg &arg = args[i % args.size()];
        if (i >= args.size()) {
            if (arg.weights) std::memcpy(to, m_pointers[i % args.size()], argBytes(arg));
        } else if (arg.output) {
            std::memset(to, data.poison, argBytes(arg));
        } else if (!arg.packing.empty()) {
            packElements(arg, data.inputs[i], to);
        } else {
            std::memcpy(to, data.inputs[i], argBytes(arg));
        }
    }
}

TimingArguments::~TimingArguments() { std::free(m_memory); }

GuardedArguments::GuardedArguments(const std::vector<KernelArg> &args, std::vector<const std::byte *> source,
                                   GuardSide side)
    : m_args(&args), m_source(std::move(source)) {
    const size_t page = pageBytes();
    for (size_t i = 0; i < args.size(); ++i) {
        const size_t bytes = argBytes(args[i]);
        // Kernels rely on the alignment of the first byte, so up to 63 bytes may lie between the last one and the guard
        // page; a canary in them tells whether they were written.
        const size_t padded = std::max(roundUp(bytes, kAlign), kAlign);
        m_buffers.emplace_back(padded, side == GuardSide::Start);
        auto *data = static_cast<std::byte *>(m_buffers.back().data());
        m_pointers.push_back(data);
        m_slack.push_back(padded - bytes);
        std::memcpy(data, m_source[i], bytes);
        std::memset(data + bytes, static_cast<int>(kCanary), padded - bytes);
        const auto first = reinterpret_cast<uintptr_t>(data);
        const uintptr_t low = first / page * page;
        const uintptr_t high = roundUp(first + padded, page);
        m_guards.push_back({low - page, low, false});
        m_guards.push_back({high, high + page, true});
    }
}

std::string GuardedArguments::trespass() const {
    for (size_t i = 0; i < m_args->size(); ++i) {
        const KernelArg &arg = (*m_args)[i];
        const size_t size = argBytes(arg);
        for (size_t k = 0; k < m_slack[i]; ++k) {
            if (bytes(i)[size + k] != kCanary) {
                return fmt::format("it wrote {} bytes past the end of {} `{}`", k + 1, arg.output ? "output" : "input",
                                   arg.name);
            }
        }
        if (!arg.output && std::memcmp(bytes(i), m_source[i], size) != 0)
            return fmt::format("it wrote into its input `{}`", arg.name);
    }
    return {};
}

} // namespace loopscope
