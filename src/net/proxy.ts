/** The proxies for each scheme and the hosts that go around them, as the usual environment variables contain them. */
export interface ProxySettings {
  readonly HTTP_PROXY?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: string | undefined;
}

/** The proxy settings of an environment; of a variable in both cases, upper case wins unless it is empty, as in Go. */
export function proxyIn(environment: Readonly<Record<string, string | undefined>>): ProxySettings {
  return {
    HTTP_PROXY: environment['HTTP_PROXY'] || environment['http_proxy'],
    HTTPS_PROXY: environment['HTTPS_PROXY'] || environment['https_proxy'],
    NO_PROXY: environment['NO_PROXY'] || environment['no_proxy'],
  };
}

/**
 * A proxy that opened no tunnel. `message` names its host and port, never its credentials; `code` is the system's, such as
 * `ECONNREFUSED` or `ETIMEDOUT`, or `PROXY_REFUSED` if the proxy answered.
 */
export class ProxyError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ProxyError';
    this.code = code;
  }
}

/** For the end of a message about a request: the proxy that it went through, if it did. */
export function throughProxy(proxy: string | undefined): string {
  return proxy === undefined ? '' : `, through the proxy ${proxy}`;
}
