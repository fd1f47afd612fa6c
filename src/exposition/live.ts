import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { createSlices, type Slices } from '../runtime/slices.ts';
import { createDeflater, type DeflatedChunk } from './deflated-chunk.ts';
import { readRegistry, renderMetric } from './live-text.ts';
import type { Format } from './text.ts';

/** The process's own part of a page, which ends it. */
export interface Live {
  /** Rendered at most once a second, and anew for each version of what is published. */
  chunk(format: Format, version: number): Promise<DeflatedChunk>;
}

const FRESH_MS = 1000;
// In UTF-16 units.
const CHUNK = 256 * 1024;

interface Rendering {
  readonly version: number;
  readonly at: number;
  readonly chunk: Promise<DeflatedChunk>;
}

/** Creates the live part of a registry. */
export function createLive({ registry, clock }: { registry: Registry; clock: Clock }): Live {
  const slices = createSlices(clock);
  const renderings = new Map<Format, Rendering>();
  return {
    chunk(format, version) {
      const now = clock.elapsed();
      const last = renderings.get(format);
      if (last !== undefined && last.version === version && now - last.at < FRESH_MS) return last.chunk;
      const rendering = { version, at: now, chunk: render(registry, format, slices) };
      renderings.set(format, rendering);
      // A failure belongs to the scrapes that wait for it, and not to the next ones.
      rendering.chunk.catch(() => {
        if (renderings.get(format) === rendering) renderings.delete(format);
      });
      return rendering.chunk;
    },
  };
}

async function render(registry: Registry, format: Format, slices: Slices): Promise<DeflatedChunk> {
  const deflater = createDeflater();
  let text = '';
  let lines = 0;
  for await (const metric of readRegistry(registry)) {
    for (const line of renderMetric(metric, format)) {
      text += line;
      lines += 1;
      if (lines % 64 !== 0 || !slices.over()) continue;
      await slices.next();
      if (text.length < CHUNK) continue;
      await deflater.write(text);
      text = '';
    }
  }
  await deflater.write(format === 'openmetrics' ? `${text}# EOF\n` : text);
  return deflater.finish();
}
