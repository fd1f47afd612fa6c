import type { WebSettings } from './settings.ts';

/** Settings in words, a line each. */
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
    lines.push(`at most a request every ${rateLimit.intervalMs} ms, ${rateLimit.burst} at once`);
  }
  if (openHealth) lines.push('/-/healthy and /-/ready are open to everybody');
  lines.push(...settings.warnings.map((warning) => `warning: ${warning}`));
  return lines;
}
