#pragma once
// Schedules whose kernels have shared buffers that follow one another: of matmulChainDag(16) (D = A B, E = D C), and of
// softmaxDag with rows of 64 elements.

namespace loopscope {

// D = A B in shared memory, a tile for each block, and E = D C from it: the tiles of A and B are dead before the first
// of C is fetched.
inline constexpr const char *kTwoProducts = R"([["CHR",3,"shared",[4]],["CHR",1,"shared",[2]],["CHR",0,"shared",[3]],
    ["SP",7,0,16,[4],1],["FU",7,[1,2]],["SP",7,2,16,[4],1],["AN",7,0,5],["AN",7,1,6],["CA",6,7,2],["CA",4,7,0],
    ["FU",6,[0,1]],["AN",6,0,6],["FU",4,[0,1]],["SP",4,1,16,[4],1],["AN",4,0,6],["CA",1,4,1],["CA",3,4,1],
    ["FU",1,[0,1]],["AN",1,0,6],["FU",3,[0,1]],["AN",3,0,6]])";

// The same with a part of D for every round of E's sum: its tiles and those of C take turns.
inline constexpr const char *kTakingTurns =
    R"([["CHW",2,"shared"],["CI",3],["CHR",4,"shared",[5]],["CHR",1,"shared",[2]],
    ["CHR",0,"shared",[3]],["SP",8,0,16,[4],1],["FU",8,[1,2]],["SP",8,2,16,[4],1],["AN",8,0,5],["AN",8,1,6],
    ["CA",7,8,2],["CA",4,8,2],["FU",7,[0,1]],["AN",7,0,6],["FU",4,[0,1]],["SP",4,1,16,[4],1],["AN",4,0,6],
    ["CA",1,4,1],["CA",3,4,1],["FU",1,[0,1]],["AN",1,0,6],["FU",3,[0,1]],["AN",3,0,6]])";

// Each row by a block of 64 threads, who combine their parts of the maximum and of the sum in shared memory.
inline constexpr const char *kRowsByBlocks = R"([["AN",4,0,5],["AN",4,1,6],["CA",3,4,0],["AN",3,1,6],["CA",2,4,0],
    ["AN",2,1,6],["CA",1,4,0],["AN",1,1,6]])";

} // namespace loopscope
