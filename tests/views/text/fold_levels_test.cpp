// What can be folded: each line behind one ">" per level, "+" where a fold begins.

#include "test_program.h"
#include "views/text/fold_levels.h"

#include <QTest>

using namespace loopscope;

namespace {

/// Each line of the text behind one ">" per level, and "+" at headers.
std::string foldPicture(CodeLanguage language, std::string_view text) {
    FoldScanner scanner(language);
    std::vector<std::string_view> lines;
    for (size_t end = 0; end != std::string_view::npos;
         text.remove_prefix(end == std::string_view::npos ? 0 : end + 1)) {
        end = text.find('\n');
        lines.push_back(text.substr(0, end));
        scanner.add(lines.back());
    }
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
        const FoldLine &fold = scanner.lines()[i];
        out += std::string(fold.level, '>') + (fold.header ? "+ " : "  ");
        out += lines[i];
        out += '\n';
    }
    return out;
}

} // namespace

class FoldLevelsTest : public QObject {
    Q_OBJECT

    static QString picture(CodeLanguage language, const char *text) {
        return QString::fromStdString(foldPicture(language, text));
    }

  private slots:
    void loopsByIndentation() {
        QCOMPARE(picture(CodeLanguage::LoopProgram, "kernel(A)\n"
                                                    "    for i:\n"
                                                    "        for j:\n"
                                                    "            A[i, j] = 0f\n"
                                                    "    A[0] = 1f"),
                 QStringLiteral("  kernel(A)\n"
                                "+     for i:\n"
                                ">+         for j:\n"
                                ">>              A[i, j] = 0f\n"
                                "      A[0] = 1f\n"));
    }

    void bracesOfC() {
        QCOMPARE(picture(CodeLanguage::C, "void f() {\n"
                                          "    for (;;) {\n"
                                          "        x();\n"
                                          "    } else {\n"
                                          "        y();\n"
                                          "    }\n"
                                          "}\n"
                                          "int g;"),
                 QStringLiteral("+ void f() {\n"
                                ">+     for (;;) {\n"
                                ">>          x();\n"
                                ">+     } else {\n"
                                ">>          y();\n"
                                ">>      }\n"
                                ">  }\n"
                                "  int g;\n"));
    }

    void functionsAndLabelsOfIr() {
        QCOMPARE(picture(CodeLanguage::LlvmIr, "target\n"
                                               "define void @f() {\n"
                                               "entry:\n"
                                               "  br label %a\n"
                                               "\n"
                                               "a:\n"
                                               "  ret void\n"
                                               "}\n"
                                               "\n"
                                               "attributes"),
                 QStringLiteral("  target\n"
                                "+ define void @f() {\n"
                                ">+ entry:\n"
                                ">>    br label %a\n"
                                ">  \n"
                                ">+ a:\n"
                                ">>    ret void\n"
                                ">  }\n"
                                "  \n"
                                "  attributes\n"));
    }

    void labelsOfAssembly() {
        QCOMPARE(picture(CodeLanguage::Assembly, "\t.text\n"
                                                 "f:\n"
                                                 "\txorl\n"
                                                 "\t.p2align\t4\n"
                                                 ".LBB0_1:\n"
                                                 "\tincq\n"
                                                 "\t.p2align\t4\n"
                                                 ".LBB0_2:\n"
                                                 "\tretq\n"
                                                 ".Lfunc_end0:\n"
                                                 "\t.size\tf"),
                 QStringLiteral("  \t.text\n"
                                "+ f:\n"
                                ">  \txorl\n"
                                ">  \t.p2align\t4\n"
                                ">+ .LBB0_1:\n"
                                ">>  \tincq\n"
                                ">  \t.p2align\t4\n"
                                ">+ .LBB0_2:\n"
                                ">>  \tretq\n"
                                "  .Lfunc_end0:\n"
                                "  \t.size\tf\n"));
    }

    void labelsOfSass() {
        QCOMPARE(picture(CodeLanguage::Sass, "\t.target\tsm_80\n"
                                             "//---- .text.f\n"
                                             "f:\n"
                                             ".text.f:\n"
                                             "        /*0000*/ MOV R1, R2 ;\n"
                                             ".L_x_1:\n"
                                             "        /*0010*/ EXIT ;\n"
                                             "g:\n"
                                             "        /*0000*/ EXIT ;"),
                 QStringLiteral("  \t.target\tsm_80\n"
                                "  //---- .text.f\n"
                                "  f:\n"
                                "+ .text.f:\n"
                                ">          /*0000*/ MOV R1, R2 ;\n"
                                ">+ .L_x_1:\n"
                                ">>          /*0010*/ EXIT ;\n"
                                "+ g:\n"
                                ">          /*0000*/ EXIT ;\n"));
    }

    void continuationsOfTe() {
        QCOMPARE(picture(CodeLanguage::Te, "a = 1\nC(i) =\n    sum(k)\n    @x\n\nb = 2"),
                 QStringLiteral("  a = 1\n+ C(i) =\n>      sum(k)\n>      @x\n  \n  b = 2\n"));
    }
};

LOOPSCOPE_TEST(FoldLevelsTest)
#include "fold_levels_test.moc"
