import { expect, test } from 'vitest';
import { watchFile } from '../../src/config/files.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';

function watch(text: string) {
  const contents = new Map<string, string | Error>([['/c.yml', text]]);
  const clock = createFakeClock(0);
  const stopping = new AbortController();
  let changes = 0;
  const ended = watchFile('/c.yml', {
    ...{ files: createFakeFiles(contents), clock, signal: stopping.signal },
    onChange: () => {
      changes += 1;
    },
  });
  async function look(times = 1): Promise<number> {
    for (let time = 0; time < times; time++) {
      await clock.advance(0);
      await clock.advance(2_000);
    }
    return changes;
  }
  return { contents, look, ended, stop: () => stopping.abort() };
}

test('a file is reported once it has changed and is completely written', async () => {
  const { contents, look, stop, ended } = watch('one');
  expect(await look(3)).toBe(0);
  contents.set('/c.yml', 'tw');
  expect(await look()).toBe(0);
  contents.set('/c.yml', 'two');
  expect(await look()).toBe(0);
  expect(await look()).toBe(1);
  expect(await look(3)).toBe(1);
  stop();
  await ended;
});

test('a file that is missing for a while is reported when it returns with new content', async () => {
  const { contents, look, stop, ended } = watch('one');
  await look();
  contents.delete('/c.yml');
  expect(await look(3)).toBe(0);
  contents.set('/c.yml', 'one');
  expect(await look(3)).toBe(0);
  contents.set('/c.yml', 'two');
  expect(await look(3)).toBe(1);
  stop();
  await ended;
});
