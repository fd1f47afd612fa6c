import { createHash } from 'node:crypto';
import { type Budget, DEFAULT_PLATFORM, NO_TEAM, type Person } from '../../catalog/settings.ts';
import { wildcard } from '../../text/wildcard.ts';

/** The content of a teams file. */
export interface TeamsFile {
  readonly rules: readonly TeamRule[];
  /** Monthly budgets by team. */
  readonly budgets: ReadonlyMap<string, Budget>;
}

/** Assigns somebody to a team. */
export interface TeamRule {
  /** A user id, an e-mail address, or a pattern of addresses in which `*` stands for any text. */
  readonly member: string;
  readonly team: string;
  /** What the person is called on platforms that do not know the address, by the platform's name. */
  readonly logins?: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates teams from rules: a login on the platform takes precedence, then a person's id, the exact address, and the first
 * matching pattern. Logins and addresses are compared in lower case, and ids on platforms where they are logins; all names of rules
 * and people are in normal form C.
 */
export function createTeams({ rules, budgets }: TeamsFile) {
  const byLogin = new Map<string, string>();
  const exact = new Map<string, string>();
  const byAnyCase = new Map<string, string>();
  const patterns: { readonly fits: (email: string) => boolean; readonly team: string }[] = [];
  for (const { member, team, logins = {} } of rules) {
    for (const [platform, login = ''] of Object.entries(logins)) byLogin.set(loginKey(platform, login), team);
    if (member.includes('*')) patterns.push({ fits: wildcard(member.toLowerCase()), team });
    else {
      exact.set(memberKey(member), team);
      byAnyCase.set(member.toLowerCase(), team);
    }
  }
  return {
    /** Differs between sets of rules. */
    fingerprint: fingerprintOf(rules, [...budgets.keys()].sort()),
    /** Monthly budgets by team. */
    budgets,
    /** The number of teams. */
    size: new Set(rules.map(({ team }) => team)).size,
    /** The team of a person of an organization on that platform. */
    teamOf({ id, email }: Person, platform: string): string {
      const ofLogin = byLogin.get(loginKey(platform, id)) ?? byLogin.get(loginKey(platform, email ?? id));
      if (ofLogin !== undefined) return ofLogin;
      const byLoginAsId = platform === DEFAULT_PLATFORM ? undefined : byAnyCase.get(id.toLowerCase());
      const byId = exact.get(id) ?? exact.get(memberKey(id)) ?? byLoginAsId;
      if (byId !== undefined || email === undefined) return byId ?? NO_TEAM;
      return exact.get(email) ?? patterns.find(({ fits }) => fits(email))?.team ?? NO_TEAM;
    },
  };
}

/** Without the amounts: another amount changes nothing that is stored. */
function fingerprintOf(rules: readonly TeamRule[], budgeted: readonly string[]): string {
  const stored = budgeted.length === 0 ? rules : { rules, budgeted };
  return createHash('sha256').update(JSON.stringify(stored)).digest('hex').slice(0, 16);
}

/** The normalized form of a login on a platform. */
export function loginKey(platform: string, login: string): string {
  return `${platform}\n${login.toLowerCase()}`;
}

/** The normalized form of a member. */
export function memberKey(member: string): string {
  return member.includes('@') ? member.toLowerCase() : member;
}
