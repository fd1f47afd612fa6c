import type { DayReader } from '../../src/catalog/collector.ts';
import type { Platform } from '../../src/catalog/platform.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';

/** Reads a report behind a link to this machine, where nothing listens. */
const reader: DayReader<unknown> = {
  async fetchDays(source) {
    await source.lines({
      ...{ endpoint: 'tokens', host: 'api', path: '/api/v0/wiki', query: {} },
      linksOf: () => ['http://127.0.0.1:1/report'],
      start: () => undefined,
      add: () => undefined,
    });
    return { rows: new Map(), lost: 0, rejected: 0, bytes: 0, remarks: [] };
  },
};

// The configuration says whose its answers are.
const { probe: _probe, ...whole } = agentPlatform;

/** A platform that takes every key of an organization, whose answers lead elsewhere. */
export const barePlatform: Platform = {
  ...whole,
  name: 'bare',
  title: 'Bare',
  configuration: { keys: ['account', 'kind', 'link_hosts'], kinds: ['a', 'b'] },
  readers: { tokens: async () => reader },
  identityOf: ({ account = '', kind = '' }) => `bare:${account}:${kind}`,
  orgIdIn: () => undefined,
};
