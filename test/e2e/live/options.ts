import { resolve } from 'node:path';
import { isFetching } from '../../../src/catalog/collector.ts';
import { collectors } from '../../../src/collectors/index.ts';
import { HISTORY_START, HOUR } from '../harness.ts';
import type { Row } from './row.ts';
import {
  askedPaths,
  attemptsOfOne,
  CREDITS,
  daysAskedAgain,
  failingFor,
  figureOf,
  hasFamily,
  isAskedAfter,
  labelsOf,
  ORG_INFO,
  platformsAsked,
  servedOrgs,
} from './seen.ts';

/** The organization of flags and environment instead of those in the list. */
const ofOptions = { orgs: [], 'api.base_url': ({ url }: { readonly url: string }) => url };
const environment = { AGENT_PLATFORM_API_KEY: 'sandbox-acme-owner' };
const MINUTE = 60_000;
/** A day without an answer. */
const SLOW = 'slow=1:86400000';

/** The live options that have a key in the file, in the order of their declaration. */
export const optionRows: readonly Row[] = [
  {
    key: 'org',
    from: 'first',
    to: 'second',
    beside: ofOptions,
    collectors: ['tokens'],
    story: { environment },
    see: labelsOf('org', CREDITS),
    before: ['first'],
    after: ['second'],
  },
  {
    key: 'api.platform',
    to: 'bare',
    beside: ofOptions,
    collectors: ['tokens'],
    story: { environment },
    see: labelsOf('platform', ORG_INFO),
    before: ['agent-platform'],
    after: ['bare'],
  },
  {
    key: 'api.account',
    from: 'octo',
    to: 'otto',
    beside: { ...ofOptions, 'api.platform': 'bare' },
    collectors: ['tokens'],
    story: { environment },
    see: labelsOf('org_id', ORG_INFO),
    before: ['bare:octo:a'],
    after: ['bare:otto:a'],
  },
  {
    key: 'api.kind',
    from: 'a',
    to: 'b',
    beside: { ...ofOptions, 'api.platform': 'bare' },
    collectors: ['tokens'],
    story: { environment },
    see: labelsOf('org_id', ORG_INFO),
    before: ['bare::a'],
    after: ['bare::b'],
  },
  {
    key: 'api.base_url',
    from: ({ url }) => url,
    to: ({ elsewhere }) => elsewhere,
    beside: { orgs: [] },
    collectors: ['tokens'],
    story: { environment },
    see: platformsAsked,
    before: ['here'],
    after: ['elsewhere'],
  },
  {
    key: 'api.app_url',
    to: ({ elsewhere }) => elsewhere,
    beside: ofOptions,
    collectors: ['readiness'],
    story: { environment },
    see: platformsAsked,
    before: ['here'],
    after: ['elsewhere'],
  },
  {
    key: 'api.org_id',
    to: 'org_of_somebody_else',
    beside: ofOptions,
    collectors: ['tokens'],
    story: { environment },
    see: (story) => story.poll(),
    before: [],
    after: ['default/tokens'],
  },
  {
    key: 'shard',
    from: 0,
    to: 1,
    beside: { total_shards: 2 },
    collectors: ['tokens'],
    story: { sandbox: { orgs: 2 } },
    see: servedOrgs,
    before: ['globex'],
    after: ['acme'],
  },
  {
    key: 'total_shards',
    to: 2,
    collectors: ['tokens'],
    story: { sandbox: { orgs: 2 } },
    see: servedOrgs,
    before: ['acme', 'globex'],
    after: ['globex'],
  },
  {
    key: 'api.timeout',
    from: '10m',
    to: '100ms',
    beside: { 'api.retries': 0 },
    collectors: ['tokens'],
    async see(story) {
      story.platform.setFaults([SLOW]);
      return await story.poll();
    },
    after: ['acme/tokens'],
  },
  {
    key: 'api.retries',
    from: 0,
    to: 2,
    collectors: ['tokens'],
    story: { sandbox: { faults: ['500=1'] } },
    see: attemptsOfOne,
    before: 1,
    after: 3,
  },
  {
    key: 'api.requests_per_second',
    from: 1000,
    to: 0.1,
    collectors: ['tokens', 'tools', 'wiki'],
    async see(story) {
      const before = story.clock.now();
      await story.poll();
      return story.clock.now() - before >= 20_000;
    },
    before: false,
    after: true,
  },
  {
    key: 'api.daily_request_limit',
    to: 1,
    collectors: ['tokens'],
    see: failingFor('limit'),
    before: [],
    after: ['tokens'],
  },
  {
    key: 'api.readiness_path',
    to: '/api/v9/reports',
    collectors: ['readiness'],
    see: askedPaths,
    before: ['/api/organization/maturity-level-reports'],
    after: ['/api/v9/reports'],
  },
  {
    key: 'api.max_concurrent_requests',
    from: 1,
    to: 3,
    collectors: ['tokens', 'tools', 'activity', 'wiki'],
    story: { polled: false, heldMs: 2_000, sandbox: { faults: [SLOW] } },
    see: (story) => story.platform.unanswered.length,
    before: 1,
    after: 3,
    follows: true,
  },
  {
    key: 'api.max_response_bytes',
    from: '1MiB',
    to: '8MiB',
    beside: { 'api.retries': 0 },
    collectors: ['tokens'],
    story: { rewrite: (body) => ({ ...body, padding: 'x'.repeat(2 ** 20) }) },
    see: (story) => story.poll(),
    before: ['acme/tokens'],
    after: [],
  },
  ...(['analytics', 'users', 'readiness', 'wiki'] as const).map(
    (name): Row => ({
      key: `schedule.${name}`,
      to: '5 4 * * *',
      collectors: [name === 'analytics' ? 'tokens' : name],
      see: isAskedAfter('5 4 * * *'),
      before: false,
      after: true,
      follows: true,
    }),
  ),
  {
    key: 'schedule.jitter',
    from: '30m',
    to: '0',
    collectors: ['wiki'],
    see: isAskedAfter('50 * * * *'),
    before: false,
    after: true,
    follows: true,
  },
  {
    key: 'collectors.users.identity',
    to: 'email',
    collectors: ['users'],
    async see(story) {
      const people = await labelsOf('user', 'agent_platform_daily_credits_by_user')(story);
      return people.some((one) => one.endsWith('@acme.example'));
    },
    before: false,
    after: true,
    follows: true,
  },
  {
    key: 'teams.file',
    to: 'teams.csv',
    collectors: ['users'],
    story: {
      sandbox: { users: 120 },
      files: new Map([[resolve('teams.csv'), '*@acme.example,everybody\n']]),
    },
    see: labelsOf('team', 'agent_platform_daily_credits_by_team'),
    before: ['none'],
    after: ['everybody'],
    follows: true,
  },
  {
    key: 'metrics.max_age',
    to: '1h',
    collectors: ['tokens'],
    async see(story) {
      story.platform.setFaults(['500']);
      story.clock.advance(2 * HOUR);
      return await hasFamily(CREDITS)(story);
    },
    before: true,
    after: false,
  },
  {
    key: 'metrics.exclude',
    to: [`${CREDITS}*`],
    collectors: ['tokens'],
    see: hasFamily(CREDITS),
    before: true,
    after: false,
  },
  {
    key: 'history.start',
    from: HISTORY_START,
    to: '2026-10-01',
    collectors: ['tokens'],
    async see(story) {
      await story.poll();
      return story.platform.requests.map(({ query }) => query['startDate'] ?? '').sort()[0];
    },
    before: HISTORY_START,
    after: '2026-10-01',
  },
  {
    key: 'history.retention',
    to: '10d',
    collectors: ['tokens', 'spend'],
    see(story) {
      // Days are removed once a minute.
      story.clock.advance(MINUTE);
      return hasFamily('agent_platform_credits_trailing_28d')(story);
    },
    before: true,
    after: false,
    follows: true,
  },
  {
    key: 'history.revision_window',
    to: '3d',
    collectors: ['tokens'],
    see: daysAskedAgain,
    before: 7,
    after: 3,
  },
  {
    key: 'web.dashboard_url',
    to: 'https://grafana.example.com/d/1',
    collectors: ['wiki'],
    async see(story) {
      // The page may be a second old.
      story.clock.advance(1_000);
      return (await (await story.get('/')).text()).includes('href="https://grafana.example.com/d/1"');
    },
    before: false,
    after: true,
  },
  {
    key: 'log.level',
    from: 'warn',
    to: 'info',
    collectors: ['wiki'],
    see: (story) => story.logged('level=info').length > 0,
    before: false,
    after: true,
  },
  ...collectors.map(
    (collector): Row => ({
      key: `collectors.${collector.name}.enabled`,
      from: false,
      to: true,
      collectors: isFetching(collector) ? [] : [collector.derivesFrom],
      see: async (story) => ((await seriesOf(collector.name)(story)) ?? 0) > 0,
      before: false,
      after: true,
      follows: true,
    }),
  ),
];

function seriesOf(collector: string) {
  return figureOf('agent_platform_exporter_series', { collector });
}
