#include "halide_peer.h"

#include "peer_pipelines.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace loopscope {

namespace {

std::vector<peer::NamedPeer> allPeers() {
    std::vector<peer::NamedPeer> all;
    for (const auto *some :
         {&peer::stencilPeers(), &peer::networkPeers(), &peer::pyramidPeers(), &peer::photographPeers()})
        all.insert(all.end(), some->begin(), some->end());
    return all;
}

Halide::Buffer<> bufferOn(const PeerArray &array, Halide::Type type, const std::vector<int> &min) {
    std::vector<int> extents;
    for (size_t i = array.shape.size(); i-- > 0;) extents.push_back(static_cast<int>(array.shape[i]));
    Halide::Buffer<> buffer(type, array.data, extents);
    if (!min.empty()) buffer.set_min(min);
    return buffer;
}

/// That of this machine. Whoever has bfloat16 vectors is a Sapphire Rapids to Halide, but others lack what that has
/// besides; their kernels would end at the first instruction of float16.
Halide::Target peerTarget() {
    Halide::Target target = Halide::get_jit_target_from_environment();
    if (!__builtin_cpu_supports("avx512fp16")) target.set_feature(Halide::Target::AVX512_SapphireRapids, false);
    return target;
}

void loadScheduler() {
    static const bool once = [] {
        Halide::load_plugin(LOOPSCOPE_HALIDE_SCHEDULER);
        return true;
    }();
    static_cast<void>(once);
}

} // namespace

struct HalidePeer::Impl {
    peer::PeerPipeline made;
    Halide::Pipeline pipeline;
    std::vector<Halide::Buffer<>> outputs;
    Halide::Target target;
};

std::vector<std::string> HalidePeer::names() {
    std::vector<std::string> names;
    for (const peer::NamedPeer &one : allPeers()) names.emplace_back(one.name);
    return names;
}

HalidePeer::HalidePeer(const std::string &name, const std::map<std::string, int64_t> &sizes, const PeerMachine &machine,
                       const std::vector<PeerArray> &inputs, const std::vector<PeerArray> &outputs)
    : m_impl(std::make_unique<Impl>()) {
    loadScheduler();
    const auto all = allPeers();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto &one) { return name == one.name; });
    if (found == all.end()) throw std::runtime_error(name + ": there is no such Halide pipeline");
    try {
        Impl &impl = *m_impl;
        impl.made = found->make(sizes);
        if (impl.made.inputs.size() != inputs.size() || impl.made.outputs.size() != outputs.size())
            throw std::runtime_error(name + ": the Halide pipeline has other inputs or outputs than the sample");
        for (size_t i = 0; i < inputs.size(); ++i) {
            Halide::ImageParam &input = impl.made.inputs[i];
            const Halide::Buffer<> buffer = bufferOn(inputs[i], input.type(), {});
            input.set(buffer);
            for (int d = 0; d < buffer.dimensions(); ++d)
                input.dim(d).set_estimate(buffer.dim(d).min(), buffer.dim(d).extent());
        }
        for (size_t i = 0; i < outputs.size(); ++i) {
            Halide::Func &output = impl.made.outputs[i];
            impl.outputs.push_back(bufferOn(outputs[i], output.output_types().front(), impl.made.outputMin));
            const Halide::Buffer<> &buffer = impl.outputs.back();
            Halide::Region region;
            for (int d = 0; d < buffer.dimensions(); ++d)
                region.emplace_back(buffer.dim(d).min(), buffer.dim(d).extent());
            output.set_estimates(region);
        }
        impl.pipeline = Halide::Pipeline(impl.made.outputs);
        impl.target = peerTarget();
        const auto begin = std::chrono::steady_clock::now();
        const auto result = impl.pipeline.auto_schedule(
            "Mullapudi2016", impl.target,
            Halide::MachineParams(static_cast<int>(machine.parallelism), static_cast<uint64_t>(machine.lastLevelCache),
                                  static_cast<float>(machine.balance)));
        m_scheduleSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        m_schedule = result.schedule_source;
        impl.pipeline.compile_jit(impl.target);
    } catch (const Halide::Error &error) {
        throw std::runtime_error(name + ": " + error.what());
    }
}

HalidePeer::~HalidePeer() = default;
HalidePeer::HalidePeer(HalidePeer &&) noexcept = default;

void HalidePeer::run() { m_impl->pipeline.realize(Halide::Realization(m_impl->outputs), m_impl->target); }

} // namespace loopscope
