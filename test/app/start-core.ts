import { createCore } from '../../src/app/core.ts';
import { collectors } from '../../src/collectors/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeTicker } from '../support/fake-ticker.ts';
import { createKeptStream } from '../support/logs.ts';

/** The time of a started core's clock. */
const NOW = Date.UTC(2026, 10, 20, 12);

/** Creates the core of a service with one organization and its history in that file; nothing is polled. */
export async function startCore(history: string) {
  const config = await loadConfig({
    flags: new Map(),
    environment: {
      AGENT_PLATFORM_API_KEY: 'key',
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1',
      AGENT_PLATFORM_STORAGE_PATH: history,
    },
    files: createFakeFiles(new Map()),
    collectors,
  });
  const { stderr, log } = createKeptStream('the core');
  const clock = createFakeClock(NOW);
  const core = await createCore(
    config,
    {
      ...{ version: '1', revision: 'test', clock, random: () => 0.5, stderr },
      ticker: createFakeTicker(),
    },
    {
      secrets: () => [],
      orgs: () => [],
      onExit: () => undefined,
    },
  );
  return { config, core, clock, log };
}
