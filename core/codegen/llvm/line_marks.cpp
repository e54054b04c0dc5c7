#include "codegen/llvm/line_marks.h"

#include "codegen/llvm/disassembly.h"

#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace loopscope {

namespace {

class LineMarks : public llvm::AssemblyAnnotationWriter {
  public:
    void printInfoComment(const llvm::Value &value, llvm::formatted_raw_ostream &out) override {
        const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
        if (!instruction) return;
        const llvm::DebugLoc &place = instruction->getDebugLoc();
        if (place && place.getLine() > 0) out << ' ' << irLineMark.data() << place.getLine();
    }
};

} // namespace

LinkedText printLinkedIr(const llvm::Module &module) {
    std::string printed;
    llvm::raw_string_ostream out(printed);
    LineMarks marks;
    module.print(out, &marks);
    return readIr(out.str());
}

} // namespace loopscope
