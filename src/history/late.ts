import type { History } from './history.ts';

/** A history that is still being opened: each call waits for it. `close` closes it, unless it was never opened. */
export function createLateHistory(opened: Promise<History>): History {
  return {
    read: async (org) => (await opened).read(org),
    adopt: async (org, orgId) => (await opened).adopt(org, orgId),
    putConfirmedKey: async (org, key) => (await opened).putConfirmedKey(org, key),
    putDays: async (org, dataset, answer) => (await opened).putDays(org, dataset, answer),
    putDocuments: async (org, dataset, answer) => (await opened).putDocuments(org, dataset, answer),
    revisedOn: async (org, dataset) => (await opened).revisedOn(org, dataset),
    putRevisedOn: async (org, dataset, day) => (await opened).putRevisedOn(org, dataset, day),
    putSucceeded: async (org, dataset, at) => (await opened).putSucceeded(org, dataset, at),
    requestsOf: async (org) => (await opened).requestsOf(org),
    putRequests: async (org, count) => (await opened).putRequests(org, count),
    amend: async (dataset, change) => (await opened).amend(dataset, change),
    sweep: async (retention) => (await opened).sweep(retention),
    async close() {
      const history = await opened.catch(() => undefined);
      await history?.close();
    },
  };
}
