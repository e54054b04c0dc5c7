#include "views/program/schedule_texts.h"

#include <QObject>

namespace loopscope {

QString formTitle(FormKind form, bool gpu) {
    switch (form) {
    case FormKind::Loops:
        return QObject::tr("Loops");
    case FormKind::C:
        return gpu ? QObject::tr("CUDA") : QObject::tr("C");
    case FormKind::Ir:
        return QObject::tr("LLVM IR");
    case FormKind::Assembly:
        return gpu ? QObject::tr("PTX") : QObject::tr("Assembly");
    case FormKind::Machine:
        break;
    }
    return QObject::tr("SASS");
}

QString formTip(FormKind form, bool gpu) {
    switch (form) {
    case FormKind::Loops:
        return QObject::tr("The loop program after each pass of the lowering");
    case FormKind::C:
        return gpu ? QObject::tr("The final loop program as CUDA C++: its kernels and what launches them")
                   : QObject::tr("The final loop program as C with OpenMP");
    case FormKind::Ir:
        return QObject::tr("LLVM IR after optimisation");
    case FormKind::Assembly:
        return gpu ? QObject::tr("PTX, which the driver or ptxas makes machine code of")
                   : QObject::tr("Machine code for the target");
    case FormKind::Machine:
        break;
    }
    return QObject::tr("Machine code of the GPU's architecture, as ptxas makes it of the PTX");
}

CodeLanguage formLanguage(FormKind form, bool gpu) {
    switch (form) {
    case FormKind::Loops:
        return CodeLanguage::LoopProgram;
    case FormKind::C:
        return gpu ? CodeLanguage::Cuda : CodeLanguage::C;
    case FormKind::Ir:
        return CodeLanguage::LlvmIr;
    case FormKind::Assembly:
        return gpu ? CodeLanguage::Ptx : CodeLanguage::Assembly;
    case FormKind::Machine:
        break;
    }
    return CodeLanguage::Sass;
}

} // namespace loopscope
