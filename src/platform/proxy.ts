import { ConfigError } from '../runtime/errors.ts';

/** The HTTP proxy to go through, in the words of the usual environment variables. */
export interface ProxySettings {
  readonly HTTP_PROXY?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: string | undefined;
}

/**
 * The settings as Node's agents take them, undefined where no proxy is set. `host:port` means http, as curl and
 * Go read it (Node would ignore it silently); another scheme is a `ConfigError`, whose message holds no value.
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
