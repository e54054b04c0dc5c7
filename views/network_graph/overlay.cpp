#include "views/network_graph/overlay.h"

#include "views/session/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

constexpr int kScaleSteps = 4;
constexpr double kDecades = 3; // of errors that shades tell apart

QString wording(const char *text) { return QCoreApplication::translate("NetworkOverlay", text); }

/// Something of kernels, of which each is known by the nodes of the file that it computes, at the node of each that
/// computes most.
std::vector<double> atHeaviest(const NetworkFacts &facts, const std::vector<std::set<std::string>> &kernels,
                               const std::vector<double> &values) {
    std::vector<double> atNode(facts.nodes.size());
    std::map<std::string, std::vector<size_t>> nodesOf; // by name in the file
    for (size_t i = 0; i < facts.nodes.size(); ++i)
        if (facts.nodes[i].id.value >= 0)
            for (const std::string &source : facts.nodes[i].sources) nodesOf[source].push_back(i);
    for (size_t kernel = 0; kernel < kernels.size(); ++kernel) {
        std::optional<size_t> heaviest;
        for (const std::string &source : kernels[kernel])
            for (const size_t node : nodesOf[source])
                if (!heaviest || facts.nodes[node].flops > facts.nodes[*heaviest].flops ||
                    (facts.nodes[node].flops == facts.nodes[*heaviest].flops && node < *heaviest))
                    heaviest = node;
        if (heaviest) atNode[*heaviest] += values[kernel];
    }
    return atNode;
}

/// What every kernel reads and writes, weights among it.
std::vector<double> bytesOfKernels(const NetworkKernels &kernels) {
    const auto bytesOf = [&](ValueId value) -> double {
        if (const HostTensor *constant = kernels.function->constant(value))
            return static_cast<double>(constant->byteSize());
        const auto &type = kernels.function->value(value).type;
        const auto dims = type ? constantDims(type->dims) : std::nullopt;
        return dims ? static_cast<double>(std::max<int64_t>(0, elementCount(*dims)) * dtypeBytes(type->dtype)) : 0;
    };
    std::vector<double> bytes;
    for (const Kernel &kernel : kernels.partition.kernels) {
        double sum = 0;
        if (kernel.runs()) {
            for (const ValueId input : kernel.inputs) sum += bytesOf(input);
            for (const ValueId output : kernel.outputs) sum += bytesOf(output);
        }
        bytes.push_back(sum);
    }
    return bytes;
}

double ratioOf(const CallVerdict &verdict) {
    if (verdict.ok) return verdict.tolerance > 0 ? verdict.error / verdict.tolerance : 0;
    const double ratio = verdict.tolerance > 0 ? verdict.error / verdict.tolerance : HUGE_VAL;
    return std::isnan(ratio) ? HUGE_VAL : std::max(ratio, 1.0);
}

bool addsUp(Overlay overlay) { return overlay != Overlay::Roofline && overlay != Overlay::Error; }

} // namespace

QString overlayName(Overlay overlay) {
    switch (overlay) {
    case Overlay::None:
        return wording("kinds of operators");
    case Overlay::Flops:
        return wording("FLOPs");
    case Overlay::Bytes:
        return wording("bytes moved");
    case Overlay::Weights:
        return wording("bytes of weights");
    case Overlay::Activations:
        return wording("bytes of results");
    case Overlay::Time:
        return wording("time");
    case Overlay::Roofline:
        return wording("share of roofline");
    case Overlay::Error:
        return wording("error");
    }
    return {};
}

QString overlayText(double value, Overlay overlay) {
    switch (overlay) {
    case Overlay::Time:
        return timeText(value);
    case Overlay::Roofline:
        return wording("%1 of the roofline").arg(percentText(value));
    case Overlay::Error:
        return std::isfinite(value) ? wording("error %1 of what is allowed").arg(percentText(value))
                                    : wording("error beyond all numbers");
    case Overlay::Flops: {
        const QString count = countText(value);
        return (count.contains(u' ') ? count : count + u' ') + QStringLiteral("FLOP");
    }
    default:
        return bytesText(static_cast<int64_t>(value));
    }
}

QString overlayMissing(Overlay overlay, const NetworkKernels *kernels, const NetworkProfile *profile) {
    if (overlay == Overlay::Bytes && kernels == nullptr) return wording("The kernels of the network are not known yet");
    const bool ofRun = overlay == Overlay::Time || overlay == Overlay::Roofline || overlay == Overlay::Error;
    if (ofRun && profile == nullptr) return wording("Run the network first (Network profile)");
    if (overlay == Overlay::Error && !profile->checked())
        return wording("Run the network with its answers checked first (Network profile)");
    return {};
}

OverlayValues::OverlayValues(Overlay overlay, const NetworkFacts &facts, OverlaySource source)
    : m_overlay(overlay), m_source(std::move(source)) {
    m_amounts.assign(facts.nodes.size(), 0.0);
    m_calls.resize(facts.nodes.size());
    const auto each = [&](auto amount) { std::ranges::transform(facts.nodes, m_amounts.begin(), amount); };
    switch (overlay) {
    case Overlay::None:
        break;
    case Overlay::Flops:
        each([](const NodeFact &node) { return node.flops; });
        break;
    case Overlay::Weights:
        each([](const NodeFact &node) { return static_cast<double>(node.weightBytes); });
        break;
    case Overlay::Activations:
        each([](const NodeFact &node) { return static_cast<double>(node.activationBytes); });
        break;
    case Overlay::Bytes:
        if (m_source.kernels)
            m_amounts = atHeaviest(facts, m_source.kernels->sources, bytesOfKernels(*m_source.kernels));
        break;
    case Overlay::Time:
        m_amounts = secondsOfNodes(facts, m_source.profile.get());
        break;
    case Overlay::Roofline:
    case Overlay::Error:
        if (!m_source.profile) break;
        for (size_t call = 0; call < m_source.profile->sources.size(); ++call) {
            for (const int node : facts.nodesOf(m_source.profile->sources[call]))
                if (facts.nodes[static_cast<size_t>(node)].id.value >= 0)
                    m_calls[static_cast<size_t>(node)].push_back(call);
            if (const CallVerdict *one = verdict(call); one != nullptr && !one->ok)
                m_firstWrong = std::min(m_firstWrong, call);
        }
        break;
    }
    m_all = std::accumulate(m_amounts.begin(), m_amounts.end(), 0.0);
}

std::set<size_t> OverlayValues::callsOf(const std::vector<int> &nodes) const {
    std::set<size_t> calls;
    for (const int node : nodes) {
        const auto &some = m_calls[static_cast<size_t>(node)];
        calls.insert(some.begin(), some.end());
    }
    return calls;
}

const CallVerdict *OverlayValues::verdict(size_t call) const {
    if (m_overlay != Overlay::Error || call >= m_source.profile->verdicts.size()) return nullptr;
    const auto &one = m_source.profile->verdicts[call];
    return one ? &*one : nullptr;
}

double OverlayValues::of(const std::vector<int> &nodes) const {
    if (addsUp(m_overlay)) {
        double sum = 0;
        for (const int node : nodes) sum += m_amounts[static_cast<size_t>(node)];
        return sum;
    }
    double least = 0, took = 0, worst = -1;
    for (const size_t call : callsOf(nodes)) {
        if (const CallVerdict *one = verdict(call)) worst = std::max(worst, ratioOf(*one));
        if (call >= m_source.rooflines.size() || m_source.rooflines[call].share < 0) continue;
        least += m_source.rooflines[call].seconds;
        took += m_source.profile->profile.calls[call].time.median;
    }
    if (m_overlay == Overlay::Error) return worst;
    return took > 0 ? least / took : -1;
}

QString OverlayValues::words(const std::vector<int> &nodes) const {
    const double value = of(nodes);
    if (m_overlay == Overlay::None || value < 0) return {};
    QString text = overlayText(value, m_overlay);
    if (addsUp(m_overlay))
        return value > 0 ? QStringLiteral("%1, %2").arg(text, percentText(value / m_all)) : QString();
    if (firstWrong(nodes)) return wording("FIRST WRONG: %1").arg(text);
    if (wrong(nodes)) return wording("WRONG: %1").arg(text);
    return text;
}

bool OverlayValues::wrong(const std::vector<int> &nodes) const {
    return std::ranges::any_of(callsOf(nodes), [this](size_t call) {
        const CallVerdict *one = verdict(call);
        return one != nullptr && !one->ok;
    });
}

bool OverlayValues::firstWrong(const std::vector<int> &nodes) const { return callsOf(nodes).contains(m_firstWrong); }

std::vector<int> OverlayValues::firstWrongNodes() const {
    std::vector<int> nodes;
    for (size_t node = 0; node < m_calls.size(); ++node)
        if (std::ranges::count(m_calls[node], m_firstWrong) > 0) nodes.push_back(static_cast<int>(node));
    return nodes;
}

double overlayHeat(Overlay overlay, double value, double most) {
    switch (overlay) {
    case Overlay::None:
        return -1;
    case Overlay::Roofline:
        return std::clamp(value, 0.0, 1.0);
    case Overlay::Error: // shades go with decades: errors that are a thousandth of what is allowed are no news
        return value <= 0 ? 0 : std::clamp(1 + std::log10(value) / kDecades, 0.0, 1.0);
    default: // with the square root, so that a tenth of the most is still told from nothing
        return most > 0 ? std::sqrt(std::max(0.0, value) / most) : -1;
    }
}

std::vector<LegendStep> overlayScale(Overlay overlay, double most) {
    std::vector<LegendStep> steps;
    if (overlay == Overlay::Error) {
        steps.push_back({wording("wrong"), 1, true});
        for (const double value : {1.0, 0.1, 0.01})
            steps.push_back({percentText(value) + wording(" of what is allowed"), overlayHeat(overlay, value, most)});
        steps.push_back({wording("less, or not checked"), 0});
        return steps;
    }
    for (int step = kScaleSteps; step >= 0; --step) {
        const double part = static_cast<double>(step) / kScaleSteps;
        if (overlay == Overlay::Roofline)
            steps.push_back({step == 0 ? wording("nothing, or not known") : percentText(part), part});
        else
            steps.push_back({step == 0 ? wording("nothing") : overlayText(most * part * part, overlay), part});
    }
    return steps;
}

std::vector<double> secondsOfNodes(const NetworkFacts &facts, const NetworkProfile *profile) {
    if (profile == nullptr) return std::vector<double>(facts.nodes.size());
    std::vector<double> seconds;
    for (const CallProfile &call : profile->profile.calls) seconds.push_back(call.time.median);
    return atHeaviest(facts, profile->sources, seconds);
}

} // namespace loopscope
