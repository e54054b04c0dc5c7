#include "networks/graph/net_constant_parser.h"

#include "base/fnv_hash.h"
#include "networks/graph/net_literals.h"
#include "networks/graph/net_value_parser.h"

#include "base/nearest_name.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

namespace loopscope {

namespace {

/// The same for the same name for ever.
uint64_t seedOf(std::string_view name) {
    const uint64_t hash = fnvHash(name);
    return (hash ^ hash >> 32) & 0x7FFFFFFF;
}

/// Inside the folder, links followed.
bool isBelow(const std::filesystem::path &folder, const std::filesystem::path &file) {
    std::error_code failed;
    const auto root = std::filesystem::weakly_canonical(folder, failed);
    const auto whole = std::filesystem::weakly_canonical(file, failed);
    if (failed) return false;
    const auto relative = whole.lexically_relative(root);
    return !relative.empty() && *relative.begin() != "..";
}

} // namespace

HostTensor NetConstantParser::tensor(const std::string &name) {
    const NetToken place = m_cursor.peek();
    const TensorType type = m_values.type();
    const auto dims = constantDims(type.dims);
    if (!dims) throw m_cursor.error(place, "a constant's dims are numbers, not symbols");
    if (elementCount(*dims) < 0) throw m_cursor.error(place, "a constant of so many elements fits no memory");
    return content(type.dtype, *dims, name);
}

HostTensor NetConstantParser::content(DType type, const std::vector<int64_t> &dims, const std::string &name) {
    if (m_cursor.acceptName("ramp")) return HostTensor::generated(type, dims, FillRecipe::ramp());
    if (m_cursor.acceptName("random")) return recipe(type, dims, name);
    if (m_cursor.acceptName("bytes")) return encoded(type, dims);
    if (m_cursor.acceptName("file")) return fromFile(type, dims);
    if (m_cursor.accept("[")) return listed(type, dims);
    HostTensor one = HostTensor::zeros(type, {});
    element(one, 0);
    return HostTensor::splatOf(one, dims);
}

HostTensor NetConstantParser::recipe(DType type, const std::vector<int64_t> &dims, const std::string &name) {
    struct Field {
        std::string name;
        double number;
        int64_t integer;
    };
    const NetToken kindToken = m_cursor.peek();
    const std::string kind = m_cursor.takeName("the kind of random numbers");
    std::vector<Field> fields;
    if (kind == "uniform") fields = {{"low", -1, 0}, {"high", 1, 0}};
    if (kind == "normal") fields = {{"mean", 0, 0}, {"deviation", 1, 0}};
    if (kind == "he") fields = {{"scale", 1, 0}, {"fan_in", 0, 0}};
    if (kind == "integers") fields = {{"least", 0, 0}, {"most", 0, 9}};
    if (fields.empty())
        throw m_cursor.error(kindToken, fmt::format("random numbers are uniform, normal, he or integers, not `{}`{}",
                                                    kind, suggestion(kind, {"uniform", "normal", "he", "integers"})));
    const bool whole = kind == "integers";
    uint64_t seed = seedOf(name);
    uint64_t stream = 0;
    m_cursor.expect("(", "behind the kind");
    for (bool first = true; !m_cursor.accept(")"); first = false) {
        if (!first) m_cursor.expect(",", "or `)` behind an argument");
        const NetToken place = m_cursor.peek();
        const std::string field = m_cursor.takeName("the name of an argument");
        m_cursor.expect("=", "behind it");
        if (field == "seed" || field == "stream") {
            (field == "seed" ? seed : stream) = m_cursor.acceptName("bits") ? std::bit_cast<uint64_t>(m_values.bits(8))
                                                                            : static_cast<uint64_t>(m_values.integer());
            continue;
        }
        std::vector<std::string> known = {"seed", "stream"};
        Field *found = nullptr;
        for (Field &candidate : fields) {
            known.push_back(candidate.name);
            if (candidate.name == field) found = &candidate;
        }
        if (!found)
            throw m_cursor.error(place,
                                 fmt::format("`{}` numbers have no `{}`{}", kind, field, suggestion(field, known)));
        if (whole)
            found->integer = m_values.integer();
        else
            found->number = m_values.number();
        if (!std::isfinite(found->number)) throw m_cursor.error(place, "random numbers are finite");
    }
    if (whole && fields[0].integer > fields[1].integer)
        throw m_cursor.error(kindToken,
                             fmt::format("from {} to {} there is no integer", fields[0].integer, fields[1].integer));
    if (whole)
        return HostTensor::generated(type, dims,
                                     FillRecipe::integers(seed, fields[0].integer, fields[1].integer, stream));
    if (kind == "uniform")
        return HostTensor::generated(type, dims, FillRecipe::uniform(seed, fields[0].number, fields[1].number, stream));
    if (kind == "normal")
        return HostTensor::generated(type, dims, FillRecipe::normal(seed, fields[0].number, fields[1].number, stream));
    if (!(fields[1].number >= 1)) throw m_cursor.error(kindToken, "he needs a fan_in of at least 1");
    const double deviation = fields[0].number * std::sqrt(2 / fields[1].number);
    return HostTensor::generated(type, dims, FillRecipe::normal(seed, 0, deviation, stream));
}

HostTensor NetConstantParser::listed(DType type, const std::vector<int64_t> &dims) {
    const NetToken first = m_cursor.peek();
    const int64_t count = elementCount(dims);
    const auto mismatch = [&](std::string_view how, const NetToken &place) {
        return m_cursor.error(
            place, fmt::format("the list has {} than the {} elements of [{}]", how, count, fmt::join(dims, ", ")));
    };
    // An element and what separates it from the next are at least two characters: nothing large is made for a short
    // list.
    if (static_cast<uint64_t>(count) > (m_cursor.source().text.size() - first.offset) / 2 + 1)
        throw mismatch("fewer", first);
    HostTensor tensor = HostTensor::zeros(type, dims);
    for (int64_t i = 0; !m_cursor.accept("]"); ++i) {
        if (i > 0) m_cursor.expect(",", "or `]` behind an element");
        if (i == count) throw mismatch("more", m_cursor.peek());
        element(tensor, i);
        if (i + 1 < count && m_cursor.peek().is("]")) throw mismatch("fewer", m_cursor.peek());
    }
    if (count > 0 && first.is("]")) throw mismatch("fewer", first);
    return tensor;
}

HostTensor NetConstantParser::encoded(DType type, const std::vector<int64_t> &dims) {
    const NetToken token = m_cursor.peek();
    if (token.kind != NetTokenKind::Text) throw m_cursor.unexpected("a text in base64");
    m_cursor.next();
    const auto bytes = fromBase64(token.text.substr(1, token.text.size() - 2));
    if (!bytes) throw m_cursor.error(token, "this is not base64");
    const uint64_t needed = static_cast<uint64_t>(elementCount(dims)) * static_cast<uint64_t>(dtypeBytes(type));
    if (bytes->size() != needed)
        throw m_cursor.error(token, fmt::format("these are {} bytes where {}[{}] needs {}", bytes->size(),
                                                dtypeName(type), fmt::join(dims, ", "), needed));
    return HostTensor::fromBytes(type, dims, *bytes);
}

HostTensor NetConstantParser::fromFile(DType type, const std::vector<int64_t> &dims) {
    m_cursor.expect("(", "behind file");
    const NetToken token = m_cursor.peek();
    if (token.kind != NetTokenKind::Text) throw m_cursor.unexpected("the name of a file in quotes");
    m_cursor.next();
    const std::string name = netUnquoted(token.text);
    int64_t offset = 0;
    const NetToken place = m_cursor.peek();
    if (m_cursor.accept(",")) offset = m_values.integer();
    m_cursor.expect(")", "behind the offset");

    const std::filesystem::path folder = std::filesystem::path(m_cursor.source().path).parent_path();
    const std::filesystem::path path = (folder.empty() ? std::filesystem::path(".") : folder) / name;
    if (name.empty() || name.find('\0') != std::string::npos || !isBelow(folder.empty() ? "." : folder, path))
        throw m_cursor.error(token, "files of constants stand in the folder of the network, or below it");
    auto &file = m_files[name];
    if (!file) {
        try {
            file = MappedFile::open(path.string());
        } catch (const Error &error) {
            throw m_cursor.error(token, error.what());
        }
    }
    const auto size = static_cast<uint64_t>(dtypeBytes(type));
    const uint64_t needed = static_cast<uint64_t>(elementCount(dims)) * size;
    if (offset < 0 || static_cast<uint64_t>(offset) > file->bytes().size() ||
        needed > file->bytes().size() - static_cast<uint64_t>(offset))
        throw m_cursor.error(token, fmt::format("the file has {} bytes; {} from byte {} on are not among them",
                                                file->bytes().size(), needed, offset));
    if (static_cast<uint64_t>(offset) % size != 0)
        throw m_cursor.error(
            place, fmt::format("elements of {} bytes begin at a multiple of them, not at byte {}", size, offset));
    return HostTensor::mapped(type, dims, file, static_cast<size_t>(offset));
}

void NetConstantParser::element(HostTensor &tensor, int64_t i) {
    const DType type = tensor.dtype();
    if (isFloat(type)) return floatElement(tensor, i);
    const NetToken token = m_cursor.peek();
    if (type == DType::Bool && (token.isName("true") || token.isName("false"))) {
        m_cursor.next();
        tensor.setInteger(i, token.text == "true" ? 1 : 0);
        return;
    }
    const int64_t value = m_values.integer();
    if (wrapToType(value, type) != value)
        throw m_cursor.error(token, fmt::format("{} does not fit {}", value, dtypeName(type)));
    tensor.setInteger(i, value);
}

void NetConstantParser::floatElement(HostTensor &tensor, int64_t i) {
    const DType type = tensor.dtype();
    const size_t begin = m_cursor.at();
    const bool negative = m_cursor.accept("-");
    const NetToken token = m_cursor.peek();
    if (token.kind == NetTokenKind::Number && type != DType::Float64) {
        // As a float32 at once: rounded to a float64 first it could end beside the nearest.
        m_cursor.next();
        float value = 0;
        const auto result = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (result.ec != std::errc())
            throw m_cursor.error(token, fmt::format("this number does not fit {}", dtypeName(type)));
        tensor.setNumber(i, static_cast<double>(negative ? -value : value));
        return;
    }
    if (!negative && m_cursor.acceptName("bits")) {
        const auto word = std::bit_cast<uint64_t>(m_values.bits(dtypeBytes(type)));
        const auto size = static_cast<size_t>(dtypeBytes(type));
        std::memcpy(tensor.mutableBytes() + static_cast<size_t>(i) * size, &word, size);
        return;
    }
    m_cursor.moveTo(begin);
    tensor.setNumber(i, m_values.number());
}

} // namespace loopscope
