import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { meansFile } from '../../../src/backfill/file/file-target.ts';
import { addDays, startOf } from '../../../src/catalog/day.ts';
import { parsePage } from '../../exposition/parse.ts';
import { dayNamed } from '../../support/day.ts';
import { bring, filesIn, fileTarget, folder, silent } from '../brought.ts';
import { daily, documents, orgWith, type Row } from '../days.ts';

const from = dayNamed('2026-03-30');
const now = Date.parse('2026-06-01T00:00:00Z');
const rows: readonly Row[] = [
  { credits: 1, models: { a: 1 } },
  { credits: 2, models: { b: 2 } },
  { credits: 3, models: { a: 1, b: 2 } },
];

function plan(output: string) {
  return { orgs: [orgWith(from, rows)], collectors: [daily], from, to: dayNamed('2026-04-01'), now, output };
}

async function bringFiles(output: string, changes: Partial<Parameters<typeof bring>[0]> = {}) {
  const { output: _, ...rest } = plan(output);
  return bring({ ...rest, ...changes, target: changes.target ?? (await fileTarget(output)) });
}

function samplesOf(text: string | undefined, name: string): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line.startsWith(`${name}{`));
}

test('links that another user plants beside the files of a shared directory are not followed', async () => {
  const output = folder();
  const victim = join(folder(), 'victim');
  writeFileSync(victim, 'untouched');
  mkdirSync(join(output, 'agent-platform-2026-03.om.parts'));
  for (const name of [`backfill-state.json.${process.pid}.new`, 'agent-platform-2026-03.om.parts/whole'])
    symlinkSync(victim, join(output, name));
  await bringFiles(output);
  expect(readFileSync(victim, 'utf8')).toBe('untouched');
  expect(Object.keys(filesIn(output))).toEqual(['agent-platform-2026-03.om', 'agent-platform-2026-04.om']);
});

describe('the files', () => {
  test('are one per month, with zeros, timestamps in seconds and an end', async () => {
    const output = folder();
    expect(await bringFiles(output)).toEqual({ samples: 28, unknown: new Map(), interrupted: false });
    const files = filesIn(output);
    expect(Object.keys(files)).toEqual(['agent-platform-2026-03.om', 'agent-platform-2026-04.om']);
    expect(files['agent-platform-2026-03.om']).toBe(`# HELP agent_platform_test_credits h
# TYPE agent_platform_test_credits gauge
agent_platform_test_credits{org="acme",job="agent-platform"} 1 1774958400
agent_platform_test_credits{org="acme",job="agent-platform"} 2 1775044800
# HELP agent_platform_test_credits_by_model h
# TYPE agent_platform_test_credits_by_model gauge
agent_platform_test_credits_by_model{org="acme",job="agent-platform",model="a"} 1 1774958400
agent_platform_test_credits_by_model{org="acme",job="agent-platform",model="a"} 0 1775044800
agent_platform_test_credits_by_model{org="acme",job="agent-platform",model="b"} 2 1775044800
# HELP agent_platform_data_day_timestamp_seconds Start of the newest complete UTC day of the dataset, in Unix seconds. The daily figures describe this day.
# TYPE agent_platform_data_day_timestamp_seconds gauge
agent_platform_data_day_timestamp_seconds{org="acme",job="agent-platform",dataset="tokens"} 1774828800 1774958400
agent_platform_data_day_timestamp_seconds{org="acme",job="agent-platform",dataset="tokens"} 1774915200 1775044800
# HELP agent_platform_history_uncovered Days since the start of history without known data: not fetched yet, or fetched without a row that may still arrive. Do not sum over datasets: a day counts in each.
# TYPE agent_platform_history_uncovered gauge
agent_platform_history_uncovered{org="acme",job="agent-platform",dataset="tokens"} 0 1774958400
agent_platform_history_uncovered{org="acme",job="agent-platform",dataset="tokens"} 0 1775044800
# HELP agent_platform_org_info The platform of the organization, and its identifier there, empty while that is unknown; always 1.
# TYPE agent_platform_org_info gauge
agent_platform_org_info{org="acme",job="agent-platform",org_id="org-1",platform="agent-platform"} 1 1774958400
agent_platform_org_info{org="acme",job="agent-platform",org_id="org-1",platform="agent-platform"} 1 1775044800
# HELP agent_platform:test_credits h
# TYPE agent_platform:test_credits gauge
agent_platform:test_credits{org="acme"} 1 1774958400
agent_platform:test_credits{org="acme"} 2 1775044800
# HELP agent_platform:test_credits_by_model h
# TYPE agent_platform:test_credits_by_model gauge
agent_platform:test_credits_by_model{org="acme",model="a"} 1 1774958400
agent_platform:test_credits_by_model{org="acme",model="a"} 0 1775044800
agent_platform:test_credits_by_model{org="acme",model="b"} 2 1775044800
# HELP agent_platform:data_day_timestamp_seconds Start of the newest complete UTC day of the dataset, in Unix seconds. The daily figures describe this day.
# TYPE agent_platform:data_day_timestamp_seconds gauge
agent_platform:data_day_timestamp_seconds{org="acme",dataset="tokens"} 1774828800 1774958400
agent_platform:data_day_timestamp_seconds{org="acme",dataset="tokens"} 1774915200 1775044800
# EOF
`);
    expect(readdirSync(output)).toEqual(Object.keys(files));
  });

  test('are one if the output has an extension, with each family described once', async () => {
    const output = folder();
    const orgs = ['acme', 'beta'].map((name) => orgWith(from, rows, [], name));
    await bringFiles(join(output, 'all.om'), { orgs });
    const text = filesIn(output)['all.om'] ?? '';
    const plain = text.replaceAll(/^([^#].*) \d+$/gm, '$1');
    expect(parsePage(plain)).toMatchObject({ ended: true });
    expect(samplesOf(text, 'agent_platform_test_credits')).toHaveLength(6);
    const names = [...text.matchAll(/^(agent_\w+)\{/gm)].map(([, name]) => name);
    const changes = names.filter((name, index) => name !== names[index - 1]);
    expect(changes).toEqual([...new Set(names)]);
  });

  test.each([
    ['by default', {}],
    ['with a step', { stepMs: 6 * 3_600_000 }],
    ['over the limit of series', { stepMs: 8 * 3_600_000, seriesBudget: 7 }],
  ])('have all samples of a series together, oldest first: %s', async (_, changes) => {
    const output = folder();
    const many = Array.from({ length: 40 }, (_, index): Row => {
      const models = [`m${index % 3}`, `m${index % 7}`, `new${index}`].map((model, at) => [model, 1 + at]);
      return { credits: index, models: Object.fromEntries(models) };
    });
    const reports = many.map((_, index) => ({ at: startOf(addDays(from, index)), repo: `r${index % 5}` }));
    await bringFiles(join(output, 'all.om'), {
      orgs: ['acme', 'beta'].map((name) => orgWith(from, many, reports, name)),
      collectors: [daily, documents],
      to: addDays(from, 39),
      historyStart: from,
      ...changes,
    });
    const lines = (filesIn(output)['all.om'] ?? '').split('\n').filter((line) => line.includes('{'));
    const samples = lines.map((line) => ({
      series: line.slice(0, line.lastIndexOf('}')),
      at: Number(line.split(' ').at(-1)),
    }));
    const before = samples.slice(0, -1);
    const begun = samples.filter(({ series }, index) => series !== before[index - 1]?.series);
    expect(begun.length).toBeGreaterThan(10);
    expect(new Set(begun.map(({ series }) => series)).size).toBe(begun.length);
    for (const [index, { series, at }] of samples.slice(1).entries()) {
      if (series === before[index]?.series) expect(at, series).toBeGreaterThan(before[index].at);
    }
  });

  test('hold a document at the stamps after it was made, and the day at every stamp', async () => {
    const output = folder();
    const made = Date.parse('2026-03-31T12:00:00Z');
    await bringFiles(join(output, 'all.om'), {
      orgs: [orgWith(from, rows, [{ at: made, repo: 'r' }])],
      collectors: [daily, documents],
      to: from,
      stepMs: 6 * 3_600_000,
    });
    const text = filesIn(output)['all.om'];
    const stamps = (name: string) => samplesOf(text, name).map((line) => Number(line.split(' ').at(-1)));
    const at = (time: string) => Date.parse(`2026-03-31T${time}:00Z`) / 1000;
    expect(stamps('agent_platform_test_credits')).toEqual(['06:00', '12:00', '18:00'].map(at));
    expect(stamps('agent_platform_test_reports')).toEqual(['12:00', '18:00'].map(at));
  });
});

describe('a line', () => {
  test('does not depend on the days and months before, though these left buffers and lines', async () => {
    const many = Array.from(
      { length: 40 },
      (_, index): Row => ({ credits: index, models: { a: 1, b: index } }),
    );
    const made = Date.parse('2026-04-20T00:00:00Z');
    const reports = [
      { at: 0, repo: 'r' },
      { at: made, repo: 'another' },
    ];
    const options = {
      orgs: [orgWith(from, many, reports)],
      collectors: [daily, documents],
      historyStart: from,
    };
    const linesIn = (output: string) => Object.values(filesIn(output)).flatMap((text) => text.split('\n'));
    const stepMs = 8 * 3_600_000;
    for (const step of [undefined, stepMs]) {
      const steps = step === undefined ? {} : { stepMs: step };
      const together = folder();
      await bringFiles(together, { ...options, ...steps, to: addDays(from, 39) });
      const alone = new Set<string>();
      for (let back = 0; back < 40; back++) {
        const day = addDays(from, back);
        const output = folder();
        await bringFiles(output, { ...options, ...steps, from: day, to: day });
        for (const line of linesIn(output)) alone.add(line);
      }
      const lines = linesIn(together);
      expect(lines.filter((line) => line.includes('test_reports{')).length).toBeGreaterThan(40);
      expect(new Set(lines)).toEqual(alone);
    }
  });
});

describe('a day', () => {
  test('that is unknown is omitted and listed, and no other day replaces it', async () => {
    const output = folder();
    const outcome = await bringFiles(join(output, 'all.om'), {
      orgs: [orgWith(from, [rows[0], undefined, rows[2]])],
    });
    expect(outcome.unknown).toEqual(new Map([['acme/tokens', ['2026-03-31']]]));
    const text = filesIn(output)['all.om'];
    expect(samplesOf(text, 'agent_platform_test_credits')).toHaveLength(2);
    expect(samplesOf(text, 'agent_platform_data_day_timestamp_seconds')).toHaveLength(2);
    expect(samplesOf(text, 'agent_platform_history_uncovered').map((line) => line.split(' ')[1])).toEqual([
      '0',
      '1',
    ]);
  });

  test('that was answered without a row had no activity, as is known today', async () => {
    const output = folder();
    await bringFiles(join(output, 'all.om'), { orgs: [orgWith(from, [rows[0], null, rows[2]])] });
    const lines = samplesOf(filesIn(output)['all.om'], 'agent_platform_test_credits');
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['1', '0', '3']);
  });
});

describe('an interrupted run', () => {
  /** Writes March and then fails. */
  async function breakOff(output: string, run?: unknown): Promise<void> {
    const target = await fileTarget(output, run);
    const begin: typeof target.begin = async (month) => {
      if (month.name === '2026-04') throw new Error('broken off');
      return target.begin(month);
    };
    await expect(bringFiles(output, { target: { ...target, begin } })).rejects.toThrow('broken off');
  }

  test('resumes where it stopped, and starts over with other arguments or after it has finished', async () => {
    const output = folder();
    await breakOff(output);
    const [march, ...others] = Object.keys(filesIn(output));
    expect([march, others]).toEqual(['agent-platform-2026-03.om', []]);
    const left = readdirSync(output).filter((name) => !name.endsWith('.om'));
    expect(left).toEqual(['backfill-state.json']);

    writeFileSync(join(output, march ?? ''), 'as it was');
    const shown: string[] = [];
    const show = (done: number, total: number) => void shown.push(`${done} of ${total}`);
    await bringFiles(output, { progress: { ...silent, show } });
    expect(shown).toEqual(['0 of 3', '3 of 3']);
    expect(filesIn(output)[march ?? '']).toBe('as it was');
    expect(filesIn(output)['agent-platform-2026-04.om']).toContain('# EOF');
    expect(existsSync(join(output, 'backfill-state.json'))).toBe(false);

    await bringFiles(output);
    expect(filesIn(output)[march ?? '']).toContain('# EOF');
  });

  test.each([
    ['run', 'another run'],
    [{ daysOff: new Set(['2026-03-30']) }, { daysOff: new Set(['2026-03-31']) }],
    [{ budgets: new Map([['web', 1]]) }, { budgets: new Map([['web', 2]]) }],
  ])('is not resumed with other arguments: %o', async (before, after) => {
    const output = folder();
    await breakOff(output, before);
    writeFileSync(join(output, 'agent-platform-2026-03.om'), 'as it was');
    await bringFiles(output, { target: await fileTarget(output, after) });
    expect(filesIn(output)['agent-platform-2026-03.om']).toContain('# EOF');
  });

  test('by its operator ends without an error', async () => {
    const output = folder();
    const signal = AbortSignal.abort();
    expect(await bringFiles(output, { signal })).toMatchObject({ samples: 0, interrupted: true });
    expect(readdirSync(output)).toEqual([]);
  });

  test('rejects a damaged state file', async () => {
    const output = folder();
    writeFileSync(join(output, 'backfill-state.json'), '{');
    await expect(fileTarget(output)).rejects.toThrow(/backfill-state.json is damaged/);
  });

  test.each(['null', '{}', '{"written": ["2026-03"]}', '{"run": "another", "written": ["2026-03"]}'])(
    'is not resumed from a state file with %s',
    async (text) => {
      const output = folder();
      writeFileSync(join(output, 'backfill-state.json'), text);
      await bringFiles(output);
      expect(Object.keys(filesIn(output))).toEqual([
        'agent-platform-2026-03.om',
        'agent-platform-2026-04.om',
      ]);
    },
  );
});

test('two backfills cannot write to the same output at once', async () => {
  for (const name of ['', 'all.om']) {
    const output = join(folder(), name);
    const first = await fileTarget(output);
    await expect(fileTarget(output)).rejects.toThrow(`--output: another backfill is writing to ${output}`);
    first.close();
    (await fileTarget(output)).close();
  }
});

test('a lock that cannot be opened is not mistaken for another backfill', async () => {
  const output = folder();
  mkdirSync(join(output, 'backfill.lock'));
  await expect(fileTarget(output)).rejects.not.toThrow('another backfill');
});

test.each([
  ['new', false],
  ['new.om', true],
  ['new.d/out', false],
  ['.new', false],
  ['there.d', false],
  ['there', true],
])('whether %s is a file: %s', async (name, expected) => {
  const parent = folder();
  if (name === 'there.d') mkdirSync(join(parent, name));
  if (name === 'there') writeFileSync(join(parent, name), '');
  expect(await meansFile(join(parent, name))).toBe(expected);
});
