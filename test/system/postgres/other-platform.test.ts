import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClaudeSandbox } from '../../../src/sandbox/index.ts';
import { KEYS } from '../../e2e/claude-story.ts';
import { readPage } from '../../e2e/page.ts';
import { createNoonClock } from '../../e2e/program.ts';
import { OTHER_KEY, startOtherPlatform } from '../../support/other-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const programs = createPrograms();

/** A platform that counts no credits and has three datasets, and its organization. */
interface Polled {
  readonly start: (now: () => number) => Promise<string>;
  readonly org: Readonly<Record<string, string>>;
  readonly key: string;
  readonly from: string;
  /** A module that replaces the list of platforms. */
  readonly list?: string;
}

const PLATFORMS: Readonly<Record<string, Polled>> = {
  other: {
    start: startOtherPlatform,
    org: { platform: 'other', account: 'octo' },
    key: OTHER_KEY,
    from: '2026-09-20',
    list: new URL('../../support/with-other-platform.ts', import.meta.url).href,
  },
  // One request a second.
  claude: {
    async start(now) {
      const sandbox = createClaudeSandbox({ now, users: 12, pace: 'unlimited' });
      onTestFinished(() => sandbox.close());
      return (await sandbox.listen({ host: '127.0.0.1', port: 0 })).url;
    },
    org: { platform: 'claude' },
    key: KEYS.console,
    from: '2026-10-12',
  },
};

test.each(Object.keys(PLATFORMS))(
  'two replicas show what the platform %s has, whichever of them polls',
  async (platform) => {
    const { start: startPlatform, org, key, from, list } = PLATFORMS[platform] as Polled;
    const { now, nodeArguments } = createNoonClock();
    const url = await startPlatform(now);
    const file = join(programs.folder(), 'c.yml');
    const configured = { name: 'octo', ...org, base_url: url, api_key_env: 'KEY' };
    writeFileSync(
      file,
      `orgs: [${JSON.stringify(configured)}]\nhistory: {start: ${from}}\napi: {requests_per_second: 1000}\n`,
    );
    const environment = {
      KEY: key,
      AGENT_PLATFORM_STORAGE_URL: await server.database(),
      NODE_OPTIONS: [...nodeArguments, ...(list ? [`--import=${list}`] : [])].join(' '),
    };
    async function start() {
      const args = ['serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0'];
      const program = programs.exporter(args, environment);
      const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
      const page = async () => readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      return { program, page };
    }
    const figures = async ({ page }: Awaited<ReturnType<typeof start>>) => (await page()).platform('octo');

    const first = await start();
    const isWhole = async () => {
      const page = await first.page();
      expect(page.value('agent_platform_history_uncovered', { dataset: 'productivity' })).toBe(0);
      expect(page.value('agent_platform_cost_month_forecast', { currency: 'USD' })).toBeGreaterThan(0);
    };
    await waitFor(isWhole);
    const second = await start();
    const shown = await figures(first);
    expect(shown).toContainEqual(
      expect.stringMatching(new RegExp(`^agent_platform_org_info{.*,platform="${platform}"} 1$`)),
    );
    expect(shown.filter((line) => /readiness|wiki|dataset="(users|tools)"|credits/.test(line))).toEqual([]);
    await waitFor(async () => expect(await figures(second)).toEqual(shown));

    first.program.send('SIGTERM');
    await first.program.ended;
    await waitFor(async () => expect((await second.page()).value('agent_platform_exporter_leader')).toBe(1));
    expect(await figures(second)).toEqual(shown);
  },
);
