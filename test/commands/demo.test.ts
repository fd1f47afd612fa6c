import { expect, test } from 'vitest';
import { collectors } from '../../src/collectors/index.ts';
import { run } from '../../src/commands/demo.ts';
import { createOptions } from '../../src/config/options.ts';
import { createContext } from './surroundings.ts';

test('a demo that is told to stop before it serves ends with 0', async () => {
  const args = ['--config.file=demo.yaml', '--web.listen-address=127.0.0.1:0', '--log.level=error'];
  const { context } = createContext(createOptions(collectors), args, {}, { 'demo.yaml': '{}' });
  let stop: AbortController | undefined;
  const { files } = context;
  const code = await run({
    ...context,
    stopSignal() {
      stop = new AbortController();
      return stop.signal;
    },
    files: {
      ...files,
      async read(path) {
        // A process that does not listen for signals yet is killed by one.
        if (stop === undefined) throw new Error('killed');
        stop.abort();
        return files.read(path);
      },
    },
  });
  expect(code).toBe(0);
});
