import { parseFaults } from '../faults.ts';
import { createHandler } from '../http/handler.ts';
import { createListeners } from '../http/listeners.ts';
import type { SandboxOptions } from '../types.ts';
import { createEditions } from '../world/conditions.ts';
import { createTenants } from '../world/tenants.ts';
import type { Account } from './answers.ts';
import { createCopilotApi } from './api.ts';
import { SETTLED_AFTER } from './calendar.ts';
import { createReports, teamsOf } from './reports.ts';
import { copilotFaultKinds, endpoints, keysOf } from './rights.ts';

/** A simulated GitHub Copilot. */
export type CopilotSandbox = ReturnType<typeof createCopilotSandbox>;

/**
 * Creates a simulated GitHub Copilot over the same world as the other simulated platform; it does not listen until
 * asked. Throws an Error of one sentence on an invalid fault.
 */
export function createCopilotSandbox(options: Omit<SandboxOptions, 'repos'>) {
  const { now, seed = 1 } = options;
  const parse = (texts: readonly string[]) => parseFaults(texts, copilotFaultKinds, endpoints);
  let faults = parse(options.faults ?? []);
  const origins = { api: 'http://127.0.0.1', files: 'http://127.0.0.1' };
  const editions = createEditions(now, () => true, SETTLED_AFTER);
  const { tenants, oldestOn, reviseDay } = createTenants({ ...options, repos: 0 }, editions);
  const accounts = tenants.map((org, index): Account => {
    const names = { login: `${org.name}-org`, enterprise: `${org.name}-inc` };
    return { org, reports: createReports(org), ...names, id: 9_000_000 + index * 10 };
  });
  const keys = accounts.flatMap((account) =>
    Object.entries(keysOf(account.org.name)).map(([key, token]) => [token, { account, key }] as const),
  );
  const api = createCopilotApi({
    now,
    seed,
    accounts,
    keys: new Map(keys),
    faults: () => faults,
    oldestOn,
    origins,
  });
  const [handler, filesHandler] = [createHandler(api.answer), createHandler(api.files)];
  const listeners = createListeners();

  return {
    orgs: accounts.map(({ org, login, enterprise }) => ({
      name: org.name,
      /** The organization's name at GitHub. */
      account: login,
      enterprise,
      keys: keysOf(org.name),
      /** Who is of which team, as a teams file would have it. */
      people: org.people.map((person) => ({ login: person.login, teams: teamsOf(person) })),
    })),
    handler,
    filesHandler,
    /** Listens for the API, and on the next port, or any with 0, for the files of its links. */
    async listen({ host, port }: { readonly host: string; readonly port: number }) {
      const api = await listeners.listen(handler, { host, port });
      const next = { host, port: port === 0 ? 0 : port + 1 };
      const files = await listeners.listen(filesHandler, next).catch(async (thrown: unknown) => {
        await listeners.close();
        throw thrown;
      });
      origins.api = api.url;
      origins.files = files.url;
      return { ...api, filesUrl: files.url };
    },
    close: listeners.close,
    /** Replaces all faults; throws an Error of one sentence on a text that is not a fault. */
    setFaults(texts: readonly string[]): void {
      faults = parse(texts);
    },
    reviseDay,
  };
}
