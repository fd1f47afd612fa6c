import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { createHome, type Home, type Ran } from '../e2e/hook-process.ts';
import { readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { KEY, startPlatform } from './platform.ts';
import { createPrograms, type Program } from './programs.ts';

const SENDERS = 50;
const EACH = 3;
const programs = createPrograms();
const folder = programs.folder();
const homes: Home[] = [];
let platform = '';
let port = 0;

beforeAll(async () => {
  ({ url: platform } = await startPlatform(programs, ['--days=3', '--users=2', '--repos=1']));
  port = await freePort();
});

afterAll(() => {
  for (const home of homes) home.remove();
});

function startExporter(): Program {
  return programs.exporter(
    ['serve', `--web.listen-address=127.0.0.1:${port}`, `--storage.path=${path.join(folder, 'history.db')}`],
    {
      AGENT_PLATFORM_API_BASE_URL: platform,
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_HOOKS_TOKEN: 'hook-token',
    },
  );
}

async function counted(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const values = readPage(text).by('event', 'agent_platform_hook_events_total');
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value > 0));
}

test('the events that many hooks send while the exporter is killed and restarted are counted once each', async () => {
  const settings = `deadline: 30s\nforward: {url: "http://127.0.0.1:${port}", token_env: TOKEN, timeout: 10s}\n`;
  const environment = { TOKEN: 'hook-token' };
  const laptops = Array.from({ length: 5 }, () => createHome(settings));
  homes.push(...laptops);
  const first = startExporter();
  await waitFor(counted);
  let done = 0;
  async function send(nth: number): Promise<Ran[]> {
    const home = laptops[nth % laptops.length];
    const runs: Ran[] = [];
    for (let event = 0; event < EACH; event++) {
      const input = JSON.stringify({
        hook_event_name: event === 0 ? 'Stop' : 'PostToolUse',
        session_id: `s${nth}`,
        tool_use_id: event,
      });
      const ran = await home?.run('hook', { input, environment });
      if (ran !== undefined) runs.push(ran);
      done += 1;
    }
    return runs;
  }
  const sending = Promise.all(Array.from({ length: SENDERS }, (_, nth) => send(nth)));
  await waitFor(() => expect(done).toBeGreaterThan((SENDERS * EACH) / 3));
  first.send('SIGKILL');
  await first.ended;
  await waitFor(() => expect(done).toBeGreaterThan((SENDERS * EACH) / 2));
  startExporter();
  for (const ran of (await sending).flat()) expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
  await waitFor(counted);
  for (const home of laptops) {
    const ran = await home.run('hook', { args: ['--flush'], environment });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  }
  await waitFor(async () =>
    expect(await counted()).toEqual({ Stop: SENDERS, PostToolUse: SENDERS * (EACH - 1) }),
  );
});
