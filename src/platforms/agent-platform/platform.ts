import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { labelValue } from '../../catalog/label.ts';
import { CREDITS } from '../../catalog/money.ts';
import { isObject } from '../../catalog/object.ts';
import type { Platform } from '../../catalog/platform.ts';
import { DEFAULT_PLATFORM, DEFAULT_TITLE } from '../../catalog/settings.ts';
import type { ApiAnswer, ApiRequest } from '../../catalog/source.ts';
import { advice, isNotYet } from './advice.ts';
import { API_FIELDS } from './api-fields.ts';

/** As charges name it. */
const NAME = 'AI coding-agent platform';

/** The platform whose API counts Standard Credits. */
export const agentPlatform: Platform = {
  name: DEFAULT_PLATFORM,
  title: DEFAULT_TITLE,
  configuration: {
    keys: ['app_url', 'org_id', 'prices'],
    ownPath: { pattern: /\/api(?:\/v\d+)?(?=\/*$)/, example: '/api/v1/…' },
  },
  money: CREDITS,
  focus: { service: NAME, serviceProvider: NAME, hostProvider: NAME, invoiceIssuer: NAME },
  readers: {
    tokens: async () => (await import('./tokens.ts')).reader,
    tools: async () => (await import('./tools.ts')).reader,
    activity: async () => (await import('./activity.ts')).reader,
    productivity: async () => (await import('./productivity.ts')).reader,
    users: async () => (await import('./users.ts')).reader,
    readiness: async () => (await import('./readiness.ts')).reader,
    wiki: async () => (await import('./wiki.ts')).reader,
  },
  days: {},
  fields: API_FIELDS,
  headers: (key) => ({ Accept: 'application/json', Authorization: `Bearer ${key}` }),
  linkHosts: [],
  advice,
  isNotYet,
  identityOf: ({ orgId }) => orgId,
  orgIdIn,
  probe,
};

/** The analytics endpoints name the organization. */
function orgIdIn(_endpoint: DatasetName, { body }: Pick<ApiAnswer, 'body'>): string | undefined {
  const meta = isObject(body) ? body['meta'] : undefined;
  const named = isObject(meta) ? meta['org_id'] : undefined;
  return typeof named === 'string' && named !== '' ? labelValue(named) : undefined;
}

function probe(endpoint: DatasetName, day: Day): ApiRequest {
  return {
    endpoint,
    host: 'api',
    path: API_FIELDS[endpoint].path,
    query: { startDate: day, endDate: day, ...(endpoint === 'users' && { limit: '1' }) },
  };
}
