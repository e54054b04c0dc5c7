#include "deploy/plan/library_routine.h"

#include "base/outcome.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

struct Operand {
    const char *name;
    int argument;
    size_t elements;
    bool output;
};

/// Those that the problem has, with the elements that they reach over.
std::vector<Operand> operandsOf(const LibraryRoutine &routine) {
    const BaselineSizes sizes = bufferSizes(routine.problem);
    std::vector<Operand> all = {{"data", routine.data, sizes.data, false}, {"out", routine.out, sizes.out, true}};
    if (sizes.weights > 0) all.push_back({"weights", routine.weights, sizes.weights, false});
    const BaselineTail tail = tailOf(routine.problem);
    if (tail.bias) all.push_back({"bias", routine.bias, sizes.channels, false});
    if (tail.scale) all.push_back({"scale", routine.scale, sizes.channels, false});
    if (tail.offset) all.push_back({"offset", routine.offset, sizes.channels, false});
    if (tail.residual) all.push_back({"residual", routine.residual, sizes.out, false});
    return all;
}

} // namespace

std::optional<std::string> problemOf(const LibraryRoutine &routine, std::span<const KernelArg> args) {
    if (!baselineFromName(routine.library))
        return fmt::format("is offloaded to the library `{}`, which is not known", routine.library);
    for (const Operand &operand : operandsOf(routine)) {
        const auto at = static_cast<size_t>(operand.argument);
        if (operand.argument < 0 || at >= args.size() || args[at].dtype != DType::Float32 ||
            args[at].output != operand.output || !args[at].packing.empty())
            return fmt::format("has no argument that can be the {} of {}", operand.name, describe(routine.problem));
        if (operand.elements > static_cast<size_t>(args[at].elements))
            return fmt::format("hands {} elements to {} as its {}, which has {}", args[at].elements,
                               describe(routine.problem), operand.name, operand.elements);
    }
    return std::nullopt;
}

std::unique_ptr<PreparedBaseline> prepareRoutine(const LibraryRoutine &routine, void *const *arguments, int threads) {
    const auto kind = baselineFromName(routine.library);
    if (!kind) throw Error(fmt::format("the library `{}` is not known", routine.library));
    const auto library = openBaseline(*kind);
    if (!library) throw Error(fmt::format("a kernel is offloaded to a library: {}", library.why()));
    const auto floats = [&](int argument) {
        return argument < 0 ? nullptr : static_cast<float *>(arguments[argument]);
    };
    BaselineBuffers buffers;
    buffers.data = floats(routine.data);
    buffers.weights = floats(routine.weights);
    buffers.bias = floats(routine.bias);
    buffers.scale = floats(routine.scale);
    buffers.offset = floats(routine.offset);
    buffers.out = floats(routine.out);
    buffers.residual = floats(routine.residual);
    auto prepared = (*library)->prepare(routine.problem, buffers, threads);
    if (!prepared)
        throw Error(fmt::format("a kernel is left to {}, which does not compute {}: {}", (*library)->name(),
                                describe(routine.problem), prepared.why()));
    return std::move(prepared).value();
}

} // namespace loopscope
