import type { Registry } from 'prom-client';
import {
  createInstruments,
  type Instruments,
  type InstrumentsDeps,
} from '../../src/exposition/instruments.ts';
import { readRegistry, renderMetric } from '../../src/exposition/own-part.ts';
import type { Format } from '../../src/exposition/text.ts';

/** A registry as rendered by the project's own writer, in one text without `# EOF`. */
export async function livePage(registry: Registry, format: Format = 'text'): Promise<string> {
  const metrics = await readRegistry(registry);
  return metrics.flatMap((metric) => [...renderMetric(metric, format)]).join('');
}

/** Instruments, and the lines of their metrics without the headers: the process's, then those of organizations. */
export function createReadInstruments(
  deps: InstrumentsDeps,
): Instruments & { lines(): Promise<readonly string[]> } {
  const instruments = createInstruments(deps);
  return {
    ...instruments,
    async lines() {
      const text = (await livePage(instruments.registry)) + [...instruments.linesOfOrgs('text')].join('');
      return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    },
  };
}
