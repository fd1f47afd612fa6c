import { mistake, type Place } from '../config/tree.ts';

const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const LEAST_COST = 4;
/** Each further step doubles the time of a check: 14 takes most of a second already. */
const MAX_CHEAP_COST = 14;
/** What bcrypt itself knows. */
const MAX_COST = 31;
const MOST_USERS = 1_000;

/** Reads `basic_auth_users`: bcrypt hashes by user name. No message repeats a hash. */
export function readUsers(
  place: Place,
  warn: (place: Place, warning: string) => void,
): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  if (place.tree.kind === 'empty') return users;
  if (place.tree.kind !== 'mapping') {
    throw mistake(place, 'must be a mapping of user names to bcrypt hashes');
  }
  if (place.tree.entries.size > MOST_USERS) throw mistake(place, `has more than ${MOST_USERS} users`);
  for (const [name, { line, tree }] of place.tree.entries) {
    const user = { file: place.file, path: `${place.path}.${shown(name)}`, line, tree };
    if (name === '') throw mistake(user, 'is a user without a name');
    // Basic authentication takes what is before the first colon for the name.
    if (name.includes(':')) throw mistake(user, 'is a user name with a colon, which nobody could send');
    users.set(name, hashOf(user, warn));
  }
  return users;
}

function hashOf(place: Place, warn: (place: Place, warning: string) => void): string {
  const text = place.tree.kind === 'text' ? place.tree.text : '';
  const cost = HASH.exec(text)?.[1];
  if (cost === undefined) {
    throw mistake(place, 'is not a bcrypt hash', 'htpasswd -nBC 10 "" | tr -d \':\\n\' makes one');
  }
  if (Number(cost) < LEAST_COST)
    throw mistake(place, `has cost ${Number(cost)}: bcrypt begins at ${LEAST_COST}`);
  if (Number(cost) > MAX_COST) throw mistake(place, `has cost ${Number(cost)}: bcrypt ends at ${MAX_COST}`);
  if (Number(cost) > MAX_CHEAP_COST) {
    warn(place, `has cost ${Number(cost)}, at which a check takes seconds or longer; 10 is usual`);
  }
  return text;
}

function shown(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?').slice(0, 60);
}
