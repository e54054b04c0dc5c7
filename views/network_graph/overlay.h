#pragma once
// What the colour and the number of a box say: an amount of its nodes (operations, bytes, time), or what is known of
// the kernels that they belong to (how near the roofline, how far from the reference). Pure; made in a job.

#include "deploy/network/profile_rooflines.h"
#include "views/network_graph/network_facts.h"
#include "views/session/network_profile.h"

#include <limits>
#include <string>
#include <vector>

namespace loopscope {

enum class Overlay : uint8_t { None, Flops, Bytes, Weights, Activations, Time, Roofline, Error };
inline constexpr int kOverlays = 8;
QString overlayName(Overlay overlay); // "FLOPs"
/// "231.2 MFLOP", "9.2 KiB", "1.2 ms", "82.1 % of the roofline".
QString overlayText(double value, Overlay overlay);
/// Why nothing can be coloured by it now; empty: it can be.
QString overlayMissing(Overlay overlay, const NetworkKernels *kernels, const NetworkProfile *profile);

/// What is known beside the nodes themselves.
struct OverlaySource {
    NetworkKernelsPtr kernels;           // null: not known yet
    NetworkProfilePtr profile;           // null: it was not run
    std::vector<CallRoofline> rooflines; // by call of the profile; empty: nobody measured the machine
};

class OverlayValues {
  public:
    OverlayValues() = default;
    OverlayValues(Overlay overlay, const NetworkFacts &facts, OverlaySource source);

    /// Of some nodes together; negative: nothing is known. Errors are of what is allowed: above 1 is wrong.
    [[nodiscard]] double of(const std::vector<int> &nodes) const;
    /// "231.2 MFLOP, 2.8 %"; empty: nothing of it.
    [[nodiscard]] QString words(const std::vector<int> &nodes) const;
    /// A kernel of theirs computes something else than the reference.
    [[nodiscard]] bool wrong(const std::vector<int> &nodes) const;
    /// It is the first that does.
    [[nodiscard]] bool firstWrong(const std::vector<int> &nodes) const;
    /// Nodes of the first kernel that is wrong.
    [[nodiscard]] std::vector<int> firstWrongNodes() const;

  private:
    [[nodiscard]] std::set<size_t> callsOf(const std::vector<int> &nodes) const;
    [[nodiscard]] const CallVerdict *verdict(size_t call) const;

    Overlay m_overlay = Overlay::None;
    OverlaySource m_source;
    std::vector<double> m_amounts;            // by node, of what adds up
    double m_all = 0;                         // of all nodes
    std::vector<std::vector<size_t>> m_calls; // by node, of what is known of kernels
    size_t m_firstWrong = std::numeric_limits<size_t>::max();
};

/// 0 to 1, of a ground's colour; negative: that of its kind. `most`: of all boxes.
double overlayHeat(Overlay overlay, double value, double most);

/// A step of the scale.
struct LegendStep {
    QString text;
    double heat = 0;
    bool wrong = false;
};
std::vector<LegendStep> overlayScale(Overlay overlay, double most);

/// Seconds by node. A kernel's time is that of its node with most FLOPs, or of its first.
std::vector<double> secondsOfNodes(const NetworkFacts &facts, const NetworkProfile *profile);

} // namespace loopscope
