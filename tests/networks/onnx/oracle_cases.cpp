#include "oracle_cases.h"

#include "language/tensor/compare.h"
#include "model_maker.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::json;

double numberOf(const Json &json) {
    if (!json.is_string()) return json.get<double>();
    const auto text = json.get<std::string>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    return text == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

HostTensor tensorOf(const Json &json) {
    const auto type = dtypeFromName(json.at("type").get<std::string>());
    if (!type) throw Error("the type " + json.at("type").get<std::string>() + " is unknown");
    const Json &values = json.at("values");
    HostTensor tensor = HostTensor::zeros(*type, json.at("dims").get<std::vector<int64_t>>());
    if (tensor.elements() != static_cast<int64_t>(values.size())) throw Error("a tensor has other dims than values");
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        const Json &value = values[static_cast<size_t>(i)];
        if (isFloat(*type))
            tensor.setNumber(i, numberOf(value));
        else
            tensor.setInteger(i, value.get<int64_t>());
    }
    return tensor;
}

OnnxAttribute attributeOf(const Json &json) {
    if (json.is_object()) return tensorOf(json);
    if (json.is_string()) return json.get<std::string>();
    if (json.is_number_float()) return json.get<float>();
    if (!json.is_array()) return json.get<int64_t>();
    if (!json.empty() && json.front().is_number_float()) return json.get<std::vector<float>>();
    return json.get<std::vector<int64_t>>();
}

OracleCase caseOf(const Json &json) {
    OracleCase of;
    of.name = json.at("name").get<std::string>();
    of.tolerance = json.value("tolerance", 0.0);
    of.byElement = json.value("by_element", true);
    of.refused = json.value("refused", "");
    ModelMaker maker(json.at("opset").get<int64_t>());
    std::vector<std::string> names;
    for (const Json &input : json.at("inputs")) {
        if (input.is_null()) {
            names.emplace_back();
            continue;
        }
        names.push_back(fmt::format("x{}", names.size()));
        HostTensor tensor = tensorOf(input);
        if (input.value("constant", false)) {
            maker.initialiser(names.back(), tensor);
        } else {
            maker.input(names.back(), tensor.dims(), tensor.dtype());
            of.inputs.emplace(names.back(), std::move(tensor));
        }
    }
    std::vector<std::string> outputs;
    for (const Json &output : json.at("outputs")) {
        outputs.push_back(output.is_null() ? std::string() : fmt::format("y{}", outputs.size()));
        if (output.is_null()) continue;
        maker.output(outputs.back());
        of.outputs.emplace_back(tensorOf(output));
    }
    if (outputs.empty()) {
        outputs.emplace_back("y0");
        maker.output("y0");
    }
    std::vector<std::pair<std::string, OnnxAttribute>> attributes;
    for (const auto &[name, value] : json.at("attributes").items()) attributes.emplace_back(name, attributeOf(value));
    maker.node(of.op(), names, outputs, attributes);
    of.model = maker.bytes();
    return of;
}

/// Of floats: whether it is the wanted one.
bool close(double is, double should, double allowed) {
    if (std::isnan(should) || std::isnan(is)) return std::isnan(should) && std::isnan(is);
    return is == should || std::abs(is - should) <= allowed;
}

std::string elementsDiffer(const OracleCase &of, const HostTensor &is, const HostTensor &should) {
    double greatest = 0;
    if (isFloat(should.dtype()))
        for (const double number : should.numbers())
            if (std::isfinite(number)) greatest = std::max(greatest, std::abs(number));
    int64_t wrong = 0;
    std::string first;
    for (int64_t i = 0; i < should.elements(); ++i) {
        const bool floats = isFloat(should.dtype());
        const double wanted = floats ? should.number(i) : 0;
        const bool right =
            floats ? close(is.number(i), wanted, of.tolerance * (of.byElement ? std::abs(wanted) : greatest))
                   : is.integer(i) == should.integer(i);
        if (right || wrong++ > 0) continue;
        const std::string place = elementText(i, should.dims());
        first = floats ? fmt::format("is {:.9g} instead of {:.9g} at {}", is.number(i), wanted, place)
                       : fmt::format("is {} instead of {} at {}", is.integer(i), should.integer(i), place);
    }
    return wrong > 1 ? fmt::format("{}; {} of {} differ", first, wrong, should.elements()) : first;
}

} // namespace

std::vector<OracleCase> readOracleCases(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw Error(path, 0, 0, "cannot be read");
    std::vector<OracleCase> cases;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.empty()) continue;
        try {
            cases.push_back(caseOf(Json::parse(line)));
        } catch (const std::exception &error) {
            throw Error(path, number, 0, error.what());
        }
    }
    return cases;
}

std::string difference(const OracleCase &of, const std::vector<HostTensor> &outputs) {
    if (outputs.size() != of.outputs.size())
        return fmt::format("has {} outputs instead of {}", outputs.size(), of.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        const HostTensor &is = outputs[i];
        const HostTensor &should = *of.outputs[i];
        std::string sentence;
        if (is.dtype() != should.dtype() || is.dims() != should.dims())
            sentence = fmt::format("is {} instead of {}", typeText({is.dtype(), asDims(is.dims())}),
                                   typeText({should.dtype(), asDims(should.dims())}));
        else
            sentence = elementsDiffer(of, is, should);
        if (!sentence.empty()) return i == 0 ? sentence : fmt::format("output {} {}", i, sentence);
    }
    return {};
}

std::vector<KnownDifference> readDifferences(const std::string &path) {
    std::ifstream file(path);
    const Json json = Json::parse(file);
    std::vector<KnownDifference> rows;
    for (const Json &row : json)
        rows.push_back({row.at("cases").get<std::string>(), row.value("way", ""), row.value("says", ""),
                        row.at("right").get<std::string>(), row.at("why").get<std::string>()});
    return rows;
}

KnownDifference *findDifference(std::vector<KnownDifference> &known, const std::string &name, const std::string &way,
                                const std::string &sentence) {
    for (KnownDifference &row : known) {
        if (!row.way.empty() && row.way != way) continue;
        if (!matches(row.cases, name) || sentence.find(row.says) == std::string::npos) continue;
        ++row.met;
        return &row;
    }
    return nullptr;
}

bool matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() != '*')
        return !text.empty() && text.front() == pattern.front() && matches(pattern.substr(1), text.substr(1));
    for (size_t skipped = 0; skipped <= text.size(); ++skipped)
        if (matches(pattern.substr(1), text.substr(skipped))) return true;
    return false;
}

} // namespace loopscope
