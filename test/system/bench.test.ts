import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { requireTool } from './tools.ts';

const bench = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const run = promisify(execFile);

// The measurements here mean nothing, because other tests share the machine.
test.runIf(requireTool('prometheus') && requireTool('promtool'))(
  'the benchmark runs from end to end and prints its table',
  async () => {
    // Go must not download anything here: without its modules, the exporter on client_golang is not measured.
    const { stdout } = await run(process.execPath, [bench, '--quick'], {
      env: { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' },
    });
    const cases = [...stdout.matchAll(/^\| (\S+) \| .* \| /gm)].map(([, name = '']) => name);
    expect([...new Set(cases)]).toEqual([
      'case',
      '---',
      'scrapes-1000',
      '3x3',
      'people',
      'copilot-people',
      'hook',
      'backfill',
      'panels',
    ]);
    expect(stdout).toMatch(/^\| scrapes-1000 \| scrapes against prom-client \| × \| [\d.]+ /m);
    expect(stdout).not.toContain('NaN');
  },
);
