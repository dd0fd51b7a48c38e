#!/usr/bin/env bash
# Smoke tests in fresh environments: one of exactly the lowest versions that pyproject.toml
# declares, and one of the newest versions for each supported Python that this machine has.
#
#     tools/versions.sh                    all of them
#     tools/versions.sh minimum 3.13       these
#
# Environments are made in a scratch folder (kept and used again where VERSIONS_DIR names one).
# The last lines say which environments passed; the exit code is 0 if all did.
set -u
cd "$(dirname "$0")/.."

LOWEST=3.11
# What old versions of others say of one another is not for us to mend.
OTHERS_WARN="-W default::DeprecationWarning -W default::FutureWarning"
PYTHONS="3.11 3.12 3.13 3.14"
SMOKE="tests/test_public_api.py tests/test_compiled.py tests/test_kernels.py
  tests/bounds/test_certificate.py tests/bounds/test_held_out.py tests/rules/test_rebuild.py
  tests/covering/test_explain.py tests/covering/test_inputs.py
  tests/programs/test_machine.py tests/programs/test_program.py
  tests/boosting/test_adaboost.py tests/boosting/test_lpboost_solver.py
  tests/pursuit/test_regressor.py tests/svm/test_solver.py tests/selection
  tests/export/test_export.py tests/files/test_model.py tests/report/test_page.py
  tests/verify/test_verify.py tests/cli/test_certify.py tests/cli/test_predict.py
  tests/cli/test_raw_rules.py tests/cli/test_origin.py tests/distributed/test_chunks.py
  tests/certified/test_classifier.py tests/candidates/test_menu.py tests/tables/test_formats.py"

python_of() {  # the interpreter of version $1, if the machine has it
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" \
        2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

try() {  # make the environment $1 with the interpreter $2, and run the smoke tests in it
  local place="$folder/$1" log="$folder/$1.log"
  echo "== $1: $("$2" --version), log in $log"
  {
    [ -x "$place/bin/python" ] || "$2" -m venv "$place"
    "$place/bin/python" -m pip install -q --upgrade pip
    if [ "$1" = minimum ]; then
      "$place/bin/python" tools/minimum_versions.py test >"$folder/minimum.txt"
      "$place/bin/python" -m pip install -q -r "$folder/minimum.txt" || return 1
    fi
    "$place/bin/python" -m pip install -q -e ".[test]" || return 1
    "$place/bin/python" -m pip freeze --exclude-editable
    # shellcheck disable=SC2086
    "$place/bin/python" -m pytest -o addopts="-q --strict-markers -n auto -m 'not slow'" \
      $OTHERS_WARN \
      $SMOKE
  } >"$log" 2>&1
}

folder="${VERSIONS_DIR:-}"
if [ -z "$folder" ]; then
  folder="$(mktemp -d)"
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
outcome=0
summary=""
for name in ${@:-minimum $PYTHONS}; do
  version="$name"
  [ "$name" = minimum ] && version="$LOWEST"
  if ! interpreter="$(python_of "$version")"; then
    summary+="$name: not tried, this machine has no Python $version"$'\n'
  elif try "$name" "$interpreter"; then
    summary+="$name: passed, $(tail -n 1 "$folder/$name.log")"$'\n'
  else
    outcome=1
    tail -n 30 "$folder/$name.log"
    summary+="$name: FAILED"$'\n'
  fi
done
printf '%s' "$summary"
exit "$outcome"
