import http from 'node:http';
import https from 'node:https';
import { ConfigError } from '../runtime/errors.ts';

export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
  /** Whether requests to this address may go through the proxy. */
  readonly proxied: boolean;
}

export interface AgentPool {
  for(url: URL): Agents;
  destroy(): void;
}

/**
 * Keeps connections alive, at most `maxSockets` per host. If a proxy is given, Node's own agents use it (CONNECT for
 * https), but, as in Go, never for this machine itself.
 */
export function createAgentPool(maxSockets: number, proxy?: ProxySettings): AgentPool {
  const direct = createAgents(maxSockets);
  const proxyEnv = parseProxy(proxy);
  const throughProxy = proxyEnv === undefined ? direct : createAgents(maxSockets, proxyEnv);
  return {
    for: (url) => (isLoopback(url.hostname) ? direct : throughProxy),
    destroy() {
      for (const agents of [direct, throughProxy]) {
        agents.httpAgent.destroy();
        agents.httpsAgent.destroy();
      }
    },
  };
}

function createAgents(maxSockets: number, proxyEnv?: Record<string, string>): Agents {
  const options = {
    keepAlive: true,
    maxSockets,
    maxFreeSockets: maxSockets,
    ...(proxyEnv === undefined ? {} : { proxyEnv }),
  };
  return {
    httpAgent: new http.Agent(options),
    httpsAgent: new https.Agent(options),
    proxied: proxyEnv !== undefined,
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The HTTP proxy to use, in the format of the usual environment variables. */
export interface ProxySettings {
  readonly HTTP_PROXY?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: string | undefined;
}

/**
 * The settings in the format of Node's agents; undefined if no proxy is set. `host:port` means http, as in curl and Go
 * (Node would silently ignore it). Throws a `ConfigError` without the value for any other scheme.
 */
export function parseProxy(settings: ProxySettings | undefined): Record<string, string> | undefined {
  const parsed: Record<string, string> = {};
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY'] as const) {
    const text = settings?.[name]?.trim() ?? '';
    if (text !== '') parsed[name] = parseProxyUrl(name, text);
  }
  if (Object.keys(parsed).length === 0) return undefined;
  return { ...parsed, NO_PROXY: settings?.NO_PROXY ?? '' };
}

function parseProxyUrl(name: string, text: string): string {
  const url = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(url)) throw new ConfigError(`${name} is not a URL`);
  const { protocol, href } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return href;
  throw new ConfigError(
    `${name} must begin with http:// or https://`,
    'Other kinds of proxies are not supported.',
  );
}
