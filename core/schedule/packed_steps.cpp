#include "schedule/packed_steps.h"

#include "check.h"

#include <concepts>
#include <string_view>
#include <type_traits>

namespace loopscope {

namespace {

template <typename T, typename Kind>
concept Either = std::same_as<std::remove_const_t<T>, Kind>; // written or read

// Every kind's fields once.
void pass(auto &io, Either<AnnotateStep> auto &s) { io(s.stage, s.iter, s.annotation); }
void pass(auto &io, Either<FuseStep> auto &s) { io(s.stage, s.iters); }
void pass(auto &io, Either<PragmaStep> auto &s) { io(s.stage, s.iter, s.text); }
void pass(auto &io, Either<ReorderStep> auto &s) { io(s.stage, s.order); }
void pass(auto &io, Either<SplitStep> auto &s) { io(s.stage, s.iter, s.extent, s.lengths, s.innerToOuter); }
void pass(auto &io, Either<FollowSplitStep> auto &s) { io(s.stage, s.iter, s.source, s.parts); }
void pass(auto &io, Either<FollowFusedSplitStep> auto &s) { io(s.stage, s.iter, s.sources, s.level, s.factor); }
void pass(auto &io, Either<StorageAlignStep> auto &s) { io(s.stage, s.iter, s.factor, s.offset); }
void pass(auto &io, Either<ComputeAtStep> auto &s) { io(s.stage, s.target, s.targetIter); }
void pass(auto &io, Either<ComputeInlineStep> auto &s) { io(s.stage); }
void pass(auto &io, Either<ComputeRootStep> auto &s) { io(s.stage); }
void pass(auto &io, Either<CacheReadStep> auto &s) { io(s.stage, s.scope, s.readers); }
void pass(auto &io, Either<CacheWriteStep> auto &s) { io(s.stage, s.scope); }
void pass(auto &io, Either<RfactorStep> auto &s) { io(s.stage, s.iter, s.factorIter); }

constexpr std::string_view kUnrollPragma = "auto_unroll_max_step$"; // most of the text in a list of steps

/// Numbers in seven bits a byte, small ones of either sign first.
class Writer {
  public:
    template <typename... Fields> void operator()(const Fields &...fields) { (put(fields), ...); }
    void number(uint64_t value) {
        for (; value >= 0x80; value >>= 7U) m_bytes += static_cast<char>(value | 0x80U);
        m_bytes += static_cast<char>(value);
    }
    [[nodiscard]] const std::string &bytes() const { return m_bytes; }

  private:
    void put(int64_t value) { number((static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63)); }
    void put(int value) { put(static_cast<int64_t>(value)); }
    void put(bool value) { number(value ? 1 : 0); }
    void put(Annotation value) { number(static_cast<uint64_t>(value)); }
    template <typename Tag> void put(Id<Tag> id) { put(id.value); }
    template <typename T> void put(const std::vector<T> &values) {
        number(values.size());
        for (const T &value : values) put(value);
    }
    void put(const std::string &text) {
        const bool unroll = text.starts_with(kUnrollPragma);
        const std::string_view rest = std::string_view(text).substr(unroll ? kUnrollPragma.size() : 0);
        number(rest.size() << 1U | (unroll ? 1U : 0U));
        m_bytes += rest;
    }
    std::string m_bytes;
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}
    template <typename... Fields> void operator()(Fields &...fields) { (get(fields), ...); }
    uint64_t number() {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<uint8_t>(m_bytes[m_at++]);
            value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) return value;
        }
    }
    std::string_view text(size_t length) {
        m_at += length;
        return m_bytes.substr(m_at - length, length);
    }

  private:
    void get(int64_t &value) {
        const uint64_t coded = number();
        value = static_cast<int64_t>(coded >> 1U) ^ -static_cast<int64_t>(coded & 1U);
    }
    void get(int &value) {
        int64_t wide = 0;
        get(wide);
        value = static_cast<int>(wide);
    }
    void get(bool &value) { value = number() != 0; }
    void get(Annotation &value) { value = static_cast<Annotation>(number()); }
    template <typename Tag> void get(Id<Tag> &id) { get(id.value); }
    template <typename T> void get(std::vector<T> &values) {
        values.resize(number());
        for (T &value : values) get(value);
    }
    void get(std::string &value) {
        const uint64_t coded = number();
        if ((coded & 1U) != 0) value = kUnrollPragma;
        value += text(coded >> 1U);
    }
    std::string_view m_bytes;
    size_t m_at = 0;
};

/// Goes past fields without making them.
class Skipper {
  public:
    explicit Skipper(Reader &reader) : m_reader(reader) {}
    template <typename... Fields> void operator()(const Fields &...fields) { (skip(fields), ...); }

  private:
    template <typename T> void skip(const T &) { m_reader.number(); }
    template <typename T> void skip(const std::vector<T> &) {
        for (uint64_t left = m_reader.number(); left > 0; --left) m_reader.number();
    }
    void skip(const std::string &) { m_reader.text(m_reader.number() >> 1U); }
    Reader &m_reader;
};

/// Calls `use` with an empty step of that kind.
template <size_t kind = 0, typename Use> void withKind(size_t wanted, Use &&use) {
    if constexpr (kind < std::variant_size_v<Step>) {
        if (wanted != kind) return withKind<kind + 1>(wanted, std::forward<Use>(use));
        std::variant_alternative_t<kind, Step> step;
        use(step);
    } else {
        LOOPSCOPE_CHECK(false, "packed steps hold a kind that does not exist");
    }
}

Step readStep(Reader &reader) {
    Step read;
    withKind(reader.number(), [&](auto &step) {
        pass(reader, step);
        read = std::move(step);
    });
    return read;
}

void skipStep(Reader &reader) {
    Skipper skipper(reader);
    withKind(reader.number(), [&](const auto &step) { pass(skipper, step); });
}

} // namespace

PackedSteps::PackedSteps(std::span<const Step> steps) {
    if (steps.empty()) return;
    Writer writer;
    writer.number(steps.size());
    for (const Step &step : steps) {
        writer.number(step.index());
        std::visit([&](const auto &kind) { pass(writer, kind); }, step);
    }
    m_bytes = std::make_shared<const std::string>(writer.bytes());
}

Steps PackedSteps::unpack() const {
    Steps steps;
    if (empty()) return steps;
    Reader reader(*m_bytes);
    const size_t count = reader.number();
    steps.reserve(count);
    for (size_t i = 0; i < count; ++i) steps.push_back(readStep(reader));
    return steps;
}

Step PackedSteps::at(size_t number) const {
    LOOPSCOPE_CHECK(number < size(), "there is no such step");
    Reader reader(*m_bytes);
    reader.number();
    for (size_t i = 0; i < number; ++i) skipStep(reader);
    return readStep(reader);
}

PackedSteps PackedSteps::copied() const {
    PackedSteps copy;
    if (m_bytes) copy.m_bytes = std::make_shared<const std::string>(m_bytes->data(), m_bytes->size());
    return copy;
}

size_t PackedSteps::size() const { return empty() ? 0 : Reader(*m_bytes).number(); }

bool PackedSteps::operator==(const PackedSteps &other) const {
    if (m_bytes == other.m_bytes) return true;
    return m_bytes && other.m_bytes && *m_bytes == *other.m_bytes;
}

} // namespace loopscope
