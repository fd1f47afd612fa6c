import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createNoonClock, settledPage, startProgram } from './program.ts';
import type { Rewrite } from './rewriting.ts';

const REJECTED = 'agent_platform_exporter_records_rejected_total';
const REVISIONS = 'agent_platform_exporter_day_revisions_total';
const LAST_RUN = 'agent_platform_exporter_collector_last_run_timestamp_seconds';
const SESSIONS = 'agent_platform_daily_sessions';
const NAMES = ['tokens', 'tools', 'productivity', 'readiness', 'wiki'];

test('a known field that is missing from a later answer keeps its value, is counted, and is not a revision', async () => {
  let isMissing = false;
  const lose: Rewrite = (body, { pathname }) => {
    const { data } = body as { data: Record<string, unknown>[] };
    if (!isMissing || !pathname.endsWith('/activity')) return body;
    return {
      ...body,
      data: data.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'sessions')),
      ),
    };
  };
  const flags = [
    ...NAMES.map((name) => `--no-collector.${name}`),
    '--no-collector.spend',
    '--web.enable-lifecycle',
  ];
  // Of a day that ends meanwhile, the field would never have been known.
  const program = await startProgram([...flags, '--history.start=2026-11-01'], lose, createNoonClock());
  const before = await settledPage(program, ['activity']);
  expect(before.value(REJECTED, { dataset: 'activity' })).toBe(0);
  expect(before.value(SESSIONS)).toBeGreaterThan(0);
  isMissing = true;
  await program.get('/-/refresh', { method: 'POST' });
  // Rejected fields are counted before the run has ended.
  const page = await waitFor(async () => {
    const now = await program.page();
    expect(now.value(REJECTED, { dataset: 'activity' })).toBeGreaterThan(0);
    expect(now.value(LAST_RUN)).toBeGreaterThan(before.value(LAST_RUN) ?? Number.POSITIVE_INFINITY);
    return now;
  });
  expect(page.value(SESSIONS)).toBe(before.value(SESSIONS));
  expect(page.value(REVISIONS, { dataset: 'activity' })).toBe(0);
  await waitFor(() => expect(program.log()).toContain('fields that were known are missing'));
});
