import { createHmac } from 'node:crypto';
import { type Budget, NO_TEAM, type PeopleSettings } from '../../catalog/settings.ts';
import { ConfigError } from '../../text/errors.ts';
import { type Credential, pastedKey, readSecret, type SecretSources } from '../credential.ts';
import { follow, readNamed } from '../followed.ts';
import { createTeams } from './teams.ts';

/** How people are identified in labels. */
export const identities = ['none', 'hash', 'id', 'email'] as const;
export type Identity = (typeof identities)[number];

const hashKeyVariable = 'AGENT_PLATFORM_USERS_HASH_KEY';

const MIN_KEY_BYTES = 16;

/** What there is without a teams file. */
const NO_TEAMS = { fingerprint: 'none', teamOf: () => NO_TEAM, budgets: new Map<string, Budget>() };

interface PeopleSources extends SecretSources {
  readonly identity: Identity;
  /** The path of the teams file. */
  readonly teamsFile: string | undefined;
}

/** How people are identified and assigned to teams, from files that may change. */
export type People = Awaited<ReturnType<typeof createPeople>>;

/** Reads everything once; rejects with a `ConfigError` if a file is unusable. */
export async function createPeople({ identity, ...sources }: PeopleSources) {
  const { files, teamsFile } = sources;
  const key = identity === 'hash' ? await openHashKey(sources) : undefined;
  const teams =
    teamsFile === undefined
      ? undefined
      : await follow(files, async (read) => {
          const text = await readNamed(read, teamsFile, `teams.file: ${teamsFile}`);
          // Loaded here: it takes a tenth of the start, and not every configuration has teams.
          const { parseTeams } = await import('./teams-file.ts');
          return createTeams(await parseTeams(text, teamsFile));
        });
  let settings = make();

  function make(): PeopleSettings {
    const labels = createLabels(identity, key?.secrets().at(-1) ?? '');
    const { fingerprint, teamOf, budgets } = teams?.current() ?? NO_TEAMS;
    return { ...labels, teamRules: fingerprint, teamOf, teamBudgets: budgets };
  }

  return {
    identity,
    /** The teams file, undefined if there is none. */
    teamsFile,
    /** The number of teams. */
    teams: () => teams?.current().size ?? 0,
    current: () => settings,
    /**
     * Reads changed files; resolves with whether anything changed. Rejects with a `ConfigError` and keeps the previous
     * content.
     */
    async refresh(): Promise<boolean> {
      // One unusable file must not block the others.
      const outcomes = await Promise.allSettled([key?.refresh(), teams?.refresh()]);
      const isChanged = outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value === true);
      if (isChanged) settings = make();
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      return isChanged;
    },
    /** Secrets to redact. */
    secrets: (): readonly string[] => key?.secrets() ?? [],
  };
}

async function openHashKey(sources: SecretSources): Promise<Credential> {
  const key = await readSecret(hashKeyVariable, sources, keyIn);
  if (key !== undefined) return key;
  throw new ConfigError(
    'users.identity is hash, but no hash key is set',
    `set ${hashKeyVariable} or ${hashKeyVariable}_FILE to at least ${MIN_KEY_BYTES} random bytes, for example from: openssl rand -hex 32`,
  );
}

/** The key in a text, read as an API key is, except that it may contain blanks and any character; the text is never repeated. */
function keyIn(text: string, source: string): string {
  const key = pastedKey(text, source);
  const isShort = Buffer.byteLength(key) < MIN_KEY_BYTES;
  if (!isShort && new Set(key).size > 1) return key;
  const problem = isShort ? `has fewer than ${MIN_KEY_BYTES} bytes` : 'is one repeated character';
  throw new ConfigError(`${source}: the hash key ${problem}`, 'for example from: openssl rand -hex 32');
}

const DIGITS = 16;

/** Creates the labels of a mode, with a fingerprint that differs between modes and keys; `key` is the hash key. */
export function createLabels(identity: Identity, key: string): Pick<PeopleSettings, 'identity' | 'labelOf'> {
  const hash = (text: string) =>
    createHmac('sha256', key)
      .update(text)
      .digest()
      .toString('hex', 0, DIGITS / 2);
  switch (identity) {
    case 'none':
      return { identity: 'none', labelOf: () => undefined };
    case 'hash':
      // Hashes a text that is not an id, because the result is stored next to the hashes.
      return { identity: `hash ${hash('\0')}`, labelOf: ({ id }) => hash(id) };
    case 'id':
      return { identity: 'id', labelOf: ({ id }) => id };
    case 'email':
      // The id if there is no address: people without one must not be merged.
      return { identity: 'email', labelOf: ({ id, email }) => email ?? id };
  }
}
