import { createHash } from 'node:crypto';
import { NO_TEAM, type Person } from '../../catalog/settings.ts';

/** One line of a teams file. */
export interface TeamRule {
  /** A user id, an e-mail address, or a pattern of addresses: `*` stands for any text. */
  readonly member: string;
  readonly team: string;
}

/** Which team a person belongs to. */
export interface Teams {
  /** Another one for other rules. */
  readonly fingerprint: string;
  /** How many teams there are. */
  readonly size: number;
  teamOf(person: Person): string;
}

/** Everybody is without a team. */
export const NO_TEAMS: Teams = { fingerprint: 'none', size: 0, teamOf: () => NO_TEAM };

/**
 * Teams by rules: a person's id counts first, then the address as it stands, then the first pattern that fits it.
 * Addresses are compared in lower case.
 */
export function createTeams(rules: readonly TeamRule[]): Teams {
  const exact = new Map<string, string>();
  const patterns: { readonly fits: (email: string) => boolean; readonly team: string }[] = [];
  for (const { member, team } of rules) {
    if (member.includes('*')) patterns.push({ fits: pattern(member.toLowerCase()), team });
    else exact.set(memberKey(member), team);
  }
  return {
    fingerprint: createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 16),
    size: new Set(rules.map(({ team }) => team)).size,
    teamOf({ id, email }) {
      const byId = exact.get(id) ?? exact.get(memberKey(id));
      if (byId !== undefined || email === undefined) return byId ?? NO_TEAM;
      return exact.get(email) ?? patterns.find(({ fits }) => fits(email))?.team ?? NO_TEAM;
    },
  };
}

/** What two spellings of one member share. */
export function memberKey(member: string): string {
  return member.includes('@') ? member.toLowerCase() : member;
}

/** Whether a text is what a pattern says, in time that is linear however hostile they are. */
function pattern(text: string): (email: string) => boolean {
  const [head = '', ...parts] = text.split('*');
  const tail = parts.pop() ?? '';
  return (email) => {
    if (email.length < head.length + tail.length) return false;
    if (!email.startsWith(head) || !email.endsWith(tail)) return false;
    let at = head.length;
    for (const part of parts) {
      const found = email.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= email.length - tail.length;
  };
}
