#!/bin/sh
set -e
# Not on an upgrade, for which Debian passes `upgrade` and RPM 1.
if [ "$1" = remove ] || [ "$1" = 0 ]; then
  [ ! -d /run/systemd/system ] || systemctl disable --now agent-platform-exporter.service
fi
