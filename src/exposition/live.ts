import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { readRegistry, renderMetrics } from './live-text.ts';
import { createDeflater, type Piece } from './piece.ts';
import type { Format } from './text.ts';

/** The process's own part of a page, which ends it. */
export interface Live {
  /** Rendered at most once a second, and anew for each version of what is published. */
  piece(format: Format, version: number): Promise<Piece>;
}

const FRESH_MS = 1000;

interface Rendering {
  readonly version: number;
  readonly at: number;
  readonly piece: Promise<Piece>;
}

/** Creates the live part of a registry. */
export function createLive({ registry, clock }: { registry: Registry; clock: Clock }): Live {
  const renderings = new Map<Format, Rendering>();
  return {
    piece(format, version) {
      const now = clock.elapsed();
      const last = renderings.get(format);
      if (last !== undefined && last.version === version && now - last.at < FRESH_MS) return last.piece;
      const rendering = { version, at: now, piece: render(registry, format) };
      renderings.set(format, rendering);
      // A failure belongs to the scrapes that wait for it, and not to the next ones.
      rendering.piece.catch(() => {
        if (renderings.get(format) === rendering) renderings.delete(format);
      });
      return rendering.piece;
    },
  };
}

async function render(registry: Registry, format: Format): Promise<Piece> {
  const text = renderMetrics(await readRegistry(registry), format);
  const deflater = createDeflater();
  await deflater.write(format === 'openmetrics' ? `${text}# EOF\n` : text);
  return deflater.finish();
}
