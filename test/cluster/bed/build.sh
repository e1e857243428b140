#!/usr/bin/env bash
# Builds the real parts of the test bed from their Go modules into a cache folder that is named after the exact versions.
#
#   build.sh                builds missing programs; progress goes to stderr, and the folder of the programs to stdout
#   build.sh helm3 helm4    builds only the programs of these module folders, which no other test needs
#   build.sh argo-rollouts  builds only the controller of Argo Rollouts, beside its definitions in the folder crds
#   build.sh --where [helm3|helm4|argo-rollouts]    prints the folder of the programs without a build
#
# The cache is $LOOKOUT_TEST_BED, else lookout/test-bed in the user's cache folder. If no program is missing, Go is not needed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"

cache=${LOOKOUT_TEST_BED:-${XDG_CACHE_HOME:-$HOME/.cache}/lookout/test-bed}
versions=$(cat kubernetes/go.mod kubernetes/go.sum registry/go.mod registry/go.sum | sha256sum | cut -c 1-16)

# Prints the folder of a module's programs. Modules that most tests do not need have a hash of their own.
folder_of() {
  case $1 in
    helm3 | helm4) echo "$cache/$1-$(cat "$1/go.mod" "$1/go.sum" | sha256sum | cut -c 1-16)/bin" ;;
    argo-rollouts) echo "$cache/$1-$(sha256sum <"$1/module" | cut -c 1-16)/bin" ;;
    *) echo "$cache/$versions/bin" ;;
  esac
}

wanted=
where=
for argument in "$@"; do
  case $argument in
    --where) where=yes ;;
    helm3 | helm4 | argo-rollouts) wanted+=" $argument" ;;
    *) echo "build.sh: unknown argument \"$argument\"; expected --where, helm3, helm4 or argo-rollouts" >&2; exit 2 ;;
  esac
done
wanted=${wanted:-kubernetes registry}
if [ -n "$where" ]; then folder_of ${wanted}; exit 0; fi

say() { printf '%4d s  %s\n' "$SECONDS" "$*" >&2; }

# program, module folder, package
programs='
crane                    registry    github.com/google/go-containerregistry/cmd/crane
registry                 registry    github.com/distribution/distribution/v3/cmd/registry
etcd                     kubernetes  go.etcd.io/etcd/server/v3
kube-apiserver           kubernetes  k8s.io/kubernetes/cmd/kube-apiserver
kube-controller-manager  kubernetes  k8s.io/kubernetes/cmd/kube-controller-manager
kube-scheduler           kubernetes  k8s.io/kubernetes/cmd/kube-scheduler
kubectl                  kubernetes  k8s.io/kubernetes/cmd/kubectl
kwok                     kubernetes  sigs.k8s.io/kwok/cmd/kwok
helm3                    helm3       helm.sh/helm/v3/cmd/helm
helm4                    helm4       helm.sh/helm/v4/cmd/helm
'

need_go() {
  command -v go >/dev/null && return
  local version
  version=$(awk '$1 == "go" { print $2 }' kubernetes/go.mod)
  echo "build.sh: the program \"go\" is not in PATH; the test bed is built from Go modules and needs Go $version or newer" >&2
  exit 1
}

# Without a version at the build, a Kubernetes program has the version v0.0.0-master, which clients refuse.
version_flags() {
  local version major minor package
  version=$(awk '$1 == "require" && $2 == "k8s.io/kubernetes" { print $3 }' kubernetes/go.mod)
  IFS=. read -r major minor _ <<<"${version#v}"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf ' -X %s=%s' "$package.gitVersion" "$version" "$package.gitMajor" "$major" "$package.gitMinor" "$minor" "$package.gitTreeState" clean
  done
}

partial=
trap 'rm -f "$partial"' EXIT

build() {
  local name=$1 module=$2 package=$3 flags='-s -w' bin
  bin=$(folder_of "$module")
  mkdir -p "$bin"
  if [ -x "$bin/$name" ]; then return; fi
  need_go
  if [ "$module" = kubernetes ]; then flags+=$(version_flags); fi
  say "building $name"
  partial=$(mktemp "$bin/.$name.XXXXXX")
  (cd "$module" && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off go build -ldflags="$flags" -o "$partial" "$package") >&2
  chmod 755 "$partial"
  mv -f "$partial" "$bin/$name" # in one step: another build, or a test, never sees half a program
  say "built    $name"
}

# Argo Rollouts replaces modules, so Go builds it only in its own folder.
build_argo_rollouts() {
  local path version sum folder bin answer
  bin=$(folder_of argo-rollouts)
  if [ -x "$bin/rollouts-controller" ]; then return; fi
  need_go
  read -r path version sum <argo-rollouts/module
  answer=$(cd / && GOWORK=off go mod download -json "$path@$version")
  if ! grep -qF "\"$sum\"" <<<"$answer"; then echo "build.sh: $path $version has another checksum than $sum" >&2; exit 1; fi
  folder=$(awk -F'"' '$2 == "Dir" { print $4 }' <<<"$answer")
  say "building rollouts-controller"
  mkdir -p "$bin" "$bin/../crds"
  cp "$folder"/manifests/crds/*-crd.yaml "$bin/../crds/"
  chmod 644 "$bin/../crds"/*
  partial=$(mktemp "$bin/.rollouts-controller.XXXXXX")
  (cd "$folder" && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off go build -trimpath -ldflags='-s -w' -o "$partial" ./cmd/rollouts-controller) >&2
  chmod 755 "$partial"
  mv -f "$partial" "$bin/rollouts-controller"
  say "built    rollouts-controller"
}

if [[ " $wanted " == *" argo-rollouts "* ]]; then build_argo_rollouts; fi
while read -r name module package; do
  if [[ -n $name && " $wanted " == *" $module "* ]]; then build "$name" "$module" "$package"; fi
done <<<"$programs"
for module in $wanted; do folder_of "$module"; done | uniq
