#include "schedule/state_key.h"

#include <cstring>

namespace loopscope {

namespace {

/// Two independent multiply-and-fold chains (in the manner of wyhash) over 64-bit words.
class KeyHash {
  public:
    void add(uint64_t word) {
        m_high = mix(m_high ^ word, 0xA0761D6478BD642Full);
        m_low = mix(m_low + word, 0xE7037ED1A0B428DBull) ^ (m_low >> 32);
    }
    void add(std::string_view text) {
        add(text.size());
        while (text.size() >= 8) {
            uint64_t word;
            std::memcpy(&word, text.data(), 8);
            add(word);
            text.remove_prefix(8);
        }
        if (text.empty()) return;
        uint64_t word = 0;
        std::memcpy(&word, text.data(), text.size());
        add(word);
    }
    [[nodiscard]] StateKey key() const { return {mix(m_high, m_low | 1), mix(m_low, m_high | 1)}; }

  private:
    static uint64_t mix(uint64_t a, uint64_t b) {
        const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    uint64_t m_high = 0x8EBC6AF09C88C6E3ull;
    uint64_t m_low = 0x589965CC75374CC3ull;
};

class StateHasher {
  public:
    explicit StateHasher(const LoopState &state) : m_state(state) {}

    StateKey hash() {
        for (size_t i = 0; i < m_state.stageCount(); ++i) {
            const Stage &stage = m_state.stage(StageId(i));
            if (stage.op->isPlaceholder()) m_hash.add(stage.op->name);
        }
        for (size_t i = 0; i < m_state.stageCount(); ++i) {
            const Stage &stage = m_state.stage(StageId(i));
            if (!stage.op->isPlaceholder() && stage.location == ComputeLocation::Root) addStage(StageId(i), 0);
        }
        return m_hash.key();
    }

  private:
    // One token per line of the text; its first word tells the kind of line and the depth.
    enum Line : uint64_t { Unroll, Offset, Loop, Body };
    void open(Line line, size_t depth) { m_hash.add(uint64_t(line) << 32 | depth); }

    void addStage(StageId id, size_t depth) {
        const Stage &stage = m_state.stage(id);
        if (stage.autoUnrollMaxStep > 0) {
            open(Unroll, depth);
            m_hash.add(stage.op->name);
            m_hash.add(static_cast<uint64_t>(stage.autoUnrollMaxStep));
        }
        if (stage.storageOffset != 0) {
            open(Offset, depth);
            m_hash.add(stage.op->name);
            m_hash.add(static_cast<uint64_t>(stage.storageOffset));
        }
        uint64_t loopsAttachedAt = 0; // bit per loop with stages attached; all set beyond 64
        for (size_t i = 0; i < m_state.stageCount(); ++i) {
            const AttachPoint at = m_state.attachedTo(StageId(i));
            if (at.stage == id) loopsAttachedAt |= at.iter.value < 64 ? uint64_t(1) << at.iter.value : ~uint64_t(0);
        }
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            if (iter.extent != 1) {
                open(Loop, depth);
                m_hash.add(static_cast<uint64_t>(iter.annotation));
                m_hash.add(iter.name);
                m_hash.add(static_cast<uint64_t>(iter.extent));
                m_hash.add(iter.known() ? static_cast<uint64_t>(iter.min) : 0);
                ++depth;
            }
            if ((loopsAttachedAt >> (i < 64 ? i : 63) & 1) == 0) continue;
            for (const StageId attached : m_state.attachedAt(id, IterId(i))) addStage(attached, depth);
        }
        open(Body, depth);
        m_hash.add(stage.op->name);
    }

    const LoopState &m_state;
    KeyHash m_hash;
};

} // namespace

StateKey stateKey(const LoopState &state) { return StateHasher(state).hash(); }

} // namespace loopscope
