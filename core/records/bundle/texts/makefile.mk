# Made by Loopscope; README.txt says what this is.
CXX ?= c++

.PHONY: run clean
run: runner
	./runner

runner: run.cpp
	$(CXX) -std=c++17 -O1 -o runner run.cpp -ldl -pthread

clean:
	rm -f runner results.json results.json.part candidate-*.so candidate-*.cubin candidate-*.log
