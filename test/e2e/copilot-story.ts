import { onTestFinished } from 'vitest';
import type { OrgConfig } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { copilot } from '../../src/platforms/copilot/platform.ts';
import { type CopilotSandbox, createCopilotSandbox } from '../../src/sandbox/index.ts';
import type { Json } from '../sandbox/asking.ts';
import { configOf, NOON, type Story, type StoryOptions, startStory } from './harness.ts';

interface CopilotOptions extends Omit<StoryOptions, 'sandbox'> {
  readonly sandbox?: Partial<Parameters<typeof createCopilotSandbox>[0]>;
  readonly account?: string;
  readonly key?: keyof CopilotSandbox['orgs'][number]['keys'];
  /** What else is configured of the organization. */
  readonly org?: Partial<OrgConfig>;
}

/** The service, polling a simulated GitHub Copilot with one organization, `octo`. */
export interface CopilotStory extends Story {
  readonly sandbox: CopilotSandbox;
  /** The API's own answer. */
  readonly api: (path: string, query?: Readonly<Record<string, string>>) => Promise<Json>;
  /** The rows behind the links of a report of a day, and how many links it has. */
  readonly rows: (report: string, day: string) => Promise<readonly Json[]>;
}

/** Starts the service on a simulated GitHub Copilot, and runs every collector once; both are stopped after the test. */
export async function startCopilotStory(options: CopilotOptions = {}): Promise<CopilotStory> {
  const { begins = NOON, account = 'acme-org', key = 'full', ...rest } = options;
  let story: Story | undefined;
  const sandbox = createCopilotSandbox({
    now: () => story?.clock.now() ?? begins,
    users: 12,
    ...options.sandbox,
  });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const secret = sandbox.orgs[0]?.keys[key] ?? '';
  const place = { baseUrl: url, account };
  const org: OrgConfig = {
    ...{ name: 'octo', platform: copilot, ...place, appUrl: url, linkHosts: ['127.0.0.1'] },
    orgId: copilot.identityOf(place),
    credential: createFixedCredential(secret, 'the test'),
    ...options.org,
  };
  story = await startStory({
    ...{ begins, ...rest, sandbox: { days: 1 } },
    load: async (platform) => ({ ...(await configOf(platform, url, rest)), orgs: [org] }),
  });
  const api = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const headers = { authorization: `Bearer ${sandbox.orgs[0]?.keys.classic}` };
    const answer = await fetch(`${url}${path}?${new URLSearchParams(query)}`, { headers });
    return answer.status === 204 ? {} : ((await answer.json()) as Json);
  };
  return {
    ...story,
    sandbox,
    api,
    async rows(report, day) {
      const { download_links: links } = await api(`/orgs/acme-org/copilot/metrics/reports/${report}`, {
        day,
      });
      const texts = await Promise.all(
        ((links ?? []) as string[]).map(async (link) => (await fetch(link)).text()),
      );
      return texts.flatMap((text) =>
        text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Json),
      );
    },
  };
}

/** The items of the bill of a day or a month, `YYYY-MM-DD` or `YYYY-MM`. */
export async function billOf(
  { api }: Pick<CopilotStory, 'api'>,
  date: string,
): Promise<readonly Readonly<Record<string, number>>[]> {
  const [year = '', month = '', day] = date.split('-').map((part) => String(Number(part)));
  const path = '/organizations/acme-org/settings/billing/ai_credit/usage';
  const { usageItems } = await api(path, { year, month, ...(day !== undefined && { day }) });
  return usageItems as readonly Readonly<Record<string, number>>[];
}
