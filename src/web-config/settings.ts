import type { WebSettings } from './load.ts';

/** Describes the settings, one line each. */
export function describeWebSettings(settings: WebSettings, openHealth: boolean): readonly string[] {
  const { tls, users, headers, rateLimit } = settings;
  const lines: string[] = [];
  if (tls === undefined) lines.push('plain HTTP');
  else {
    const until = new Date(tls.expiresAt).toISOString().slice(0, 10);
    lines.push(`TLS from ${tls.minVersion} to ${tls.maxVersion}, certificate valid until ${until}`);
    const names = tls.allowedNames === undefined ? '' : `, named ${tls.allowedNames.join(' or ')}`;
    lines.push(`client certificates: ${tls.clientAuth}${names}`);
  }
  lines.push(
    users.size === 0 ? 'no password' : `basic authentication, users: ${[...users.keys()].join(', ')}`,
  );
  if (tls === undefined && users.size > 0) lines.push('(passwords cross the network in clear text)');
  if (headers.size > 0) lines.push(`headers: ${[...headers.keys()].join(', ')}`);
  if (rateLimit !== undefined) {
    lines.push(`rate limit: one request per ${rateLimit.intervalMs} ms, burst ${rateLimit.burst}`);
  }
  if (openHealth) lines.push('/-/healthy and /-/ready require no authentication');
  lines.push(...settings.warnings.map((warning) => `warning: ${warning}`));
  return lines;
}
