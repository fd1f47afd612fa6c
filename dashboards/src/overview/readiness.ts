import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { readinessOverTime } from '../readiness/over-time.ts';
import { readinessTiles } from '../readiness/summary.ts';

const tiles = readinessTiles({}, { width: 5, height: 4, to: links.readiness });

/** The readiness of the repositories for agents. */
export const readiness: Row = {
  title: 'Repository readiness',
  panels: [
    { width: 5, column: tiles.slice(0, 2) },
    { width: 5, column: tiles.slice(2) },
    readinessOverTime({}, { width: 14, height: 8, to: links.readiness }),
  ],
};
