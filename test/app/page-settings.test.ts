import { describe, expect, test } from 'vitest';
import { pageSettingsOf } from '../../src/app/page-settings.ts';
import { parseDay } from '../../src/catalog/day.ts';
import { ANONYMOUS } from '../../src/catalog/settings.ts';
import { collectors } from '../../src/collectors/index.ts';
import type { Config } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { createFakeFiles } from '../../src/config/files.ts';
import { limitsOf } from '../../src/config/limits.ts';
import { loadConfig } from '../../src/config/load.ts';

async function load(): Promise<Config> {
  const config = await loadConfig({
    flags: new Map(),
    environment: { AGENT_PLATFORM_API_KEY: 'key', AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1' },
    files: createFakeFiles(new Map()),
    collectors,
  });
  return config;
}

const shaping: [string, (config: Config) => Partial<Config>][] = [
  ['organizations', () => ({ orgs: [] })],
  ['identifiers of organizations', ({ orgs }) => ({ orgs: orgs.map((org) => ({ ...org, orgId: 'org_1' })) })],
  [
    'contracts',
    ({ orgs }) => ({ orgs: orgs.map((org) => ({ ...org, contract: { seats: 5, prices: [] } })) }),
  ],
  ['collectors', ({ collectors: all }) => ({ collectors: new Map([...all, ['tokens', false]]) })],
  ['excluded families', ({ metrics }) => ({ metrics: { ...metrics, excluded: new Set(['a']) } })],
  ['ages', ({ metrics }) => ({ metrics: { ...metrics, maxAgeMs: 1 } })],
  [
    'starts of history',
    ({ history }) => ({ history: { ...history, start: parseDay('2026-02-01') ?? history.start } }),
  ],
  ['retention', ({ history }) => ({ history: { ...history, retentionDays: 9 } })],
  ['limits of series', ({ limits }) => ({ limits: { ...limits, series: 9 } })],
  ['limits of a label', () => ({ limits: limitsOf(new Map([['tool', 3]]), 1_000_000) })],
  ['readiness settings', ({ readiness }) => ({ readiness: { ...readiness, cleanOnly: true } })],
];

const others: [string, (config: Config) => Partial<Config>][] = [
  ['levels of the log', () => ({ log: { format: 'json', level: 'debug' } })],
  ['schedules', ({ schedules }) => ({ schedules: { ...schedules, wiki: '1 * * * *' } })],
  ['time limits', ({ api }) => ({ api: { ...api, timeoutMs: 1 } })],
  [
    'keys',
    ({ orgs }) => ({ orgs: orgs.map((org) => ({ ...org, credential: createFixedCredential('k', 'test') })) }),
  ],
];

describe('the fingerprint of the settings that shape a page', () => {
  test.each(shaping)('differs with other %s', async (_what, change) => {
    const config = await load();
    const changed = { ...config, ...change(config) };
    expect(pageSettingsOf(changed, ANONYMOUS)).not.toBe(pageSettingsOf(config, ANONYMOUS));
  });

  test.each(others)('is the same with other %s', async (_what, change) => {
    const config = await load();
    expect(pageSettingsOf({ ...config, ...change(config) }, ANONYMOUS)).toBe(
      pageSettingsOf(await load(), ANONYMOUS),
    );
  });

  test.each([
    ['identity', { identity: 'id' }],
    ['team rules', { teamRules: 'other' }],
    ['budgets of teams', { teamBudgets: new Map([['a', 1]]) }],
  ])('differs with other people: %s', async (_what, change) => {
    const config = await load();
    expect(pageSettingsOf(config, { ...ANONYMOUS, ...change })).not.toBe(pageSettingsOf(config, ANONYMOUS));
  });
});
