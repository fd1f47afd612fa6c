import { configErrorAt, type YamlNode } from '../config/tree.ts';

const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const MIN_COST = 4;
/** Each further step doubles the time of a check: 14 takes most of a second already. */
const MAX_CHEAP_COST = 14;
/** What bcrypt itself knows. */
const MAX_COST = 31;
const MAX_USERS = 1_000;

/** Reads `basic_auth_users`: bcrypt hashes by user name. No message repeats a hash. */
export function readUsers(
  node: YamlNode,
  warn: (node: YamlNode, warning: string) => void,
): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  if (node.tree.kind === 'empty') return users;
  if (node.tree.kind !== 'mapping') {
    throw configErrorAt(node, 'must be a mapping of user names to bcrypt hashes');
  }
  if (node.tree.entries.size > MAX_USERS) throw configErrorAt(node, `has more than ${MAX_USERS} users`);
  for (const [name, { line, tree }] of node.tree.entries) {
    const user = { file: node.file, path: `${node.path}.${shown(name)}`, line, tree };
    if (name === '') throw configErrorAt(user, 'is a user without a name');
    // Basic authentication takes what is before the first colon for the name.
    if (name.includes(':')) throw configErrorAt(user, 'is a user name with a colon, which nobody could send');
    users.set(name, hashOf(user, warn));
  }
  return users;
}

function hashOf(node: YamlNode, warn: (node: YamlNode, warning: string) => void): string {
  const text = node.tree.kind === 'text' ? node.tree.text : '';
  const cost = HASH.exec(text)?.[1];
  if (cost === undefined) {
    throw configErrorAt(node, 'is not a bcrypt hash', 'htpasswd -nBC 10 "" | tr -d \':\\n\' makes one');
  }
  if (Number(cost) < MIN_COST)
    throw configErrorAt(node, `has cost ${Number(cost)}: bcrypt begins at ${MIN_COST}`);
  if (Number(cost) > MAX_COST)
    throw configErrorAt(node, `has cost ${Number(cost)}: bcrypt ends at ${MAX_COST}`);
  if (Number(cost) > MAX_CHEAP_COST) {
    warn(node, `has cost ${Number(cost)}, at which a check takes seconds or longer; 10 is usual`);
  }
  return text;
}

function shown(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?').slice(0, 60);
}
