import { expect, test } from 'vitest';
import { createLook, LOOK_MS, type Watched, watch } from '../../src/config/followed.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';

async function looking(text: string) {
  const contents = new Map<string, string | Error>([['/c.yml', text]]);
  const isChanged = await createLook(createFakeFiles(contents), '/c.yml');
  let changes = 0;
  async function look(times = 1): Promise<number> {
    for (let time = 0; time < times; time++) if (await isChanged()) changes += 1;
    return changes;
  }
  return { contents, look };
}

test('a file is reported once it has changed and is completely written', async () => {
  const { contents, look } = await looking('one');
  expect(await look(3)).toBe(0);
  contents.set('/c.yml', 'tw');
  expect(await look()).toBe(0);
  contents.set('/c.yml', 'two');
  expect(await look()).toBe(0);
  expect(await look()).toBe(1);
  expect(await look(3)).toBe(1);
});

test('a file that is missing for a while is reported when it returns with new content', async () => {
  const { contents, look } = await looking('one');
  await look();
  contents.delete('/c.yml');
  expect(await look(3)).toBe(0);
  contents.set('/c.yml', 'one');
  expect(await look(3)).toBe(0);
  contents.set('/c.yml', 'two');
  expect(await look(3)).toBe(1);
});

function watching() {
  const [clock, log, stopping] = [createFakeClock(0), createFakeLogger(), new AbortController()];
  const told: string[] = [];
  const problems = new Map<string, string | undefined>([
    ['keys', undefined],
    ['teams', undefined],
  ]);
  const changed = new Set<string>();
  function* watched(): Iterable<Watched> {
    for (const [name, problem] of problems) {
      yield {
        name,
        async look() {
          if (problem !== undefined) throw new ConfigError(problem, 'repair it');
          return changed.delete(name);
        },
      };
    }
  }
  const ended = watch(watched, {
    ...{ clock, log, signal: stopping.signal },
    note: (name, problem) => told.push(`${name}: ${problem ?? 'fine'}`),
  });
  async function look(): Promise<readonly string[]> {
    const before = clock.waits.length;
    await clock.advance(LOOK_MS);
    await waitFor(() => expect(clock.waits.length).toBeGreaterThan(before));
    return told.splice(0);
  }
  const errors = () => log.events.filter(({ level }) => level === 'error');
  return { problems, changed, look, errors, ended, stop: () => stopping.abort() };
}

test('a problem that lasts is reported once, whatever else is watched, and so is its end', async () => {
  const { problems, look, errors, ended, stop } = watching();
  expect(await look()).toEqual([]);
  problems.set('keys', 'is empty').set('teams', 'is no file');
  expect(await look()).toEqual([]);
  expect(await look()).toEqual(['keys: is empty', 'teams: is no file']);
  expect(await look()).toEqual([]);
  expect(errors()).toMatchObject([
    { fields: { what: 'keys', error: 'is empty', hint: 'repair it' } },
    { fields: { what: 'teams', error: 'is no file' } },
  ]);
  problems.set('keys', undefined);
  expect(await look()).toEqual(['keys: fine']);
  problems.delete('teams');
  expect(await look()).toEqual(['teams: fine']);
  expect(await look()).toEqual([]);
  expect(errors()).toHaveLength(2);
  stop();
  await expect(ended).rejects.toThrow();
});

test('one that is over at the next look is not reported, and a change is', async () => {
  const { problems, changed, look, errors } = watching();
  problems.set('keys', 'is empty');
  expect(await look()).toEqual([]);
  problems.set('keys', undefined);
  changed.add('keys');
  expect(await look()).toEqual(['keys: fine']);
  problems.set('keys', 'is empty');
  expect(await look()).toEqual([]);
  problems.set('keys', 'is no file');
  expect(await look()).toEqual([]);
  expect(errors()).toEqual([]);
});
