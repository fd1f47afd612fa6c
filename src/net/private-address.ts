import { BlockList } from 'node:net';

/** Networks of IPv4 by their prefix; each also as IPv6 maps, embeds and translates them. */
function networks(v4: Readonly<Record<string, number>>, v6: Readonly<Record<string, number>>): BlockList {
  const list = new BlockList();
  for (const [network, bits] of Object.entries(v4)) {
    list.addSubnet(network, bits, 'ipv4');
    for (const prefix of ['::ffff:', '::', '64:ff9b::']) {
      list.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6');
    }
  }
  for (const [network, bits] of Object.entries(v6)) list.addSubnet(network, bits, 'ipv6');
  return list;
}

/** This machine. */
const LOOPBACK = networks({ '0.0.0.0': 8, '127.0.0.0': 8 }, { '::': 127 });

/** Private, link-local with the metadata of clouds, carriers', reserved and multicast networks, and tunnels to any of them. */
const PRIVATE = networks(
  {
    '10.0.0.0': 8,
    '100.64.0.0': 10,
    '168.63.129.16': 32,
    '169.254.0.0': 16,
    '172.16.0.0': 12,
    '192.0.0.0': 24,
    '192.168.0.0': 16,
    '198.18.0.0': 15,
    '224.0.0.0': 3,
  },
  { '64:ff9b:1::': 48, '2001::': 32, '2002::': 16, 'fc00::': 7, 'fe80::': 9, 'ff00::': 8 },
);

/** How far an address reaches: this machine, no public network, or the internet. */
export function reachOf(address: string): 'loopback' | 'private' | 'public' {
  const bare = address.replace(/%.*/, '');
  const family = bare.includes(':') ? 'ipv6' : 'ipv4';
  if (LOOPBACK.check(bare, family)) return 'loopback';
  return PRIVATE.check(bare, family) ? 'private' : 'public';
}
