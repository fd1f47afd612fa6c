import { beforeAll, describe, expect, test } from 'vitest';
import { isOfPlatform, readPage, seriesText } from '../e2e/page.ts';
import { settledDemo, startDemo } from './platform.ts';
import { createPrograms } from './programs.ts';
import { findPython, requireTool } from './tools.ts';

const PYTHON = `
import gzip, sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={'Accept-Encoding': 'gzip'})
with urllib.request.urlopen(request) as answer:
    assert answer.headers['Content-Encoding'] == 'gzip', answer.headers
    sys.stdout.buffer.write(gzip.decompress(answer.read()))
`;

/** Reads a page with the reference parser of a format, and prints the name, labels and value of each sample of the platform. */
const REFERENCE = `
import json, sys, urllib.request
kind, url = sys.argv[1:]
if kind == 'openmetrics':
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
    accept = 'application/openmetrics-text; version=1.0.0'
else:
    from prometheus_client.parser import text_string_to_metric_families as families
    accept = 'text/plain; version=0.0.4'
with urllib.request.urlopen(urllib.request.Request(url, headers={'Accept': accept})) as answer:
    assert answer.headers['Content-Type'].startswith(accept), answer.headers
    text = answer.read().decode()
print(json.dumps([
    [sample.name, sample.labels, sample.value]
    for family in families(text)
    for sample in family.samples
]))
`;

const hasCurl = requireTool('curl');

describe('independent clients read the same page', () => {
  const programs = createPrograms();
  let url = '';
  let plain: readonly string[] = [];

  beforeAll(async () => {
    const demo = await startDemo(programs);
    plain = (await settledDemo(demo.url)).platform();
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

  const python = findPython('prometheus_client');
  test.runIf(python !== undefined).each(['text', 'openmetrics'])(
    'the reference parser of %s',
    async (kind) => {
      const { code, stdout, stderr } = await programs.run(python ?? '', ['-c', REFERENCE, kind, url]);
      expect([code, stderr]).toEqual([0, '']);
      const read = JSON.parse(stdout) as [name: string, labels: Record<string, string>, value: number][];
      const samples = read.map(([name, labels, value]) => ({
        ...{ name, labels: new Map(Object.entries(labels)), value: String(value) },
      }));
      const platform = samples.filter(({ name }) => isOfPlatform(name)).map(seriesText);
      expect(platform.toSorted()).toEqual(plain.toSorted());
    },
  );
});
