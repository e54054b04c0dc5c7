// The languages we show, as runs of one style.

#include "test_program.h"
#include "views/text/line_styles.h"

#include <QTest>

using namespace loopscope;

class LineStylesTest : public QObject {
    Q_OBJECT

  private slots:
    void styles_data() {
        QTest::addColumn<int>("language");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("runs");
        const auto row = [](const char *name, CodeLanguage language, const char *line, const char *runs) {
            QTest::newRow(name) << static_cast<int>(language) << QString::fromUtf8(line) << QString::fromUtf8(runs);
        };
        row("te workload", CodeLanguage::Te, "workload conv(N = 1) # one",
            "Keyword:workload Text:_ Function:conv Text:(N_=_ Number:1 Text:)_ Comment:#_one");
        row("te placeholder", CodeLanguage::Te, "A = placeholder [N, 3] float32",
            "Text:A_=_ Keyword:placeholder Text:_[N,_ Number:3 Text:]_ Type:float32");
        row("te reduction", CodeLanguage::Te, "C(i < N) = sum(k < K; A[i, k])",
            "Function:C Text:(i_<_N)_=_ Keyword:sum Text:(k_<_K;_A[i,_k])");
        row("te attribute", CodeLanguage::Te, "    @layout_free_placeholders[kernel]",
            "Text:____ Label:@layout_free_placeholders Text:[kernel]");
        row("te string", CodeLanguage::Te, "w \"place # holder\" = relu(x)",
            "Text:w_ String:\"place_#_holder\" Text:_=_ Function:relu Text:(x)");
        row("te operators", CodeLanguage::Te, "let OH = (H + 2*pad) // 2",
            "Keyword:let Text:_OH_=_(H_+_ Number:2 Text:*pad)_//_ Number:2");

        row("loops head", CodeLanguage::LoopProgram, "kernel(A: float32[2, 3], out C: float32[2] packed from [2])",
            "Function:kernel Text:(A:_ Type:float32 Text:[ Number:2 Text:,_ Number:3 Text:],_ Keyword:out Text:_C:_ "
            "Type:float32 Text:[ Number:2 Text:]_ Keyword:packed Text:_ Keyword:from Text:_[ Number:2 Text:])");
        row("loops for", CodeLanguage::LoopProgram, "    for i.0@j.0@ in 0 .. 12:",
            "Text:____ Keyword:for Text:_ Register:i.0@j.0@ Text:_ Keyword:in Text:_ Number:0 Text:_.._ Number:12 "
            "Text::");
        row("loops parallel", CodeLanguage::LoopProgram, "parallel i in 0 .. 4:  unroll up to 16",
            "Parallel:parallel Text:_ Register:i Text:_ Keyword:in Text:_ Number:0 Text:_.._ Number:4 Text:: "
            "Unroll:__unroll_up_to_16");
        row("loops vectorized", CodeLanguage::LoopProgram, "  vectorized x in 0 .. 8:",
            "Text:__ Vector:vectorized Text:_ Register:x Text:_ Keyword:in Text:_ Number:0 Text:_.._ Number:8 Text::");
        row("loops of blocks", CodeLanguage::LoopProgram, "blockIdx.x b in 0 .. 8:",
            "BlockBound:blockIdx.x Text:_ Register:b Text:_ Keyword:in Text:_ Number:0 Text:_.._ Number:8 Text::");
        row("loops of virtual threads", CodeLanguage::LoopProgram, "  vthread v in 0 .. 2:",
            "Text:__ VThreadBound:vthread Text:_ Register:v Text:_ Keyword:in Text:_ Number:0 Text:_.._ Number:2 "
            "Text::");
        row("loops of threads", CodeLanguage::LoopProgram, "  threadIdx.y t in 0 .. 4:",
            "Text:__ ThreadBound:threadIdx.y Text:_ Register:t Text:_ Keyword:in Text:_ Number:0 Text:_.._ Number:4 "
            "Text::");
        row("loops store", CodeLanguage::LoopProgram, "  C.acc[0] = max(C.acc[0], 0f)",
            "Text:__C.acc[ Number:0 Text:]_=_ Function:max Text:(C.acc[ Number:0 Text:],_ Number:0f Text:)");
        row("loops store of a name like a word", CodeLanguage::LoopProgram, "  parallel[i] = 1",
            "Text:__parallel[i]_=_ Number:1");
        row("loops if", CodeLanguage::LoopProgram,
            "  if likely (i < 7):", "Text:__ Keyword:if_likely Text:_(i_<_ Number:7 Text:):");
        row("loops allocate", CodeLanguage::LoopProgram, "  allocate B: float32[4] heap",
            "Text:__ Keyword:allocate Text:_B:_ Type:float32 Text:[ Number:4 Text:]_ Keyword:heap");

        row("c pragma", CodeLanguage::C, "    #pragma omp parallel for", "Text:____ Parallel:#pragma_omp_parallel_for");
        row("c statement", CodeLanguage::C, "for (int64_t i = 0; i < 8; ++i) { // tile",
            "Keyword:for Text:_( Type:int64_t Text:_i_=_ Number:0 Text:;_i_<_ Number:8 Text:;_++i)_{_ Comment://_tile");
        row("c call", CodeLanguage::C, "x = fmaxf(y, 1.5e-3f);",
            "Text:x_=_ Function:fmaxf Text:(y,_ Number:1.5e-3f Text:);");

        row("ir vector", CodeLanguage::LlvmIr, "  %4 = fadd contract <8 x float> %a.b, %3, !dbg !7",
            "Text:__ Register:%4 Text:_=_ Keyword:fadd Text:_ Quiet:contract Text:_ Vector:<8_x_float> Text:_ "
            "Register:%a.b Text:,_ Register:%3 Text:,_ Quiet:!dbg Text:_ Quiet:!7");
        row("ir label", CodeLanguage::LlvmIr, "loop3:   ; preds = %loop",
            "Label:loop3: Text:___ Comment:;_preds_=_%loop");
        row("ir define", CodeLanguage::LlvmIr, "define void @kernel(ptr noundef %0) #0 {",
            "Keyword:define Text:_ Type:void Text:_ Function:@kernel Text:( Type:ptr Text:_ Quiet:noundef Text:_ "
            "Register:%0 Text:)_ Quiet:#0 Text:_{");
        row("ir less than is no type", CodeLanguage::LlvmIr, "  %1 = icmp slt i64 %0, 12",
            "Text:__ Register:%1 Text:_=_ Keyword:icmp Text:_slt_ Type:i64 Text:_ Register:%0 Text:,_ Number:12");

        row("asm vector", CodeLanguage::Assembly, "\tvfmadd231ps\t(%r11), %ymm1, %ymm0",
            "Text:> Vector:vfmadd231ps Text:>( Register:%r11 Text:),_ Register:%ymm1 Text:,_ Register:%ymm0");
        row("asm scalar", CodeLanguage::Assembly, "\tvfmadd231ss\t4(%rax,%r10,4), %xmm1, %xmm0",
            "Text:> Keyword:vfmadd231ss Text:> Number:4 Text:( Register:%rax Text:, Register:%r10 Text:, Number:4 "
            "Text:),_ Register:%xmm1 Text:,_ Register:%xmm0");
        row("asm whole xmm", CodeLanguage::Assembly, "\tvaddps\t%xmm1, %xmm0, %xmm0",
            "Text:> Vector:vaddps Text:> Register:%xmm1 Text:,_ Register:%xmm0 Text:,_ Register:%xmm0");
        row("asm jump", CodeLanguage::Assembly, "\tjb\t.LBB0_3", "Text:> Function:jb Text:> Label:.LBB0_3");
        row("asm label", CodeLanguage::Assembly, ".LBB0_3:", "Label:.LBB0_3:");
        row("asm directive", CodeLanguage::Assembly, "\t.p2align\t4, 0x90", "Text:> Quiet:.p2align>4,_0x90");
        row("asm immediate", CodeLanguage::Assembly, "\tmovq\t$-1, %r10 # x",
            "Text:> Keyword:movq Text:> Number:$-1 Text:,_ Register:%r10 Text:_ Comment:#_x");

        row("cuda kernel", CodeLanguage::Cuda, "extern \"C\" __global__ void f(float *__restrict__ a)",
            "Keyword:extern Text:_ String:\"C\" Text:_ Keyword:__global__ Text:_ Type:void Text:_ Function:f Text:( "
            "Type:float Text:_* Keyword:__restrict__ Text:_a)");
        row("cuda threads", CodeLanguage::Cuda, "__syncthreads(); float4 x = a[threadIdx.x];",
            "ThreadBound:__syncthreads Text:();_ Vector:float4 Text:_x_=_a[ ThreadBound:threadIdx Text:.x];");
        row("c knows no threads", CodeLanguage::C, "int threadIdx;", "Type:int Text:_threadIdx;");

        row("ptx wide load", CodeLanguage::Ptx, "\tld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd4+16];",
            "Text:> Vector:ld.global.v4.f32 Text:_>{ Register:%f1 Text:,_ Register:%f2 Text:,_ Register:%f3 Text:,_ "
            "Register:%f4 Text:},_[ Register:%rd4 Text:+ Number:16 Text:];");
        row("ptx predicate", CodeLanguage::Ptx, "\t@!%p1 bra \t$L__BB0_2;",
            "Text:> Register:@!%p1 Text:_ Function:bra Text:_> Label:$L__BB0_2 Text:;");
        row("ptx place", CodeLanguage::Ptx, "\tmov.u32 \t%r1, %tid.x;",
            "Text:> Keyword:mov.u32 Text:_> Register:%r1 Text:,_ ThreadBound:%tid.x Text:;");
        row("ptx block", CodeLanguage::Ptx, "\tmov.u32 \t%r1, %ctaid.x;",
            "Text:> Keyword:mov.u32 Text:_> Register:%r1 Text:,_ BlockBound:%ctaid.x Text:;");
        row("ptx barrier", CodeLanguage::Ptx, "\tbar.sync \t0;", "Text:> ThreadBound:bar.sync Text:_> Number:0 Text:;");
        row("ptx label", CodeLanguage::Ptx, "$L__BB0_2:                 // in loop",
            "Label:$L__BB0_2: Text:_________________ Comment://_in_loop");
        row("ptx directive", CodeLanguage::Ptx, "\t.loc\t1 5 0", "Text:> Quiet:.loc>1_5_0");
        row("ptx kernel", CodeLanguage::Ptx, ".visible .entry mm_kernel0(",
            "Quiet:.visible Text:_ Quiet:.entry Text:_ Function:mm_kernel0 Text:(");

        row("sass wide load", CodeLanguage::Sass, "        /*0050*/                   LDG.E.128 R4, [R2.64+0x10] ;",
            "Text:________ Quiet:/*0050*/ Text:___________________ Vector:LDG.E.128 Text:_ Register:R4 Text:,_[ "
            "Register:R2.64 Text:+ Number:0x10 Text:]_;");
        row("sass predicate", CodeLanguage::Sass, "        /*0090*/              @!P0 BRA `(.L_x_2) ;",
            "Text:________ Quiet:/*0090*/ Text:______________ Register:@!P0 Text:_ Function:BRA Text:_`( Label:.L_x_2 "
            "Text:)_;");
        row("sass place", CodeLanguage::Sass, "        /*0010*/   S2R R6, SR_TID.X ;",
            "Text:________ Quiet:/*0010*/ Text:___ Keyword:S2R Text:_ Register:R6 Text:,_ ThreadBound:SR_TID.X "
            "Text:_;");
        row("sass barrier", CodeLanguage::Sass, "  /*0080*/  BAR.SYNC.DEFER_BLOCKING 0x0 ;",
            "Text:__ Quiet:/*0080*/ Text:__ ThreadBound:BAR.SYNC.DEFER_BLOCKING Text:_ Number:0x0 Text:_;");
        row("sass label", CodeLanguage::Sass, ".L_x_1:", "Label:.L_x_1:");
    }

    void styles() {
        QFETCH(int, language);
        QFETCH(QString, line);
        QFETCH(QString, runs);
        QCOMPARE(QString::fromStdString(styleRuns(static_cast<CodeLanguage>(language), line.toStdString())), runs);
    }

    /// Whatever a line is, the styles cover it exactly and nothing is read beyond it.
    void nothingIsTooStrange() {
        const std::string pieces[] = {"",   "\"", "<",  "%",    "$",   "@",  "#",       "0x",
                                      "1.", "..", ".L", "for ", "in ", "\\", "\xC3\xBC"};
        for (int language = 0; language < kCodeLanguages; ++language)
            for (const std::string &a : pieces)
                for (const std::string &b : pieces) {
                    std::vector<CodeStyle> styles;
                    const std::string line = a + b + a;
                    styleLine(static_cast<CodeLanguage>(language), line, styles);
                    QCOMPARE(styles.size(), line.size());
                }
    }
};

LOOPSCOPE_TEST(LineStylesTest)
#include "line_styles_test.moc"
