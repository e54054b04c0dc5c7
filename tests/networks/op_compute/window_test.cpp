// Convolutions, poolings and normalisations: their tensor expressions against their reference.

#include "one_node.h"

#include "base/random.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace window_test {

namespace {

using Ints = std::vector<int64_t>;

Ints drawnInts(Random &random, size_t count, int64_t low, int64_t high) {
    Ints values;
    for (size_t i = 0; i < count; ++i)
        values.push_back(low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1))));
    return values;
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT

  private slots:
    void convolutions() {
        COMPARE_NODE("conv", {floats({1, 3, 7, 7}), floats({4, 3, 3, 3})});
        COMPARE_NODE("conv", {floats({2, 3, 7, 5}), floats({4, 3, 1, 1}), floats({4})});
        COMPARE_NODE("conv", {floats({1, 6, 9, 8}), floats({4, 3, 3, 2}), floats({4})},
                     {{"group", int64_t{2}}, {"strides", Ints{2, 1}}, {"pads", Ints{1, 0, 0, 2}}});
        COMPARE_NODE("conv", {floats({1, 6, 9, 8}), floats({6, 1, 3, 3}), floats({6})},
                     {{"group", int64_t{6}}, {"pads", Ints{1, 1, 1, 1}}, {"dilations", Ints{2, 1}}});
        COMPARE_NODE("conv", {floats({1, 3, 9, 8}), floats({6, 1, 3, 3})}, {{"group", int64_t{3}}});
        COMPARE_NODE("conv", {floats({2, 3, 13}), floats({5, 3, 4}), floats({5})}, {{"pads", Ints{3, 1}}});
        COMPARE_NODE("conv", {floats({1, 2, 5, 6, 7}), floats({3, 2, 2, 3, 1}), floats({3})},
                     {{"strides", Ints{2, 1, 2}}, {"pads", Ints{1, 0, 0, 0, 1, 1}}});
        COMPARE_NODE("conv", {ofType(DType::Float16, {1, 2, 5, 5}), ofType(DType::Float16, {3, 2, 3, 3})});
    }

    void drawnConvolutions() {
        for (uint64_t seed = 0; seed < 12; ++seed) {
            Random random(7, seed);
            const size_t space = 1 + random.index(3);
            const int64_t group = 1 + static_cast<int64_t>(random.below(3));
            const int64_t each = 1 + static_cast<int64_t>(random.below(3));
            Ints x = {1 + static_cast<int64_t>(random.below(2)), group * each};
            Ints w = {group * (1 + static_cast<int64_t>(random.below(3))), each};
            for (size_t d = 0; d < space; ++d) {
                x.push_back(7 + static_cast<int64_t>(random.below(5)));
                w.push_back(1 + static_cast<int64_t>(random.below(3)));
            }
            const Attributes attributes = {{"group", group},
                                           {"strides", drawnInts(random, space, 1, 3)},
                                           {"dilations", drawnInts(random, space, 1, 2)},
                                           {"pads", drawnInts(random, 2 * space, 0, 2)}};
            COMPARE_NODE("conv", {floats(x), floats(w), floats({w[0]})}, attributes, 1, seed);
        }
    }

    void channelsLast() {
        const std::string last = "channels_last";
        COMPARE_NODE("conv", {floats({1, 7, 6, 3}), floats({3, 2, 3, 4}), floats({4})},
                     {{"strides", Ints{2, 1}}, {"pads", Ints{1, 0, 0, 1}}, {"layout", last}});
        COMPARE_NODE("conv", {floats({2, 9, 8, 6}), floats({3, 3, 1, 6})},
                     {{"group", int64_t{6}}, {"dilations", Ints{2, 1}}, {"layout", last}});
        COMPARE_NODE("conv", {floats({1, 9, 6}), floats({4, 3, 4}), floats({4})},
                     {{"group", int64_t{2}}, {"layout", last}});
        COMPARE_NODE("conv", {floats({1, 5, 6, 7, 2}), floats({2, 3, 1, 2, 3})},
                     {{"strides", Ints{2, 1, 2}}, {"layout", last}});
        for (const auto &[ceil, pads] : {std::pair{int64_t{0}, Ints{1, 0, 1, 1}}, {int64_t{1}, Ints{0, 1, 0, 0}}}) {
            const Attributes window = {
                {"kernel", Ints{3, 2}}, {"strides", Ints{2, 2}}, {"pads", pads}, {"ceil_mode", ceil}, {"layout", last}};
            COMPARE_NODE("max_pool", {floats({1, 8, 9, 3})}, window);
            COMPARE_NODE("average_pool", {floats({1, 8, 9, 3})}, window);
            Attributes counted = window;
            counted["count_include_pad"] = int64_t{1};
            COMPARE_NODE("average_pool", {floats({2, 8, 9, 3})}, counted);
        }
        COMPARE_NODE("global_average_pool", {floats({2, 5, 4, 3})}, {{"layout", last}});
        COMPARE_NODE("global_max_pool", {floats({2, 5, 3})}, {{"layout", last}});
    }

    void transposed() {
        COMPARE_NODE("conv_transpose", {floats({1, 3, 5, 4}), floats({3, 2, 3, 3})});
        COMPARE_NODE("conv_transpose", {floats({1, 3, 5, 4}), floats({3, 2, 4, 4}), floats({2})},
                     {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
        COMPARE_NODE("conv_transpose", {floats({1, 3, 5, 4}), floats({3, 2, 3, 3})},
                     {{"strides", Ints{2, 3}}, {"pads", Ints{1, 0, 1, 2}}, {"output_padding", Ints{1, 2}}});
        COMPARE_NODE("conv_transpose", {floats({2, 4, 5, 4}), floats({4, 3, 3, 2}), floats({6})},
                     {{"group", int64_t{2}}, {"strides", Ints{2, 1}}, {"dilations", Ints{1, 2}}});
        COMPARE_NODE("conv_transpose", {floats({1, 2, 7}), floats({2, 3, 2}), floats({3})},
                     {{"strides", Ints{3}}, {"pads", Ints{2, 1}}});
        COMPARE_NODE("conv_transpose", {floats({1, 2, 3, 4, 2}), floats({2, 1, 2, 2, 3})},
                     {{"strides", Ints{2, 1, 1}}});
    }

    void winograd() {
        for (const int64_t tile : {int64_t{2}, int64_t{4}}) {
            const GivenInput u = floats({tile + 2, tile + 2, 3, 5});
            COMPARE_NODE("winograd_weight", {floats({5, 3, 3, 3})}, {{"tile", tile}});
            COMPARE_NODE("winograd_conv", {floats({1, 3, 8, 8}), u}, {{"tile", tile}});
            COMPARE_NODE("winograd_conv", {floats({2, 3, 7, 9}), u, floats({5})},
                         {{"tile", tile}, {"pads", Ints{1, 1, 1, 1}}});
            COMPARE_NODE("winograd_conv", {floats({1, 3, 6, 5}), u}, {{"tile", tile}, {"pads", Ints{0, 1, 2, 0}}});
        }
    }

    void pools_data() {
        QTest::addColumn<int>("unused");
        QTest::newRow("max_pool") << 0;
        QTest::newRow("average_pool") << 0;
    }
    void pools() {
        const std::string op = QTest::currentDataTag();
        COMPARE_NODE(op, {floats({1, 3, 7, 7})}, {{"kernel", Ints{3, 3}}});
        COMPARE_NODE(op, {floats({2, 3, 7, 8})}, {{"kernel", Ints{2, 3}}, {"strides", Ints{2, 1}}});
        COMPARE_NODE(op, {floats({1, 2, 7, 7})},
                     {{"kernel", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
        COMPARE_NODE(op, {floats({1, 2, 8, 8})},
                     {{"kernel", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{0, 0, 1, 1}}});
        COMPARE_NODE(op, {floats({1, 2, 8, 9})},
                     {{"kernel", Ints{3, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", int64_t{1}}});
        COMPARE_NODE(
            op, {floats({1, 2, 8, 11})},
            {{"kernel", Ints{3, 3}}, {"strides", Ints{2, 3}}, {"pads", Ints{1, 0, 0, 1}}, {"ceil_mode", int64_t{1}}});
        COMPARE_NODE(op, {floats({1, 2, 13})}, {{"kernel", Ints{4}}, {"strides", Ints{3}}, {"pads", Ints{2, 1}}});
        COMPARE_NODE(op, {floats({1, 2, 5, 6, 7})},
                     {{"kernel", Ints{2, 3, 2}}, {"strides", Ints{1, 2, 2}}, {"pads", Ints{1, 0, 0, 0, 1, 1}}});
    }
    void kindsOfPools() {
        COMPARE_NODE("max_pool", {floats({1, 2, 9, 9})}, {{"kernel", Ints{3, 2}}, {"dilations", Ints{2, 3}}});
        COMPARE_NODE("average_pool", {floats({1, 2, 7, 7})},
                     {{"kernel", Ints{3, 3}},
                      {"strides", Ints{2, 2}},
                      {"pads", Ints{1, 1, 1, 0}},
                      {"count_include_pad", int64_t{1}}});
        for (const std::string op : {"global_average_pool", "global_max_pool"}) {
            COMPARE_NODE(op, {floats({2, 3, 7, 5})});
            COMPARE_NODE(op, {floats({2, 3, 13})});
            COMPARE_NODE(op, {floats({1, 3, 3, 5, 2})});
        }
    }

    void norms() {
        COMPARE_NODE("lrn", {floats({1, 7, 3, 3})}, {{"size", int64_t{5}}, {"alpha", 0.3}});
        COMPARE_NODE("lrn", {floats({2, 7, 3})}, {{"size", int64_t{4}}, {"alpha", 0.3}, {"bias", 2.0}});
        const GivenInput channels = floats({5});
        COMPARE_NODE("batch_norm", {floats({2, 5, 3, 3}), channels, channels, channels, floats({5}, 0.5, 2)});
        COMPARE_NODE("batch_norm", {floats({2, 5}), channels, channels, channels, floats({5}, 0.5, 2)},
                     {{"epsilon", 0.1}});
        COMPARE_NODE("layer_norm", {floats({3, 11}), floats({11}), floats({11})});
        COMPARE_NODE("layer_norm", {floats({2, 3, 11}), floats({11})}, {{"epsilon", 0.01}});
        COMPARE_NODE("layer_norm", {floats({2, 3, 5}, 9, 11), floats({3, 5}), floats({3, 5})}, {{"axis", int64_t{1}}});
        COMPARE_NODE("instance_norm", {floats({2, 3, 5, 4}), floats({3}), floats({3})});
        COMPARE_NODE("instance_norm", {floats({2, 3, 7}), floats({3}), floats({3})}, {{"epsilon", 0.1}});
        for (const std::string op : {"softmax", "log_softmax"}) {
            COMPARE_NODE(op, {floats({3, 11}, -4, 4)});
            COMPARE_NODE(op, {floats({2, 3, 5}, -4, 4)}, {{"axis", int64_t{1}}});
            COMPARE_NODE(op, {floats({7}, 80, 95)}, {{"axis", int64_t{0}}});
        }
    }
};

LOOPSCOPE_TEST(WindowTest)

} // namespace window_test
#include "window_test.moc"
