import http from 'node:http';
import https from 'node:https';
import { type ProxySettings, parseProxy } from './proxy.ts';

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
 * Keeps connections alive, at most `maxSockets` per host. Where a proxy is given, Node's own agents use it
 * (CONNECT for https); this machine itself is never reached through it, as Go's clients do.
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
