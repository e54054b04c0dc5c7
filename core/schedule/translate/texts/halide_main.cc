
double element(const Buffer<> &buffer, size_t i) {
    const auto at = [&](auto example) { return static_cast<double>(static_cast<const decltype(example) *>(buffer.data())[i]); };
    const Type type = buffer.type();
    if (type == Float(64)) return at(double());
    if (type == Float(32)) return at(float());
    if (type == Float(16)) return static_cast<double>(static_cast<float>(static_cast<const float16_t *>(buffer.data())[i]));
    if (type == BFloat(16)) return static_cast<double>(static_cast<float>(static_cast<const bfloat16_t *>(buffer.data())[i]));
    if (type == Int(64)) return at(int64_t());
    if (type == Int(32)) return at(int32_t());
    if (type == Int(8)) return at(int8_t());
    return at(uint8_t());
}

void draw(Buffer<> &buffer, std::mt19937 &random) {
    std::uniform_real_distribution<float> real(-1, 1);
    const Type type = buffer.type();
    for (size_t i = 0; i < buffer.number_of_elements(); ++i) {
        const auto put = [&](auto value) { static_cast<decltype(value) *>(buffer.data())[i] = value; };
        if (type == Float(64)) put(static_cast<double>(real(random)));
        else if (type == Float(32)) put(real(random));
        else if (type == Float(16)) put(float16_t(real(random)));
        else if (type == BFloat(16)) put(bfloat16_t(real(random)));
        else if (type == Int(64)) put(static_cast<int64_t>(random() % 5));
        else if (type == Int(32)) put(static_cast<int32_t>(random() % 5));
        else if (type == Int(8)) put(static_cast<int8_t>(random() % 5));
        else put(static_cast<uint8_t>(random() % (type == UInt(1) ? 2 : 5)));
    }
}

std::vector<Buffer<>> run(const std::vector<Buffer<>> &buffers, bool scheduled) {
    std::vector<ImageParam> inputs;
    Pipeline pipeline = build(inputs, scheduled);
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i].set(buffers[i]);
    std::vector<Buffer<>> outputs;
    for (const ArgumentFacts &argument : arguments)
        if (argument.output) outputs.push_back(Buffer<>(argument.type, argument.shape));
    pipeline.realize(Realization(outputs));
    return outputs;
}

} // namespace

int main(int argc, char **argv) {
    std::string from, to;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::string(argv[i]) == "--inputs") from = argv[i + 1];
        if (std::string(argv[i]) == "--outputs") to = argv[i + 1];
    }
    std::mt19937 random(1);
    std::vector<Buffer<>> buffers;
    for (size_t n = 0; n < arguments.size(); ++n) {
        if (arguments[n].output) continue;
        Buffer<> buffer(arguments[n].type, arguments[n].shape);
        if (from.empty()) {
            draw(buffer, random);
        } else {
            std::ifstream file(from + "/arg" + std::to_string(n) + ".bin", std::ios::binary);
            if (!file.read(static_cast<char *>(buffer.data()), static_cast<std::streamsize>(buffer.size_in_bytes()))) {
                std::fprintf(stderr, "%s: no such file, or too short\n", (from + "/arg" + std::to_string(n) + ".bin").c_str());
                return 1;
            }
        }
        buffers.push_back(buffer);
    }

    const std::vector<Buffer<>> got = run(buffers, true);
    size_t output = 0;
    if (!to.empty()) {
        for (size_t n = 0; n < arguments.size(); ++n) {
            if (!arguments[n].output) continue;
            std::ofstream file(to + "/arg" + std::to_string(n) + ".bin", std::ios::binary);
            file.write(static_cast<const char *>(got[output].data()), static_cast<std::streamsize>(got[output].size_in_bytes()));
            ++output;
        }
        return 0;
    }
    const std::vector<Buffer<>> expected = run(buffers, false);
    int wrong = 0;
    for (const ArgumentFacts &argument : arguments) {
        if (!argument.output) continue;
        double largest = 0, most = 0;
        for (size_t i = 0; i < got[output].number_of_elements(); ++i) {
            const double a = element(got[output], i), b = element(expected[output], i);
            if (std::isfinite(b)) most = std::max(most, std::fabs(b));
            if (a == b || (std::isnan(a) && std::isnan(b))) continue;
            largest = std::isfinite(a - b) ? std::max(largest, std::fabs(a - b)) : INFINITY;
        }
        const double tolerance = !argument.type.is_float() ? 0 : argument.type.bits() == 64 ? 1e-9 : argument.type.bits() == 32 ? 1e-4 : 5e-2;
        const bool right = largest <= tolerance * std::max(1.0, most);
        std::printf("%s: %s, largest difference %g\n", argument.name, right ? "right" : "WRONG", largest);
        wrong += right ? 0 : 1;
        ++output;
    }
    return wrong == 0 ? 0 : 1;
}
