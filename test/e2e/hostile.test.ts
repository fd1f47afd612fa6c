import { describe, expect, test } from 'vitest';
import { firstCases } from '../support/thoroughness.ts';
import { firstRuns, startStory, untilTimedOut } from './harness.ts';
import { createNoonClock, pageAfterRuns, startProgram } from './program.ts';

const FAILING = 'agent_platform_exporter_collector_failing';
const SUCCESS = 'agent_platform_exporter_collector_success';
const OTHERS = { activity: 1, productivity: 1, readiness: 1, tokens: 1, wiki: 1 };
const FLAGS = ['api.max-response-bytes=2MiB', 'api.retries=0', 'history.start=2026-11-12'];

describe('a platform that attacks memory or time costs its own data only', () => {
  const attacks: [string, string][] = [
    ['gzip-bomb=1073741824@tools', 'limit'],
    ['slow-body=50@tools', 'timeout'],
    ['redirect-loop@tools', 'server'],
    ['big-headers=1000000@tools', 'network'],
    ['many-names=10000@tools', 'limit'],
    ['endless-body=1073741824@tools', 'limit'],
    ['oversize=16777216@tools', 'limit'],
  ];

  test.each(firstCases(5, attacks))('%s: %s', async (fault, reason) => {
    const story = await startStory({ sandbox: { faults: [fault] }, flags: FLAGS, polled: false });
    const runs = () => firstRuns(story.service);
    await (reason === 'timeout' ? untilTimedOut(story, 'tools', runs) : runs());
    const page = await story.page();
    expect(page.by('collector', FAILING, { reason })).toEqual({
      ...{ activity: 0, productivity: 0, readiness: 0, tokens: 0, tools: 1, wiki: 0 },
    });
    expect(page.by('collector', SUCCESS)).toEqual({ ...OTHERS, tools: 0 });
    expect(story.logged('level=error')).toEqual([]);
    expect(
      Math.max(
        ...story
          .log()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(10_000);
  });

  test('an answer that would fill the heap of a small container once parsed is not parsed', async () => {
    const brackets = Array<unknown>(5_600_000).fill([]);
    const clock = createNoonClock();
    const program = await startProgram(
      ['--history.start=2026-11-12', '--api.max-response-bytes=64MiB'],
      (body, { pathname }) => (pathname.endsWith('/tools') ? { ...body, brackets } : body),
      { ...clock, nodeArguments: [...clock.nodeArguments, '--max-old-space-size=256'] },
    );
    const page = await pageAfterRuns(program, [...Object.keys(OTHERS), 'tools']);
    expect(page.by('collector', SUCCESS)).toEqual({ ...OTHERS, tools: 0 });
    expect(page.by('collector', FAILING, { reason: 'limit' })).toMatchObject({ tools: 1, tokens: 0 });
    expect(program.log()).toContain('api.max_response_bytes');
  });

  test('a value nested a hundred thousand levels deep costs its row', async () => {
    const story = await startStory({ sandbox: { faults: ['deep-json=100000@tools'] }, flags: FLAGS });
    const page = await story.page();
    expect(page.by('collector', SUCCESS)).toEqual({ ...OTHERS, tools: 1 });
    expect(
      page.value('agent_platform_exporter_records_rejected_total', { dataset: 'tools' }),
    ).toBeGreaterThan(0);
    expect(page.platform().filter((line) => line.startsWith('agent_platform_daily_tool_calls'))).toEqual([]);
  });

  test('names beyond 5 000 a day are summed into other, and no total changes', async () => {
    const flags = ['history.start=2026-11-19', 'api.max-response-bytes=64MiB'];
    const file = 'limits: {values_per_label: 1000000}';
    const plain = await (await startStory({ collectors: ['tools'], flags })).page();
    const story = await startStory({
      sandbox: { faults: ['many-names=6000@tools'] },
      ...{ file, flags },
      collectors: ['tools'],
    });
    const page = await story.page();
    const skills = page.by('skill', 'agent_platform_daily_skill_invocations_by_skill');
    expect(Object.keys(skills)).toHaveLength(5_000);
    const sum = (values: Readonly<Record<string, number>>) =>
      Object.values(values).reduce((a, b) => a + b, 0);
    const before = plain.by('skill', 'agent_platform_daily_skill_invocations_by_skill');
    const first = Object.values(before).toSorted((a, b) => b - a)[0] ?? 0;
    expect(sum(skills)).toBe(sum(before) + 6_000 * first);
    expect(skills['other']).toBeGreaterThan(first);
  });

  test('long names are truncated, and remain distinct', async () => {
    const flags = ['history.start=2026-11-19'];
    const plain = await (await startStory({ collectors: ['tools'], flags })).page();
    const story = await startStory({
      sandbox: { faults: ['long-names=100000@tools'] },
      collectors: ['tools'],
      flags,
    });
    const page = await story.page();
    const family = 'agent_platform_daily_mcp_calls_by_server';
    const [short, long] = [plain.by('server', family), page.by('server', family)];
    expect(Object.values(long).toSorted()).toEqual(Object.values(short).toSorted());
    for (const name of Object.keys(long)) expect(name.length).toBeLessThanOrEqual(256);
  });

  test('members called __proto__ or constructor change nothing', async () => {
    // The newest report, which has them, is not on a main line.
    const plain = await startStory({ sandbox: { repos: 6 } });
    const story = await startStory({ sandbox: { repos: 6, faults: ['odd-keys'] } });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    const known = (await plain.page()).platform();
    const own = (await story.page()).platform();
    const odd = /__proto__|constructor|prototype|toString|hasOwnProperty/;
    expect(own.filter((line) => !odd.test(line))).toEqual(known);
    expect(await story.poll()).toEqual([]);
  });
});
