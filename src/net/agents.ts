import type { Agent, AgentOptions, IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import net, { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { connectAttemptMs, nodeHttp } from './node-http.ts';
import { ProxyError, type ProxySettings } from './proxy.ts';
import { type ProxyAddress, parseProxies } from './proxy-address.ts';

/** How requests to a host are sent. */
export interface Route {
  readonly agent: Agent;
  /** Host and port of the proxy, if there is one. */
  readonly proxy: string | undefined;
}

interface PoolOptions {
  readonly keepAlive: boolean;
  /** Maximum number of connections per host; of tunnels, those that are kept for later requests. */
  readonly maxSockets: number;
  /** How long a request may take, in milliseconds: so long may opening a tunnel take. */
  readonly limitMs: number;
  /** How long a connection is kept while it has no request, in milliseconds; ten seconds by default. */
  readonly timeout?: number;
  /** The proxies, never used for this machine itself; none by default. */
  readonly proxy?: ProxySettings | undefined;
}

/** Between polls, which are minutes apart, connections of hundreds of organizations would take tens of megabytes. */
const IDLE_MS = 10_000;

/** The connections of a client. */
export type AgentPool = ReturnType<typeof createAgentPool>;

/**
 * Creates the connections of a client: direct ones, and through proxies, by a tunnel to hosts that use TLS. Throws a
 * `ConfigError` if a proxy is invalid.
 */
export function createAgentPool({ limitMs, proxy: settings, ...limits }: PoolOptions) {
  const findProxy = parseProxies(settings);
  const agents = new Map<string, Agent>();
  const options = {
    timeout: IDLE_MS,
    ...limits,
    autoSelectFamilyAttemptTimeout: connectAttemptMs(limitMs),
  };

  function createAgent(isSecure: boolean, proxy: ProxyAddress | undefined): Agent {
    if (proxy !== undefined) {
      return isSecure ? tunnelAgent(proxy, options, limitMs) : forwardingAgent(proxy, options, limitMs);
    }
    return new (nodeHttp(isSecure).Agent)(options);
  }

  return {
    /** The route of requests to this URL. */
    for(url: URL): Route {
      const proxy = findProxy(url);
      const key = `${url.protocol} ${proxy?.name}`;
      const agent = agents.get(key) ?? createAgent(url.protocol === 'https:', proxy);
      agents.set(key, agent);
      return { agent, proxy: proxy?.name };
    },
    /** Closes all connections, also those that are being opened. */
    destroy(): void {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** For plain HTTP, Node.js puts the whole URL and the credentials into the request to the proxy. */
function forwardingAgent(proxy: ProxyAddress, options: AgentOptions, limitMs: number): Agent {
  const { Agent } = nodeHttp(false);
  const agent = new Agent({ ...options, proxyEnv: { HTTP_PROXY: proxy.href } });
  const to = connectionTo(proxy, limitMs);
  agent.createConnection = () => (proxy.secure ? tls.connect(to) : net.connect(to));
  return agent;
}

/**
 * Node.js' own tunnels (`proxyEnv`) leave the connection open if the proxy refuses one. The number of tunnels in use is
 * left to the client: an agent would open several for a request that waits for one.
 */
function tunnelAgent(proxy: ProxyAddress, options: AgentOptions, limitMs: number): SecureAgent {
  const agent = new SecureAgent({
    ...options,
    maxSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: options.maxSockets,
  });
  const opening = new Set<Tunnel>();
  const connect = agent.createConnection.bind(agent);
  const destroy = agent.destroy.bind(agent);

  agent.createConnection = (target, done) => {
    const { host, port } = target;
    const name = host?.includes(':') ? `[${host}]` : host;
    const tunnel = openTunnel(proxy, `${name}:${port}`, limitMs);
    opening.add(tunnel);
    tunnel.opened
      .then((socket) => {
        const over = { ...target, socket };
        const secured = connect(over);
        if (!secured) return;
        let isSecure = false;
        secured.once('secureConnect', () => {
          isSecure = true;
        });
        // Of a request that was aborted meanwhile; without an answer of the target it must not be kept for the next one.
        secured.once('free', () => {
          if (!isSecure) secured.destroy();
        });
        done?.(null, secured);
      })
      .catch(done as (error: Error) => void)
      .finally(() => opening.delete(tunnel));
    return undefined;
  };
  agent.destroy = () => {
    for (const tunnel of opening) tunnel.close();
    destroy();
  };
  return agent;
}

/** A tunnel that is being opened. */
type Tunnel = ReturnType<typeof openTunnel>;

/** Opens a tunnel to `target` (host and port) through a proxy, within `limitMs` milliseconds. */
function openTunnel(proxy: ProxyAddress, target: string, limitMs: number) {
  const { promise: opened, resolve, reject } = Promise.withResolvers<Socket>();
  const { STATUS_CODES } = nodeHttp(false);
  const client = nodeHttp(proxy.secure);
  const options = {
    ...connectionTo(proxy, limitMs),
    method: 'CONNECT',
    path: target,
    agent: false,
    // Without the header `Connection: close`, which would contradict a tunnel.
    setDefaultHeaders: false,
    headers: {
      Host: target,
      'Proxy-Connection': 'keep-alive',
      ...(proxy.authorization === undefined ? {} : { 'Proxy-Authorization': proxy.authorization }),
    },
  };
  const request = client.request(options);
  const timer = setTimeout(() => end('ETIMEDOUT', 'no answer in time'), limitMs);
  request.on('error', (error) => {
    const code: unknown = Reflect.get(error, 'code');
    const known = typeof code === 'string' ? code : 'ECONNRESET';
    end(known, known);
  });
  // Emitted for an answer with any status.
  request.on('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, begun: Buffer) => {
    // Whoever gets the connection listens too; this one is for errors of a connection that is being closed.
    socket.on('error', () => undefined);
    if (statusCode === 200) {
      clearTimeout(timer);
      // Bytes that came with the answer: a page in place of a tunnel fails at once, and not by waiting for it.
      if (begun.length > 0) socket.unshift(begun);
      resolve(socket);
    } else {
      socket.destroy();
      end('PROXY_REFUSED', `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim());
    }
  });
  request.end();

  function end(code: string, why: string): void {
    clearTimeout(timer);
    request.destroy();
    reject(new ProxyError(code, `the proxy ${proxy.name} opened no tunnel to ${target}: ${why}`));
  }

  return {
    /** The connection to the target; rejects with a `ProxyError`, and the connection to the proxy is closed. */
    opened,
    /** Closes it if it is not open yet. */
    close: () => end('ECONNABORTED', 'the connection was closed'),
  };
}

/** The options of a connection to the proxy itself, for `net` and `tls` alike. */
function connectionTo({ host, port }: ProxyAddress, limitMs: number) {
  return {
    host,
    port,
    // Otherwise that of the request's Host header, which is the target.
    servername: isIP(host) === 0 ? host : '',
    autoSelectFamilyAttemptTimeout: connectAttemptMs(limitMs),
  };
}
