#include "schedule/packed_steps.h"

#include "base/check.h"
#include "schedule/step_fields.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace loopscope {

namespace {

/// Calls io(field) for every field, io.varying(field) for what candidates of one sketch differ in: lengths and pragmas.
template <typename Kind> void pass(auto &io, Kind &step) {
    visitFields(step, [&](const char *, auto &field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        constexpr bool isPragma =
            std::is_same_v<std::remove_const_t<Kind>, PragmaStep> && std::is_same_v<Field, std::string>;
        if constexpr (isPragma || std::is_same_v<Field, std::vector<int64_t>>)
            io.varying(field);
        else
            io(field);
    });
}

constexpr std::string_view kUnrollPragma = "auto_unroll_max_step$"; // most of the text in a list of steps

/// Numbers in seven bits a byte, small ones of either sign first.
class Writer {
  public:
    template <typename T> void put(const T &value) {
        if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
            number(static_cast<uint64_t>(value));
        else if constexpr (std::is_integral_v<T>)
            number((static_cast<uint64_t>(int64_t{value}) << 1U) ^ static_cast<uint64_t>(int64_t{value} >> 63));
        else
            put(value.value); // of an id
    }
    void put(const std::string &text) {
        const bool unroll = text.starts_with(kUnrollPragma);
        const std::string_view rest = std::string_view(text).substr(unroll ? kUnrollPragma.size() : 0);
        number(rest.size() << 1U | (unroll ? 1U : 0U));
        m_bytes += rest;
    }
    void number(uint64_t value) {
        for (; value >= 0x80; value >>= 7U) m_bytes += static_cast<char>(value | 0x80U);
        m_bytes += static_cast<char>(value);
    }
    [[nodiscard]] const std::string &bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

class Reader {
  public:
    explicit Reader(const char *bytes) : m_at(bytes) {}
    template <typename T> void get(T &value) {
        if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
            value = static_cast<T>(number());
        } else if constexpr (std::is_integral_v<T>) {
            const uint64_t coded = number();
            value = static_cast<T>(static_cast<int64_t>(coded >> 1U) ^ -static_cast<int64_t>(coded & 1U));
        } else {
            get(value.value);
        }
    }
    void get(std::string &value) {
        const uint64_t coded = number();
        if ((coded & 1U) != 0) value = kUnrollPragma;
        value += text(coded >> 1U);
    }
    uint64_t number() {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<uint8_t>(*m_at++);
            value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) return value;
        }
    }
    std::string_view text(size_t length) {
        m_at += length;
        return {m_at - length, length};
    }

  private:
    const char *m_at;
};

/// Writes the fields of steps: the skeleton to one writer, what varies to another or the same one.
class PackedWriter {
  public:
    PackedWriter(Writer &skeleton, Writer &numbers) : m_skeleton(skeleton), m_numbers(numbers) {}
    template <typename T> void operator()(const T &field) { write(field); }
    void varying(const std::string &text) { m_numbers.put(text); }
    void varying(const std::vector<int64_t> &values) {
        m_skeleton.number(values.size());
        for (const int64_t value : values) m_numbers.put(value);
    }

  private:
    template <typename T> void write(const T &value) { m_skeleton.put(value); }
    template <typename T> void write(const std::vector<T> &values) {
        m_skeleton.number(values.size());
        for (const T &value : values) m_skeleton.put(value);
    }
    Writer &m_skeleton;
    Writer &m_numbers;
};

/// Reads what a PackedWriter wrote, from two readers or twice the same one.
class PackedReader {
  public:
    PackedReader(Reader &skeleton, Reader &numbers) : m_skeleton(skeleton), m_numbers(numbers) {}
    template <typename T> void operator()(T &field) { read(field); }
    void varying(std::string &text) { m_numbers.get(text); }
    void varying(std::vector<int64_t> &values) {
        values.resize(m_skeleton.number());
        for (int64_t &value : values) m_numbers.get(value);
    }

  private:
    template <typename T> void read(T &value) { m_skeleton.get(value); }
    template <typename T> void read(std::vector<T> &values) {
        values.resize(m_skeleton.number());
        for (T &value : values) m_skeleton.get(value);
    }
    Reader &m_skeleton;
    Reader &m_numbers;
};

/// Goes past fields without making them.
class StepSkipper {
  public:
    StepSkipper(Reader &skeleton, Reader &numbers) : m_skeleton(skeleton), m_numbers(numbers) {}
    template <typename T> void operator()(const T &field) { skip(field); }
    void varying(const std::string &) { m_numbers.text(m_numbers.number() >> 1U); }
    void varying(const std::vector<int64_t> &) {
        for (uint64_t left = m_skeleton.number(); left > 0; --left) m_numbers.number();
    }

  private:
    template <typename T> void skip(const T &) { m_skeleton.number(); }
    template <typename T> void skip(const std::vector<T> &) {
        for (uint64_t left = m_skeleton.number(); left > 0; --left) m_skeleton.number();
    }
    void skip(const std::string &) { m_skeleton.text(m_skeleton.number() >> 1U); }
    Reader &m_skeleton;
    Reader &m_numbers;
};

/// Calls `use` with an empty step of that kind.
void withKind(size_t wanted, auto &&use) {
    const bool known = anyKind([&](auto &&step) {
        if (Step(std::in_place_type<std::remove_cvref_t<decltype(step)>>).index() != wanted) return false;
        use(step);
        return true;
    });
    LOOPSCOPE_CHECK(known, "packed steps hold a kind that does not exist");
}

void writeSteps(std::span<const Step> steps, Writer &skeleton, Writer &numbers) {
    PackedWriter writer(skeleton, numbers);
    skeleton.number(steps.size());
    for (const Step &step : steps) {
        skeleton.number(step.index());
        std::visit([&](const auto &kind) { pass(writer, kind); }, step);
    }
}

std::shared_ptr<const char[]> sharedBytes(const std::string &bytes) {
    Writer length;
    length.number(bytes.size());
    const std::shared_ptr<char[]> shared = std::make_shared<char[]>(length.bytes().size() + bytes.size());
    std::copy(bytes.begin(), bytes.end(), std::copy(length.bytes().begin(), length.bytes().end(), shared.get()));
    return shared;
}

std::string_view viewed(const std::shared_ptr<const char[]> &shared) {
    Reader reader(shared.get());
    return reader.text(reader.number());
}

/// Goes through kept steps.
class Walk {
  public:
    Walk(const std::string *skeleton, const char *bytes)
        : m_first(bytes), m_second(skeleton != nullptr ? skeleton->data() : nullptr),
          m_skeleton(skeleton != nullptr ? m_second : m_first), m_count(m_skeleton.number()) {}
    Walk(const Walk &) = delete;
    Walk &operator=(const Walk &) = delete;
    [[nodiscard]] size_t count() const { return m_count; }
    Step next() {
        Step read;
        PackedReader reader(m_skeleton, m_first);
        withKind(m_skeleton.number(), [&](auto &step) {
            pass(reader, step);
            read = std::move(step);
        });
        return read;
    }
    void skip() {
        StepSkipper skipper(m_skeleton, m_first);
        withKind(m_skeleton.number(), [&](const auto &step) { pass(skipper, step); });
    }

  private:
    Reader m_first;  // all, or what varies
    Reader m_second; // the skeleton when it stands elsewhere
    Reader &m_skeleton;
    size_t m_count;
};

} // namespace

PackedSteps::PackedSteps(std::span<const Step> steps) {
    if (steps.empty()) return;
    Writer all;
    writeSteps(steps, all, all);
    m_bytes = sharedBytes(all.bytes());
}

Steps PackedSteps::unpack() const {
    Steps steps;
    if (empty()) return steps;
    Walk walk(m_skeleton.get(), viewed(m_bytes).data());
    steps.reserve(walk.count());
    for (size_t i = 0; i < walk.count(); ++i) steps.push_back(walk.next());
    return steps;
}

Step PackedSteps::at(size_t number) const {
    LOOPSCOPE_CHECK(number < size(), "there is no such step");
    Walk walk(m_skeleton.get(), viewed(m_bytes).data());
    for (size_t i = 0; i < number; ++i) walk.skip();
    return walk.next();
}

size_t PackedSteps::size() const { return empty() ? 0 : Walk(m_skeleton.get(), viewed(m_bytes).data()).count(); }

bool PackedSteps::operator==(const PackedSteps &other) const {
    if (empty() || other.empty()) return empty() == other.empty();
    if (m_skeleton == other.m_skeleton) return m_bytes == other.m_bytes || viewed(m_bytes) == viewed(other.m_bytes);
    return unpack() == other.unpack();
}

PackedSteps StepSkeletons::keep(const PackedSteps &steps) {
    PackedSteps kept;
    if (steps.empty()) return kept;
    Writer skeleton;
    Writer numbers;
    writeSteps(steps.unpack(), skeleton, numbers);
    auto known = m_skeletons.find(std::string_view(skeleton.bytes()));
    if (known == m_skeletons.end())
        known =
            m_skeletons.insert(std::make_shared<const std::string>(skeleton.bytes().data(), skeleton.bytes().size()))
                .first;
    kept.m_skeleton = *known;
    kept.m_bytes = sharedBytes(numbers.bytes());
    return kept;
}

void StepSkeletons::forgetUnused() {
    std::erase_if(m_skeletons, [](const Skeleton &skeleton) { return skeleton.use_count() == 1; });
    m_skeletons.rehash(0);
}

} // namespace loopscope
