#!/bin/sh
# bare-root.sh DEB FOLDER: makes a root with Debian's essential packages, what the given package depends on, what those
# depend on, and nothing else. Copied from this machine, because any other source would be a mirror.
set -eu
package=$1; root=$2
names() { tr ',' '\n' | sed 's/|.*//; s/(.*//; s/:any//; s/[[:space:]]//g' | sed '/^$/d' | sort -u; }
wanted=$( { dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p'; dpkg-deb -f "$package" Depends | names; } | sort -u)
while :; do
  more=$( { echo "$wanted"; dpkg-query -W -f '${Depends},${Pre-Depends},' $wanted 2>/dev/null | names; } | sort -u)
  [ "$more" = "$wanted" ] && break
  wanted=$more
done
wanted=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^ii *//p' | sort -u)
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/tmp" "$root/proc" "$root/dev" "$root/etc" "$root/var/log"
for link in bin sbin lib lib64; do mkdir -p "$root/usr/$link"; ln -s "usr/$link" "$root/$link"; done
dpkg -L $wanted | sort -u | while read -r path; do [ -d "$path" ] && [ ! -h "$path" ] || [ ! -e "$path" ] || echo "$path"; done |
  tar -c -P --ignore-failed-read -T - 2>/dev/null | tar -x -C "$root" --keep-directory-symlink --strip-components=0
: >"$root/var/lib/dpkg/available"
cp /etc/passwd /etc/group "$root/etc/"
dpkg-query -s $wanted >"$root/var/lib/dpkg/status"
cp /var/lib/dpkg/info/format "$root/var/lib/dpkg/info/"
for name in $wanted; do cp /var/lib/dpkg/info/"$name".list /var/lib/dpkg/info/"$name":*.list "$root/var/lib/dpkg/info/" 2>/dev/null || :; done
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/urandom" c 1 9
