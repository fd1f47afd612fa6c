import type { ApiRequest } from '../catalog/source.ts';
import { ConfigError } from '../runtime/errors.ts';

/** The configured addresses of an organization, ready to be built upon. */
export type Hosts = Readonly<Record<ApiRequest['host'], URL>>;

/** Reads the two base URLs; a `ConfigError` where one is no http or https URL. */
export function parseHosts(baseUrl: string, appUrl: string): Hosts {
  return { api: parseBase('base_url', baseUrl), app: parseBase('app_url', appUrl) };
}

/** The address of a request: the base URL's own path goes before the request's. */
export function urlOf(request: ApiRequest, hosts: Hosts): URL {
  const url = new URL(hosts[request.host]);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${request.path}`;
  url.search = new URLSearchParams(request.query).toString();
  return url;
}

function parseBase(key: string, text: string): URL {
  if (!URL.canParse(text)) throw new ConfigError(`${key} is not a URL`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ConfigError(`${key} must begin with http:// or https://`);
  }
  // Credentials in a URL would replace the key's header.
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url;
}
