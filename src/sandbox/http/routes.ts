import type { Endpoint } from '../types.ts';

export const readinessPath = '/api/organization/maturity-level-reports';
/** Where the readiness listing moved to. */
export const newReadinessPath = '/api/organization/agent-readiness-reports';

const routes: ReadonlyMap<string, Endpoint> = new Map([
  ['/api/v1/analytics/tokens', 'tokens'],
  ['/api/v1/analytics/tools', 'tools'],
  ['/api/v1/analytics/activity', 'activity'],
  ['/api/v1/analytics/productivity', 'productivity'],
  ['/api/v1/analytics/users', 'users'],
  [readinessPath, 'readiness'],
  [newReadinessPath, 'readiness'],
  ['/api/v0/wiki', 'wiki'],
]);

/** The endpoint of a path; undefined where there is none. */
export function endpointOf(path: string): Endpoint | undefined {
  return routes.get(path);
}
