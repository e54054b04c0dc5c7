// What programs are made of: the modules of a plan, the texts of its kernels in every form, and shared libraries,
// damaged ones among them.

#include "codegen/llvm/object_listing.h"
#include "deploy/inspect/kernel_text.h"
#include "deploy/inspect/module_tree.h"
#include "deploy/network/build.h"
#include "deploy/network/small_network.h"
#include "networks/passes/pipeline.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>
#include <random>

namespace loopscope {

namespace {

struct Built {
    Target target = parseTarget("llvm");
    ExecutionPlan plan;
    std::vector<KernelTask> tasks;
};

const Built &built() {
    static const Built made = [] {
        Built built;
        const FunctionPtr function = smallNetwork();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        auto tasks = kernelTasks(*function, partition, built.target);
        if (!tasks) qFatal("%s", tasks.why().c_str());
        built.tasks = std::move(tasks).value();
        auto plan = buildPlan(*function, partition, built.target);
        if (!plan) qFatal("%s", plan.why().c_str());
        built.plan = std::move(plan->plan);
        built.plan.network = "small";
        return built;
    }();
    return made;
}

const InspectedModule *moduleOf(const ModuleTree &tree, ModuleKind kind) {
    const auto found = std::ranges::find(tree.modules, kind, &InspectedModule::kind);
    return found != tree.modules.end() ? &*found : nullptr;
}

std::string someLibrary() {
    QFile file(QStringLiteral(LOOPSCOPE_SOME_LIBRARY));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the library is not there");
    return file.readAll().toStdString();
}

} // namespace

class InspectTest : public QObject {
    Q_OBJECT

  private slots:
    void aPlanIsModules() {
        const ModuleTree tree = modulesOf(built().plan);
        const InspectedModule &root = tree.modules.front();
        QCOMPARE(root.kind, ModuleKind::Network);
        QCOMPARE(root.functions.front().signature, std::string("(x: float32[1, 3, 16, 16]) -> (prob: float32[1, 10])"));
        QCOMPARE(root.imports.size(), tree.modules.size() - 1);
        const InspectedModule *kernels = moduleOf(tree, ModuleKind::Kernels);
        QVERIFY(kernels != nullptr);
        QCOMPARE(kernels->functions.size(), built().plan.kernels.size());
        size_t calls = 0;
        std::set<std::string> names;
        for (const InspectedFunction &function : kernels->functions) {
            QVERIFY2(function.bytes > 0, function.name.c_str());
            QVERIFY2(function.signature.find(") -> (") != std::string::npos, function.signature.c_str());
            QVERIFY2(names.insert(function.name).second, function.name.c_str());
            QCOMPARE(function.origin, std::string("default"));
            calls += function.calls;
        }
        QCOMPARE(calls, size_t(std::ranges::count_if(built().plan.calls, [](const PlanCall &call) {
                     return call.kernel != PlanCall::kNoKernel;
                 })));
        const InspectedModule *constants = moduleOf(tree, ModuleKind::Constants);
        QVERIFY(constants != nullptr);
        QCOMPARE(constants->constants.size(), built().plan.constants.size());
        size_t packed = 0;
        for (const PackedConstant &one : built().plan.packed) packed += one.bytes;
        QCOMPARE(constants->bytes(), packed);
        const auto json = tree.json();
        QCOMPARE(json["modules"].size(), tree.modules.size());
        QCOMPARE(json["modules"][0]["imports"].size(), root.imports.size());
        QVERIFY(tree.text().starts_with("network small, 1 function; "));
        const std::string text = planText(built().plan);
        QCOMPARE(size_t(std::ranges::count(text, '\n')), built().plan.calls.size());
        QVERIFY2(text.find(" -> prob") != std::string::npos, text.c_str());
    }

    void whatALibraryComputesIsAModuleOfItsOwn() {
        ExecutionPlan plan = built().plan;
        plan.kernels.front().routine = LibraryRoutine{};
        plan.kernels.front().routine->library = "onednn";
        const ModuleTree tree = modulesOf(plan);
        const InspectedModule *library = moduleOf(tree, ModuleKind::Library);
        QVERIFY(library != nullptr);
        QCOMPARE(library->name, std::string("onednn"));
        QCOMPARE(library->functions.front().origin, std::string("onednn"));
        const auto text = kernelText(plan.kernels.front(), &built().tasks.front().task, built().target, KernelForm::C);
        QVERIFY(!text);
        QVERIFY2(text.why().ends_with("is offloaded to the library onednn, of which there is no text"),
                 text.why().c_str());
    }

    void everyKernelInEveryForm() {
        for (size_t i = 0; i < built().plan.kernels.size(); ++i)
            for (const KernelForm form : allKernelForms()) {
                const PlanKernel &kernel = built().plan.kernels[i];
                const auto text = kernelText(kernel, &built().tasks[i].task, built().target, form);
                QVERIFY2(text, text ? "" : text.why().c_str());
                const std::string &entry = kernel.code.launch.entry;
                const std::string wanted = form == KernelForm::Loops         ? " in 0 .. "
                                           : form == KernelForm::C           ? "void " + entry
                                           : form == KernelForm::LlvmIr      ? "define "
                                           : form == KernelForm::Disassembly ? entry + ":\n"
                                                                             : entry + ":";
                QVERIFY2(text->find(wanted) != std::string::npos,
                         (std::string(kernelFormName(form)) + ": " + *text).c_str());
                QCOMPARE(kernelFormFromName(kernelFormName(form)), std::optional(form));
            }
        QCOMPARE(kernelFormFromName("fortran"), std::nullopt);
    }

    /// Every byte of a kernel is read as one instruction or another.
    void machineCodeIsReadToItsEnd() {
        for (const PlanKernel &kernel : built().plan.kernels) {
            const auto listing = listObject(kernel.code.object);
            QVERIFY(listing);
            const ObjectSymbol *entry = listing->find(kernel.code.launch.entry);
            QVERIFY(entry != nullptr && entry->function && entry->defined && entry->bytes > 0);
            const auto text = disassembleFunction(kernel.code.object, entry->name, built().target);
            QVERIFY2(text, text ? "" : text.why().c_str());
            QVERIFY2(text->find("\t.byte\t") == std::string::npos, text->c_str());
        }
    }

    void withoutTheTaskThereIsMachineCode() {
        const PlanKernel &kernel = built().plan.kernels.front();
        QVERIFY(kernelText(kernel, nullptr, built().target, KernelForm::Disassembly));
        const auto text = kernelText(kernel, nullptr, built().target, KernelForm::C);
        QVERIFY(!text);
        QVERIFY2(text.why().find("a plan keeps the machine code") == 0, text.why().c_str());
        const auto other = kernelText(kernel, &built().tasks.back().task, built().target, KernelForm::C);
        QVERIFY(!other);
        QVERIFY2(other.why().ends_with("is of another task"), other.why().c_str());
    }

    void aLibraryIsRead() {
        const auto tree = modulesOfLibrary(LOOPSCOPE_SOME_LIBRARY);
        QVERIFY2(tree, tree ? "" : tree.why().c_str());
        const InspectedModule &root = tree->modules.front();
        QCOMPARE(root.kind, ModuleKind::Library);
        const InspectedFunction *function = root.find("loopscope_call_from_python");
        QVERIFY(function != nullptr);
        QVERIFY(function->bytes > 0);
        const std::string bytes = someLibrary();
        const auto text = disassembleFunction(bytes, function->name, built().target);
        QVERIFY2(text, text ? "" : text.why().c_str());
        QVERIFY(text->starts_with(function->name + ":\n"));
        const auto none = disassembleFunction(bytes, "nobody", built().target);
        QVERIFY(!none);
        QCOMPARE(none.why(), std::string("the file has no function nobody"));
        // It needs the C library, whose functions are wanted.
        QVERIFY(std::ranges::any_of(tree->modules, [](const InspectedModule &module) {
            return module.kind == ModuleKind::Library && module.name.starts_with("libc");
        }));
        const InspectedModule *wanted = moduleOf(*tree, ModuleKind::Wanted);
        QVERIFY(wanted != nullptr && !wanted->functions.empty());
        const auto outside = disassembleFunction(bytes, wanted->functions.front().name, built().target);
        QVERIFY(!outside);
        QVERIFY2(outside.why().find("it is wanted from others") != std::string::npos, outside.why().c_str());
    }

    void whatIsNoLibraryIsRefused() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("text.so"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is a text");
        file.close();
        const auto tree = modulesOfLibrary(path.toStdString());
        QVERIFY(!tree);
        QVERIFY2(tree.why().find("text.so: not an ELF file (bad magic)") != std::string::npos, tree.why().c_str());
        QVERIFY_THROWS_EXCEPTION(Error, (void)modulesOfLibrary("/nobody/is/here.so"));
    }

    /// Cut off anywhere, and with bytes that are others: a sentence or a list, never a crash.
    void damagedLibraries() {
        const std::string whole = someLibrary();
        std::mt19937_64 random(7);
        for (int i = 0; i < 1500; ++i) {
            std::string damaged = whole;
            if (i % 3 == 0) damaged.resize(random() % whole.size());
            const size_t changes = damaged.empty() ? 0 : random() % 8;
            for (size_t change = 0; change < changes; ++change) {
                // Half of them in the header and the tables, where places stand.
                const size_t reach = change % 2 == 0 ? std::min<size_t>(damaged.size(), 512) : damaged.size();
                damaged[random() % reach] = static_cast<char>(random());
            }
            const auto listing = listObject(damaged);
            if (!listing) continue;
            for (size_t at = 0; at < std::min<size_t>(listing->symbols.size(), 4); ++at)
                (void)disassembleFunction(damaged, listing->symbols[at].name, built().target);
        }
    }
};

LOOPSCOPE_TEST(InspectTest)
} // namespace loopscope

#include "inspect_test.moc"
