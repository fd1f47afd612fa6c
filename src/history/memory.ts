import type { History, RequestCount } from './history.ts';
import { createKept } from './state.ts';

/** Keeps history in this process's memory: it starts empty and ends with the process. */
export function createMemoryHistory(): History {
  const kept = createKept();
  const requests = new Map<string, RequestCount>();
  return {
    read: async (org) => kept.read(org),
    async adopt(org, orgId) {
      kept.adopt(org, orgId);
    },
    async putConfirmedKey(org, key) {
      kept.putConfirmedKey(org, key);
    },
    putDays: async (org, dataset, answer) => kept.putDays(org, dataset, answer),
    async putDocuments(org, dataset, answer) {
      kept.putDocuments(org, dataset, answer);
    },
    revisedOn: async (org, dataset) => kept.dataset(org, dataset)?.revisedOn,
    putRevisedOn: async (org, dataset, day) => kept.putRevisedOn(org, dataset, day),
    putSucceeded: async (org, dataset, at) => kept.putSucceeded(org, dataset, at),
    requestsOf: async (org) => requests.get(org),
    async putRequests(org, count) {
      requests.set(org, count);
    },
    async amend(dataset, change) {
      kept.amend(dataset, change);
    },
    async sweep(retention) {
      if (retention !== undefined) kept.retain(retention);
    },
    async close() {},
  };
}
