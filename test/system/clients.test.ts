import { beforeAll, describe, expect, test } from 'vitest';
import { readPage } from '../e2e/page.ts';
import { settledPage, startDemo } from './platform.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const PYTHON = `
import gzip, sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={'Accept-Encoding': 'gzip'})
with urllib.request.urlopen(request) as answer:
    assert answer.headers['Content-Encoding'] == 'gzip', answer.headers
    sys.stdout.buffer.write(gzip.decompress(answer.read()))
`;

const hasCurl = requireTool('curl');

describe('independent clients read the same page', () => {
  const programs = createPrograms();
  let url = '';
  let plain: readonly string[] = [];

  beforeAll(async () => {
    const demo = await startDemo(programs);
    plain = (await settledPage(demo.url)).platform();
    url = `${demo.url}/metrics`;
  });

  test.runIf(hasCurl)('curl, compressed', async () => {
    const { code, stdout } = await programs.run('curl', ['-sS', '--fail', '--compressed', url]);
    expect(code).toBe(0);
    expect(readPage(stdout).platform()).toEqual(plain);
  });

  test.runIf(hasCurl)('curl, not compressed', async () => {
    const { code, stdout } = await programs.run('curl', ['-sS', '--fail', url]);
    expect(code).toBe(0);
    expect(readPage(stdout).platform()).toEqual(plain);
  });

  test.runIf(requireTool('python3'))('python, gzip', async () => {
    const { code, stdout, stderr } = await programs.run('python3', ['-c', PYTHON, url]);
    expect([code, stderr]).toEqual([0, '']);
    expect(readPage(stdout).platform()).toEqual(plain);
  });
});
