#include "peers/peer.h"

#include "peers/open_peers.h"

#include <array>
#include <mutex>

namespace loopscope {

namespace {

struct Entry {
    PeerKind kind;
    std::string_view name;
    Outcome<std::shared_ptr<const Peer>> (*open)(bool ownChoice);
};

constexpr std::array<Entry, 3> entries{{{PeerKind::OpenBlas, "openblas", openOpenBlas},
                                        {PeerKind::OneDnn, "onednn", openOneDnn},
                                        {PeerKind::Blis, "blis", openBlis}}};

} // namespace

std::span<const PeerKind> allPeers() {
    static constexpr std::array<PeerKind, 3> kinds{PeerKind::OpenBlas, PeerKind::OneDnn, PeerKind::Blis};
    return kinds;
}

std::string_view peerName(PeerKind kind) { return entries[size_t(kind)].name; }

std::optional<PeerKind> peerFromName(std::string_view name) {
    for (const Entry &entry : entries)
        if (entry.name == name) return entry.kind;
    return std::nullopt;
}

Outcome<std::shared_ptr<const Peer>> openPeer(PeerKind kind, bool ownChoice) {
    static std::mutex mutex;
    static std::array<std::optional<Outcome<std::shared_ptr<const Peer>>>, entries.size()> opened;
    const std::lock_guard lock(mutex);
    auto &peer = opened[size_t(kind)];
    if (!peer) peer = entries[size_t(kind)].open(ownChoice);
    return *peer;
}

} // namespace loopscope
