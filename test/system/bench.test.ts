import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const bench = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const run = promisify(execFile);

// The measurements here mean nothing, because other tests share the machine.
test('the benchmark runs from end to end and prints its tables', async () => {
  // Go must not download anything here: without its modules, the exporter on client_golang is not measured.
  const { stdout } = await run(process.execPath, [bench, '--quick'], {
    env: { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' },
  });
  const headings = stdout.match(/^##+ .*$/gm);
  expect(headings).toEqual([
    '## Aims',
    '## Scrapes',
    expect.stringMatching(/^### 1 00\d series$/),
    '## Scrapes of the running service',
    '## Publishing',
    '## Memory',
    '## Start',
    '## Backfill to files',
    '## Backfill by remote write',
    '## First sync',
    '## Hook',
    '## Single executable',
    '## People',
    '## Dashboards over 3 days',
    '## Organizations',
  ]);
  expect(stdout).toMatch(/^\| express with prom-client, the same series \| [\d.]+ /m);
  if (!stdout.includes('Not measured here: '))
    expect(stdout).toMatch(/^\| client_golang, the same series \| [\d.]+ /m);
  expect(stdout).not.toContain('NaN');
});
