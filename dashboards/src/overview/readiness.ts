import type { Row } from '../dashboard.ts';
import { links } from '../links.ts';
import { readinessOverTime } from '../readiness/over-time.ts';
import { readinessTiles } from '../readiness/summary.ts';

const to = links.readiness;

/** The readiness of the repositories for agents. */
export const readiness: Row = {
  title: 'Repository readiness',
  panels: [
    ...readinessTiles({}, { width: 3, height: 5, to }),
    readinessOverTime({}, { width: 12, height: 5, to }),
  ],
};
