import { expect, test } from 'vitest';
import { createNoonClock } from '../../e2e/program.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms } from '../programs.ts';
import { startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';

const BY_USER = 'agent_platform_daily_credits_by_user';

const server = usePostgres();
const programs = createPrograms();

test('during a roll-out, rows of people that the leader made with other settings are absent, and new organizations not yet asked', async () => {
  // A working day is the newest one: on a holiday, nobody has a row.
  const { now, nodeArguments } = createNoonClock();
  const platform = await startAskedPlatform({ orgs: 2, users: 6, repos: 1, now });
  const environment = {
    AGENT_PLATFORM_STORAGE_URL: await server.database(),
    NODE_OPTIONS: nodeArguments.join(' '),
  };
  const [acme, other] = platform.orgs.map(({ name }) => name);
  const start = (identity: string, orgs: typeof platform.orgs) =>
    startReplica(
      programs,
      { url: platform.url, orgs },
      {
        ...{ start: '2026-11-01', rate: 200, environment },
        settings: `collectors: {users: {enabled: true, identity: ${identity}}}\n`,
      },
    );
  const old = await start('email', platform.orgs.slice(0, 1));
  const users = async (replica: typeof old) =>
    (await replica.page()).find(BY_USER, { org: acme ?? '' }).map(({ labels }) => labels.get('user') ?? '');
  await waitFor(async () => expect((await users(old)).some((user) => user.includes('@'))).toBe(true));

  const next = await start('id', platform.orgs);
  await waitFor(async () => expect(await next.isReady()).toBe(true));
  // What does not depend on the settings is published.
  await waitFor(async () =>
    expect((await next.page()).value('agent_platform_daily_credits', { org: acme ?? '' })).toBeDefined(),
  );
  const page = await next.page();
  expect(page.value('agent_platform_exporter_leader')).toBe(0);
  // The same as if both shared the database by mistake.
  expect(page.value('agent_platform_exporter_orgs_not_polled')).toBe(1);
  expect(await (await fetch(`${next.url}/status`)).json()).toMatchObject({ notPolled: [other] });
  expect((await old.page()).value('agent_platform_exporter_orgs_not_polled')).toBe(0);
  expect(page.text).not.toContain('@');
  expect(page.find(BY_USER)).toEqual([]);
  expect(page.value('agent_platform_daily_credits', { org: other ?? '' })).toBeUndefined();
  const uncovered = { org: other ?? '', dataset: 'tokens' };
  expect(page.value('agent_platform_history_uncovered', uncovered)).toBeGreaterThan(5);
  expect((await users(old)).length).toBeGreaterThan(0);

  old.program.send('SIGTERM');
  await old.program.ended;
  await waitFor(async () => expect((await users(next)).length).toBeGreaterThan(0));
  await waitFor(async () =>
    expect((await next.page()).value('agent_platform_daily_credits', { org: other ?? '' })).toBeGreaterThan(
      0,
    ),
  );
  const after = await next.page();
  expect(after.value('agent_platform_exporter_leader')).toBe(1);
  expect(after.value('agent_platform_exporter_orgs_not_polled')).toBe(0);
  expect(after.text).not.toContain('@');
});
