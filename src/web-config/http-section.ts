import { suggestion } from '../config/nearest.ts';
import { parseDuration, quoted } from '../config/parse.ts';
import { booleanOf, configErrorAt, entriesOf, textOf, wholeNumberOf, type YamlNode } from '../config/tree.ts';
import { headers as configurable } from './names.ts';
import type { RateLimit } from './settings.ts';

/** Reads `http_server_config`: the headers of every answer. */
export function readHeaders(node: YamlNode): ReadonlyMap<string, string> {
  const entries = entriesOf(node, ['http2', 'headers']);
  const [http2, section] = [entries.get('http2'), entries.get('headers')];
  // HTTP/2 is not spoken; it is only an offer, which clients of both kinds can do without.
  if (http2 !== undefined && http2.tree.kind !== 'empty') booleanOf(http2);
  const found = new Map<string, string>();
  if (section === undefined) return found;
  for (const [name, header] of entriesOf(section, [...configurable.keys()])) {
    const value = headerOf(name, header);
    if (value !== '') found.set(name, value);
  }
  return found;
}

/** Whether the file would have HTTP/2 offered, as other exporters do unless told otherwise. */
export function offersHttp2(node: YamlNode): boolean {
  const http2 = entriesOf(node, ['http2', 'headers']).get('http2');
  return http2 === undefined || http2.tree.kind === 'empty' || booleanOf(http2);
}

/** A header's value; nothing is set where it is empty. */
function headerOf(name: string, node: YamlNode): string {
  if (node.tree.kind === 'empty' || (node.tree.kind === 'text' && node.tree.text === '')) return '';
  const value = node.tree.kind === 'number' ? node.tree.text : textOf(node);
  const allowed = configurable.get(name) ?? [];
  if (allowed.length > 0 && !allowed.includes(value)) {
    throw configErrorAt(node, `${quoted(value)} is not ${allowed.join(' or ')}`, suggestion(value, allowed));
  }
  if (!/^[\t\x20-\x7e]*$/.test(value))
    throw configErrorAt(node, 'holds characters that a header cannot have');
  return value;
}

/** Reads `rate_limit`; undefined if there is no limit. */
export function readRateLimit(
  node: YamlNode,
  warn: (node: YamlNode, warning: string) => void,
): RateLimit | undefined {
  const entries = entriesOf(node, ['interval', 'burst']);
  const [interval, burst] = [entries.get('interval'), entries.get('burst')];
  if (interval === undefined || interval.tree.kind === 'empty') {
    if (burst !== undefined) throw configErrorAt(node, 'has a burst, but no interval');
    return undefined;
  }
  const intervalMs = intervalOf(interval);
  if (intervalMs === 0) return undefined;
  if (burst === undefined) throw configErrorAt(node, 'has no burst: not one request would pass');
  const most = wholeNumberOf(burst, 0, 1_000_000);
  if (most === 0) warn(burst, 'is 0: not one request passes');
  return { intervalMs, burst: most };
}

function intervalOf(node: YamlNode): number {
  const { tree } = node;
  const text = tree.kind === 'text' || tree.kind === 'number' ? tree.text : '';
  const ms = parseDuration(text);
  if (ms === undefined) throw configErrorAt(node, `${quoted(text)} is not a duration, such as 100ms or 1s`);
  return ms;
}
