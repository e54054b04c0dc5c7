// PTX for each construct of a kernel, without a GPU and without NVIDIA's tools.

#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "codegen/nvptx/ptx_text.h"
#include "harness/kernel_maker.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace nvptx_test {

namespace {

LoopProgram loweredFor(const DagPtr &dag, const char *steps, const Target &target) {
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), target);
    if (!program) throw std::runtime_error(program.why());
    program->name = "sample";
    return std::move(program).value();
}

MachineCode compiled(const LoopProgram &program, const Target &target) {
    Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(target);
    if (!generator) throw std::runtime_error(generator.why());
    Outcome<MachineCode> code =
        (*generator)->compile(program, {.wantIr = true, .wantAssembly = true, .debugLines = true});
    if (!code) throw std::runtime_error(code.why());
    return std::move(code).value();
}

MachineCode codeOf(const DagPtr &dag, const char *steps, const Target &target = gpuTarget()) {
    return compiled(loweredFor(dag, steps, target), target);
}

constexpr const char *kTiledProduct = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

int countOf(const std::string &text, const std::string &what) {
    int count = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

/// Which of them the text lacks, with the text.
std::string missing(const std::string &text, const std::vector<std::string> &wanted) {
    std::string lacks;
    for (const std::string &what : wanted)
        if (text.find(what) == std::string::npos) lacks += "lacks `" + what + "`\n";
    return lacks.empty() ? lacks : lacks + text;
}

} // namespace

class NvptxTest : public QObject {
    Q_OBJECT
  private slots:
    /// Tiles fetched with vector loads through the read-only cache, sums in registers, two barriers in a round.
    void aTiledProduct() {
        const MachineCode code = codeOf(matmulDag(16, 24, 12), kTiledProduct);
        const std::string &ptx = code.assembly.text;
        QCOMPARE(missing(ptx, {".version 7.0", ".target sm_80", ".visible .entry sample_kernel0(", ".reqntid 8, 1, 1",
                               "ld.global.nc.v2.f32", "st.shared.v2.f32", "ld.shared.f32", "fma.rn.f32",
                               "st.global.f32", "%ctaid.x", "%tid.x"}),
                 std::string());
        QCOMPARE(countOf(ptx, "bar.sync"), 1);
        QCOMPARE(countOf(ptx, ".local"), 0); // all in registers
        QCOMPARE(countOf(ptx, ".loc"), 0);
        QCOMPARE(countOf(ptx, "div."), 0);
        const std::string object(code.kernel.object.begin(), code.kernel.object.end());
        QCOMPARE(missing(object, {".loc", ".visible .entry sample_kernel0("}), std::string());
        QCOMPARE(code.kernel.launch.grids.size(), size_t(1));
        QVERIFY(code.kernel.launch.grids[0] == (GridLaunch{{6, 1, 1}, {8, 1, 1}, 896}));
    }

    /// Each instruction links to the statement it comes from.
    void linesLeadBack() {
        const DagPtr dag = matmulDag(16, 24, 12);
        const LoopProgram program = loweredFor(dag, kTiledProduct, gpuTarget());
        const MachineCode code = compiled(program, gpuTarget());
        const QStringList shown = QString::fromStdString(printProgram(program)).split(u'\n');
        const QStringList lines = QString::fromStdString(code.assembly.text).split(u'\n');
        int checked = 0;
        for (const LineLink &link : code.assembly.links) {
            const QString &text = lines.at(link.textLine - 1);
            const QString &source = shown.at(link.programLine - 1);
            const auto implies = [&](const char *instruction, const char *statement) {
                if (!text.contains(QLatin1String(instruction))) return;
                ++checked;
                QVERIFY2(source.contains(QLatin1String(statement)),
                         qPrintable(text + QStringLiteral(" comes from ") + source));
            };
            implies("bar.sync", "barrier");
            implies("ld.global.nc.v2", "A.shared");
            implies("fma.rn", "C.local[");
            implies("st.global", " C[");
        }
        QVERIFY2(checked > 10, qPrintable(QString::number(checked)));
        QVERIFY(!code.ir.links.empty());
    }

    /// A variable of bytes is a value, where one of 32 bits may be an index.
    void variablesOfBytes() {
        OneBlock k;
        const Buffer &a = k.argument("A", {32}, DType::Int8);
        const Buffer &c = k.output("C", {32}, DType::Int8);
        const Expr x = makeVar("x", DType::Int8);
        const Stmt inside = KernelMaker::store(c, {k.t}, makeBinary(ExprKind::Add, x, makeInt(1, DType::Int8)));
        const LoopProgram program = k.of({makeLetStmt(
            x, KernelMaker::load(a, {k.t}), makeIf(makeBinary(ExprKind::Lt, x, makeInt(3, DType::Int8)), inside))});
        QCOMPARE(missing(compiled(program, gpuTarget()).assembly.text, {"ld.global.nc.u8", "setp.", "st.global.u8"}),
                 std::string());
    }

    void eachStageIsAnEntry() {
        const std::string ptx = codeOf(matmulChainDag(8), R"([["AN",2,0,6],["AN",4,0,5],["AN",4,1,6]])").assembly.text;
        QCOMPARE(missing(ptx, {".entry sample_kernel0(", ".entry sample_kernel1("}), std::string());
    }

    /// Functions are code of the kernel: nothing is called that no library brings.
    void functionsAreWrittenOut() {
        const std::string ptx =
            codeOf(elementwiseDag(64, 64), R"([["CI",1],["CI",2],["AN",3,0,5],["AN",3,1,6]])").assembly.text;
        QCOMPARE(missing(ptx, {"fma.rn.f32", "shl.b32"}), std::string());
        QCOMPARE(countOf(ptx, "call"), 0);
        QCOMPARE(countOf(ptx, ".extern"), 0);
        QCOMPARE(countOf(codeOf(softmaxDag(64, 64), "[]").assembly.text, "call"), 0);
    }

    void functionsOfEachType_data() {
        QTest::addColumn<int>("function");
        QTest::addColumn<int>("type");
        for (int f = static_cast<int>(Intrinsic::Exp); f <= static_cast<int>(Intrinsic::Fmod); ++f)
            for (const DType type : {DType::Float16, DType::Float32, DType::Float64})
                QTest::addRow("%s %s", intrinsicName(static_cast<Intrinsic>(f)).data(), dtypeName(type).data())
                    << f << static_cast<int>(type);
    }
    void functionsOfEachType() {
        QFETCH(const int, function);
        QFETCH(const int, type);
        const auto dtype = static_cast<DType>(type);
        const auto intrinsic = static_cast<Intrinsic>(function);
        DagBuilder builder;
        const Tensor &a = builder.placeholder("A", {64}, dtype);
        const std::vector<Axis> i = {axis("i", 64)};
        const Expr x = load(a, {i[0].var});
        std::vector<Expr> args(static_cast<size_t>(intrinsicArity(intrinsic)), x);
        const Tensor &b = builder.compute("B", i, makeCall(intrinsic, dtype, args));
        const DagPtr dag = builder.build({&b});
        const LoopProgram program = loweredFor(dag, R"([["AN",1,0,6]])", gpuTarget());
        Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(gpuTarget());
        QVERIFY(generator.ok());
        const Outcome<MachineCode> code = (*generator)->compile(program, {});
        QVERIFY2(code.ok(), code ? "" : code.why().c_str());
        const std::string ptx(code->kernel.object.begin(), code->kernel.object.end());
        QCOMPARE(countOf(ptx, "call"), 0);
    }

    /// Functions of whole numbers are of no use to anybody: there is no code for them.
    void functionsOfWholeNumbersAreRefused() {
        OneBlock k;
        const Buffer &a = k.argument("A", {32}, DType::Int32);
        const Buffer &c = k.output("C", {32}, DType::Int32);
        const LoopProgram program = k.of({KernelMaker::store(
            c, {k.t}, KernelMaker::call(Intrinsic::Tanh, DType::Int32, {KernelMaker::load(a, {k.t})}))});
        Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(gpuTarget());
        QVERIFY(generator.ok());
        const Outcome<MachineCode> code = (*generator)->compile(program, {});
        QVERIFY(!code.ok());
        QVERIFY2(code.why().rfind("no machine code for `", 0) == 0, code.why().c_str());
    }

    /// Registers of 32 bits are what threads hand to each other: narrower values are widened, wider ones go in halves.
    void shufflesOfEachType_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("shuffles");
        for (const DType type :
             {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32,
              DType::Float16, DType::BFloat16, DType::Float32, DType::Int64, DType::Float64})
            QTest::newRow(dtypeName(type).data()) << static_cast<int>(type) << (dtypeBytes(type) == 8 ? 2 : 1);
    }
    void shufflesOfEachType() {
        QFETCH(const int, type);
        QFETCH(const int, shuffles);
        const auto dtype = static_cast<DType>(type);
        OneBlock k;
        const Buffer &a = k.argument("A", {32}, dtype);
        const Buffer &c = k.output("C", {32}, dtype);
        const LoopProgram program = k.of({KernelMaker::store(
            c, {k.t}, KernelMaker::call(Intrinsic::ShuffleXor, dtype, {KernelMaker::load(a, {k.t}), makeInt(16)}))});
        QCOMPARE(countOf(compiled(program, gpuTarget()).assembly.text, "shfl.sync.bfly.b32"), shuffles);
    }

    void conditionsStandBesideBarriers() {
        const std::string ptx = codeOf(matmulDag(13, 5, 4), R"([["CHW",2,"shared"],["SP",3,0,0,[8],1],["AN",3,0,5],
            ["CA",2,3,0],["AN",3,1,6],["SP",2,0,0,[4],1],["AN",2,1,6]])")
                                    .assembly.text;
        QCOMPARE(countOf(ptx, "bar.sync"), 1);
        QCOMPARE(missing(ptx, {"setp", "@%p", ".shared .align 16"}), std::string());
    }

    void largeTilesAreAskedForAtTheLaunch() {
        Target target = gpuTarget();
        target.hardware.maxSharedMemoryPerBlock = 163 * 1024;
        const MachineCode code =
            codeOf(matmulDag(4, 30, 401),
                   R"([["CHR",1,"shared",[2]],["CHR",0,"shared",[3]],["AN",4,0,5],["CA",3,4,0],["CA",1,4,0]])", target);
        QCOMPARE(missing(code.assembly.text, {".extern .shared .align 16 .b8 shared_piece[]"}), std::string());
        QCOMPARE(code.kernel.launch.grids[0].sharedBytes, int64_t{1616 + 48128});
    }

    void dialects_data() {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("made");
        for (const auto &[asked, made] :
             {std::pair("sm_70", "sm_70 ptx63"), std::pair("sm_75", "sm_75 ptx63"), std::pair("sm_86", "sm_86 ptx71"),
              std::pair("sm_90a", "sm_90 ptx78"), std::pair("sm_120", "sm_90 ptx78")})
            QTest::newRow(asked) << asked << made;
    }
    void dialects() {
        QFETCH(const QString, asked);
        QFETCH(const QString, made);
        const PtxDialect dialect = dialectFor(asked.toStdString());
        QCOMPARE(QString::fromStdString(dialect.architecture + " " + dialect.version), made);
        Target target = gpuTarget();
        target.attrs["arch"] = asked.toStdString();
        const std::string ptx = codeOf(matmulDag(8, 8, 8), "[]", target).assembly.text;
        QCOMPARE(missing(ptx, {".target " + dialect.architecture}), std::string());
        QCOMPARE(ptx.rfind("// for " + asked.toStdString() + ", in the PTX of sm_90, the newest before it", 0) == 0,
                 asked.toStdString() != dialect.architecture);
    }

    void namesThatAreNoArchitecture() {
        for (const char *name : {"sm_", "gfx90a", "sm_35", "sm_80x"}) {
            try {
                (void)dialectFor(name);
                QFAIL(name);
            } catch (const Error &error) {
                QCOMPARE(std::string(error.what()), "there is no PTX for the architecture `" + std::string(name) +
                                                        "` (-arch of the target); sm_50 and newer have it");
            }
        }
    }
};

LOOPSCOPE_TEST(NvptxTest)

} // namespace nvptx_test
#include "nvptx_test.moc"
