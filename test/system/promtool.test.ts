import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startDemo } from './platform.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const OPENMETRICS = 'application/openmetrics-text;version=1.0.0';

describe.runIf(requireTool('promtool'))('promtool', () => {
  const programs = createPrograms();
  let url = '';

  beforeAll(async () => {
    ({ url } = await startDemo(programs));
    await waitFor(async () =>
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^agent_platform_wiki_runs\{/m),
    );
  });

  test('has no complaints about the whole page', async () => {
    const input = await (await fetch(`${url}/metrics`)).text();
    const { code, stdout, stderr } = await programs.run('promtool', ['check', 'metrics'], { input });
    expect([code, stdout, stderr]).toEqual([0, '', '']);
  });

  test('reads the page as OpenMetrics', async () => {
    const response = await fetch(`${url}/metrics`, { headers: { accept: OPENMETRICS } });
    expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text; *version=1\.0\.0/);
    const page = await response.text();
    expect(page.endsWith('# EOF\n')).toBe(true);
    // It can only be converted to blocks, which require a timestamp for each sample.
    const at = Math.floor(Date.now() / 1000) - 7_200;
    const stamped = page.replace(/^([^#].*)$/gm, `$1 ${at}`);
    const folder = programs.folder();
    const file = join(folder, 'page.om');
    await writeFile(file, stamped);
    const blocks = ['tsdb', 'create-blocks-from', 'openmetrics', file, join(folder, 'blocks')];
    const { code, stderr } = await programs.run('promtool', blocks);
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/error/i)]);
  });
});
