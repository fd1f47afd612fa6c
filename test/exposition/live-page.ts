import type { Registry } from 'prom-client';
import {
  createInstruments,
  type Instruments,
  type InstrumentsDeps,
} from '../../src/exposition/instruments.ts';
import { createOrgMetrics } from '../../src/exposition/org-metrics.ts';
import { readRegistry, renderMetric } from '../../src/exposition/process-metrics.ts';
import type { Format } from '../../src/exposition/text.ts';

/** A registry as rendered by the project's own writer, in one text without `# EOF`. */
export async function livePage(registry: Registry, format: Format = 'text'): Promise<string> {
  let text = '';
  for await (const metric of readRegistry(registry)) text += [...renderMetric(metric, format)].join('');
  return text;
}

/** Instruments, and the lines of their metrics without the headers: the process's, then those of organizations. */
export function createReadInstruments(
  deps: Omit<InstrumentsDeps, 'orgMetrics'>,
): Instruments & { lines(): Promise<readonly string[]> } {
  const orgMetrics = createOrgMetrics(deps.clock);
  const instruments = createInstruments({ ...deps, orgMetrics });
  const changed = new Set<string>();
  return {
    ...instruments,
    async lines() {
      let text = await livePage(instruments.registry);
      for (const org of orgMetrics.takeChanged()) changed.add(org);
      for (const org of changed) {
        for (const { body } of (await orgMetrics.render(org)) ?? [])
          text += Buffer.isBuffer(body) ? body : '';
      }
      return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    },
  };
}
