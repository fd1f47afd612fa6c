import type { Registry } from 'prom-client';
import { readRegistry, renderMetric } from '../../src/exposition/process-metrics.ts';
import type { Format } from '../../src/exposition/text.ts';

/** A registry as rendered by the project's own writer, in one text without `# EOF`. */
export async function livePage(registry: Registry, format: Format = 'text'): Promise<string> {
  let text = '';
  for await (const metric of readRegistry(registry)) text += [...renderMetric(metric, format)].join('');
  return text;
}
