// Matrix products, reductions, and what moves elements: their tensor expressions against their reference.

#include "one_node.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>

using namespace loopscope;

namespace moving_test {

namespace {

using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;

} // namespace

class MovingTest : public QObject {
    Q_OBJECT

  private slots:
    void products() {
        COMPARE_NODE("dense", {floats({3, 7}), floats({5, 7})});
        COMPARE_NODE("matmul", {floats({3, 7}), floats({7, 5})});
        COMPARE_NODE("matmul", {floats({4, 3, 7}), floats({4, 7, 5})});
        COMPARE_NODE("matmul", {floats({2, 3, 7}), floats({7, 5})});
        COMPARE_NODE("matmul", {floats({2, 1, 3, 7}), floats({4, 7, 5})});
        COMPARE_NODE("matmul", {floats({7}), floats({7, 5})});
        COMPARE_NODE("matmul", {floats({2, 3, 7}), floats({7})});
        COMPARE_NODE("matmul", {floats({7}), floats({7})});
        COMPARE_NODE("matmul", {ofType(DType::Int32, {3, 7}, -9, 9), ofType(DType::Int32, {7, 5}, -9, 9)});
        for (const int64_t a : {0, 1})
            for (const int64_t b : {0, 1}) {
                const Attributes attributes = {{"trans_a", a}, {"trans_b", b}, {"alpha", 0.5}, {"beta", 2.0}};
                COMPARE_NODE("gemm",
                             {floats(a ? Ints{7, 3} : Ints{3, 7}), floats(b ? Ints{5, 7} : Ints{7, 5}), floats({5})},
                             attributes);
            }
        COMPARE_NODE("gemm", {floats({3, 7}), floats({7, 5})});
        COMPARE_NODE("gemm", {floats({3, 7}), floats({7, 5}), scalar(2)});
    }

    void reductions_data() {
        QTest::addColumn<int>("unused");
        for (const char *op :
             {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_l2", "reduce_sum_square"})
            QTest::newRow(op) << 0;
    }
    void reductions() {
        const std::string op = QTest::currentDataTag();
        for (const int64_t keep : {0, 1}) {
            COMPARE_NODE(op, {floats({3, 5, 2})}, {{"keep_dims", keep}});
            COMPARE_NODE(op, {floats({3, 5, 2})}, {{"axes", Ints{-1}}, {"keep_dims", keep}});
            COMPARE_NODE(op, {floats({3, 5, 2, 7})}, {{"axes", Ints{2, 3}}, {"keep_dims", keep}});
            COMPARE_NODE(op, {floats({3, 5, 2})}, {{"axes", Ints{0, 2}}, {"keep_dims", keep}});
        }
        if (op != "reduce_mean" && op != "reduce_l2")
            COMPARE_NODE(op, {ofType(DType::Int32, {3, 5}, -4, 4)}, {{"axes", Ints{1}}});
    }

    void reductionsAtTheEdges() {
        for (const char *op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
            for (const int64_t axis : {0, 1})
                COMPARE_NODE(op, {edges({17, 13}, DType::Float32, kSmallEdges)}, {{"axes", Ints{axis}}});
        for (const std::string op : {"argmax", "argmin"})
            for (const int64_t last : {0, 1})
                COMPARE_NODE(op, {edges({37, 7})}, {{"axis", int64_t{1}}, {"select_last", last}});
        for (const char *op : {"softmax", "log_softmax"})
            for (const int64_t axis : {0, 1}) COMPARE_NODE(op, {edges({5, 41})}, {{"axis", axis}});
    }

    void runningSums() {
        for (const int64_t axis : {0, 1, -1})
            for (const int64_t exclusive : {0, 1})
                for (const int64_t reverse : {0, 1}) {
                    const Attributes how = {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}};
                    COMPARE_NODE("cumsum", {floats({3, 7, 5})}, how);
                    COMPARE_NODE("cumsum", {edges({3, 7, 5}, DType::Float32, kSmallEdges)}, how);
                    COMPARE_NODE("cumsum", {floats({3, 1, 1})}, how);
                    COMPARE_NODE("cumsum", {floats({2, 2, 2})}, how);
                    COMPARE_NODE("cumsum", {ofType(DType::Int8, {3, 2, 9}, -99, 99)}, how);
                }
    }

    void placesOfExtremes() {
        for (const std::string op : {"argmax", "argmin"})
            for (const int64_t keep : {0, 1})
                for (const int64_t last : {0, 1})
                    for (const int64_t axis : {0, 1, -1}) {
                        const Attributes attributes = {{"axis", axis}, {"keep_dims", keep}, {"select_last", last}};
                        COMPARE_NODE(op, {floats({3, 7, 5})}, attributes);
                        COMPARE_NODE(op, {ofType(DType::Int32, {3, 7, 5}, 0, 3)}, attributes);
                    }
    }

    void otherDims() {
        COMPARE_NODE("reshape", {floats({3, 4, 5}), integers({5, -1})});
        COMPARE_NODE("reshape", {floats({2, 3, 7}), integers({0, 7, 3})});
        COMPARE_NODE("reshape", {floats({1, 1}), integers({})});
        COMPARE_NODE("flatten", {floats({2, 3, 5})});
        COMPARE_NODE("flatten", {floats({2, 3, 5})}, {{"axis", int64_t{2}}});
        COMPARE_NODE("flatten", {floats({2, 3, 5})}, {{"axis", int64_t{0}}});
        COMPARE_NODE("transpose", {floats({2, 3, 5})});
        COMPARE_NODE("transpose", {floats({2, 3, 5, 7})}, {{"permutation", Ints{0, 2, 3, 1}}});
        COMPARE_NODE("unsqueeze", {floats({3, 5})}, {{"axes", Ints{0, 2}}});
        COMPARE_NODE("unsqueeze", {floats({3, 5})}, {{"axes", Ints{-1}}});
        COMPARE_NODE("squeeze", {floats({1, 3, 1, 5})});
        COMPARE_NODE("squeeze", {floats({1, 3, 1, 5})}, {{"axes", Ints{-2}}});
        COMPARE_NODE("expand", {floats({3, 1}), integers({2, 1, 5})});
        COMPARE_NODE("expand", {floats({2, 3, 5}), integers({1})});
    }

    void parts() {
        COMPARE_NODE("concat", {floats({2, 3}), floats({2, 5}), floats({2, 1})}, {{"axis", int64_t{1}}});
        COMPARE_NODE("concat", {floats({2, 3})}, {{"axis", int64_t{-1}}});
        COMPARE_NODE("split", {floats({2, 11})}, {{"axis", int64_t{1}}, {"sizes", Ints{3, 1, 7}}}, 3);
        COMPARE_NODE("split", {floats({4, 3})}, {{"axis", int64_t{0}}, {"sizes", Ints{2, 2}}}, 2);
        COMPARE_NODE("slice", {floats({7, 5}), integers({1}), integers({6})});
        COMPARE_NODE("slice", {floats({7, 5}), integers({-3, 0}), integers({1000, -1}), integers({0, 1})});
        COMPARE_NODE("slice",
                     {floats({7, 5}), integers({1, 0}), integers({7, 5}), integers({0, -1}), integers({2, 3})});
        COMPARE_NODE("slice", {floats({7, 5}), integers({-1}), integers({-1000}), integers({0}), integers({-2})});
        COMPARE_NODE("slice", {floats({7, 5}), integers({5}), integers({0}), integers({0}), integers({-3})});
        COMPARE_NODE("slice", {floats({7, 5}), integers({2}), integers({4}), leftOut(), integers({1})});
        COMPARE_NODE("tile", {floats({3, 1, 2}), integers({2, 3, 1})});
        COMPARE_NODE("depth_to_space", {floats({2, 12, 3, 5})}, {{"block", int64_t{2}}});
        COMPARE_NODE("depth_to_space", {floats({1, 18, 2, 3})}, {{"block", int64_t{3}}, {"mode", std::string("CRD")}});
        COMPARE_NODE("space_to_depth", {floats({2, 3, 4, 6})}, {{"block", int64_t{2}}});
        COMPARE_NODE("space_to_depth", {floats({2, 5, 4, 6})}, {{"block", int64_t{2}}, {"mode", std::string("CRD")}});
    }

    void padding() {
        COMPARE_NODE("pad", {floats({3, 5}), integers({1, 0, 2, 3})});
        COMPARE_NODE("pad", {floats({3, 5}), integers({1, 0, 2, 3}), scalar(1.5)});
        COMPARE_NODE("pad", {floats({3, 5}), integers({1, 0, 0, 0}), floats({})});
        COMPARE_NODE("pad", {floats({3, 7}), integers({-1, 2, 0, -3})});
        for (const char *mode : {"edge", "reflect"}) {
            COMPARE_NODE("pad", {floats({4, 5}), integers({1, 0, 2, 3})}, {{"mode", std::string(mode)}});
            COMPARE_NODE("pad", {floats({2, 3, 4}), integers({0, 2, 3, 0, 2, 0})}, {{"mode", std::string(mode)}});
        }
    }

    void byIndex() {
        const GivenInput indices = ofType(DType::Int64, {2, 3}, -5, 5);
        COMPARE_NODE("gather", {floats({5, 3}), indices});
        COMPARE_NODE("gather", {floats({3, 5, 2}), indices}, {{"axis", int64_t{1}}});
        COMPARE_NODE("gather", {floats({5, 3}), {{}, integerSplat(DType::Int64, {}, -2), {}}});
        COMPARE_NODE("gather", {ofType(DType::Int64, {5}, -9, 9), ofType(DType::Int32, {4}, 0, 5)});
        COMPARE_NODE("gather_elements",
                     {floats({5, 3}), indices.parameter ? ofType(DType::Int64, {4, 3}, -5, 5) : indices});
        COMPARE_NODE("gather_nd", {floats({5, 6, 3}), ofType(DType::Int64, {4, 2}, -5, 5)});
        COMPARE_NODE("gather_nd", {floats({2, 5, 3}), ofType(DType::Int32, {2, 4, 1}, -5, 5)},
                     {{"batch_dims", int64_t{1}}});
        COMPARE_NODE("gather_elements", {floats({2, 5}), ofType(DType::Int64, {2, 7}, -5, 5)}, {{"axis", int64_t{1}}});
    }

    void outOfNothing() {
        COMPARE_NODE("constant_of_shape", {integers({2, 3})});
        COMPARE_NODE("constant_of_shape", {integers({2, 3})}, {{"value", integerSplat(DType::Int64, {1}, 7)}});
        const auto number = [](int64_t value) { return GivenInput{{}, integerSplat(DType::Int64, {}, value), {}}; };
        COMPARE_NODE("range", {number(3), number(17), number(4)});
    }

    void resizing_data() {
        QTest::addColumn<QString>("mode");
        for (const char *mode : {"nearest", "linear"})
            for (const char *coordinates : {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"})
                QTest::addRow("%s %s", mode, coordinates) << QString(mode);
        QTest::newRow("nearest tf_half_pixel_for_nn") << "nearest";
    }
    void resizing() {
        QFETCH(QString, mode);
        const std::string tag = QTest::currentDataTag();
        const std::string coordinates = tag.substr(tag.find(' ') + 1);
        const Attributes kind = {{"mode", mode.toStdString()}, {"coordinates", coordinates}};
        const auto with = [&](Attributes more) {
            more.insert(kind.begin(), kind.end());
            return more;
        };
        COMPARE_NODE("resize", {floats({1, 2, 3, 5})}, with({{"sizes", Ints{1, 2, 6, 10}}}));
        COMPARE_NODE("resize", {floats({1, 2, 7, 5})}, with({{"sizes", Ints{1, 2, 4, 13}}}));
        COMPARE_NODE("resize", {floats({1, 2, 3, 5})}, with({{"scales", Numbers{1, 1, 2, 3}}}));
        COMPARE_NODE("resize", {floats({1, 2, 8, 6})}, with({{"scales", Numbers{1, 1, 0.5, 1.5}}}));
        COMPARE_NODE("resize", {floats({1, 2, 7, 5})}, with({{"scales", Numbers{1, 1, 0.6, 0.6}}}));
        if (mode == "nearest")
            for (const char *nearest : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"})
                COMPARE_NODE("resize", {floats({1, 1, 7, 5})},
                             with({{"nearest", std::string(nearest)}, {"sizes", Ints{1, 1, 14, 3}}}));
    }
};

LOOPSCOPE_TEST(MovingTest)

} // namespace moving_test
#include "moving_test.moc"
