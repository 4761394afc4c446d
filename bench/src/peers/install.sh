#!/usr/bin/env bash
# Installs PostgreSQL VERSION from Debian's release SUITE into the folder ROOT, as a system of its own (debootstrap), so that
# the machine's packages stay as they are. Debian's 18 is built with io_uring.
# usage: install.sh VERSION SUITE ROOT
set -euo pipefail
VERSION=$1 SUITE=$2 ROOT=$3
MIRROR=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -1)
[ -n "$MIRROR" ] || { echo "this machine has no Debian package source" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
SCRIPT=/usr/share/debootstrap/scripts/$SUITE
[ -e "$SCRIPT" ] || SCRIPT=/usr/share/debootstrap/scripts/sid
rm -rf "$ROOT.new"
debootstrap --variant=minbase --include=ca-certificates "$SUITE" "$ROOT.new" "$MIRROR" "$SCRIPT" >&2
# Packages must not start servers, nor leave mounts behind: a mount namespace of its own.
printf '#!/bin/sh\nexit 101\n' > "$ROOT.new/usr/sbin/policy-rc.d"
chmod +x "$ROOT.new/usr/sbin/policy-rc.d"
ROOT_NEW=$ROOT.new VERSION=$VERSION unshare -m bash -euc '
    mount -t proc proc "$ROOT_NEW/proc"
    mount --rbind /dev "$ROOT_NEW/dev"
    export DEBIAN_FRONTEND=noninteractive
    chroot "$ROOT_NEW" apt-get install -y -qq --no-install-recommends "postgresql-$VERSION" >&2'
mv "$ROOT.new" "$ROOT"
