#!/bin/sh
set -e
# Debian does not restore a configuration file that the administrator has removed, nor its directory.
for path in /etc/agent-platform-exporter /etc/agent-platform-exporter/config.yaml; do
  [ ! -e "$path" ] || chgrp agent-platform-exporter "$path"
done
[ ! -d /etc/agent-platform-exporter ] || chmod 0750 /etc/agent-platform-exporter
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # An upgrade; after a first installation there is no key yet, so nothing is started.
  systemctl try-restart agent-platform-exporter.service
fi
# Debian passes the previous version, RPM the number of installed versions.
if [ "$1" = configure ] && [ -z "$2" ] || [ "$1" = 1 ]; then
  echo 'Edit /etc/agent-platform-exporter/config.yaml, then: systemctl enable --now agent-platform-exporter'
fi
