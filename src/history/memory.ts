import type { History, RequestCount } from './history.ts';
import { createHistoryState } from './state.ts';

/** A history in memory only: it starts empty, or with what a store has, and ends with the process. */
export function createMemoryHistory(
  state = createHistoryState(),
  counted: ReadonlyMap<string, RequestCount> = new Map(),
): History {
  const requests = new Map(counted);
  return {
    read: async (org) => state.read(org),
    async adopt(org, orgId) {
      state.adopt(org, orgId);
    },
    async putConfirmedKey(org, key) {
      state.putConfirmedKey(org, key);
    },
    putDays: async (org, dataset, answer) => state.putDays(org, dataset, answer).stored,
    async putDocuments(org, dataset, answer) {
      state.putDocuments(org, dataset, answer);
    },
    revisedOn: async (org, dataset) => state.dataset(org, dataset)?.revisedOn,
    putRevisedOn: async (org, dataset, day) => state.putRevisedOn(org, dataset, day),
    putSucceeded: async (org, dataset, at) => state.putSucceeded(org, dataset, at),
    requestsOf: async (org) => requests.get(org),
    async putRequests(org, count) {
      requests.set(org, count);
    },
    async amend(dataset, change) {
      finish(state.amend(dataset, change));
    },
    async sweep(retention) {
      if (retention !== undefined) finish(state.retain(retention));
    },
    async close() {},
  };
}

/** Takes all steps of a change at once. */
function finish(change: Iterable<unknown>): void {
  for (const _ of change);
}
